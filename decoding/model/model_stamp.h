#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "decoding/model/model_location.h"
#include "support/result.h"

namespace redraft {

// Which content a model's files have, without reading them: a file that is replaced, or written in
// place even with as many bytes, has another one. Any thread.
class ModelStamp {
 public:
  // As the files are now: the file or its parts, or those of the folder that a model is read from,
  // and those of the adapter and the draft head. A missing one has a stamp too.
  static ModelStamp of(const ModelLocation& location);
  // The same, once so much time has passed since the last change that another would show: file
  // systems count time in steps. Waits a few hundredths of a second at most, or two seconds where a
  // step is one; not at all for a file that nobody changed just now.
  static ModelStamp settled(const ModelLocation& location, const std::stop_token& stop = {});

  // Whether all of its files were there.
  bool complete() const;
  // What tells the weights of the file or folder from all others on this machine, across restarts.
  // Without the adapter (see adapter_identity()) and the draft head.
  std::string weights() const;

  bool operator==(const ModelStamp&) const = default;

 private:
  struct File {
    std::string name;
    bool beside = false;  // of the adapter or the head
    bool there = false;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t bytes = 0;
    std::int64_t written = 0;  // nanoseconds since 1970
    std::int64_t changed = 0;  // the same, of the inode: nobody can set it back
    bool operator==(const File&) const = default;
  };
  void add(const std::filesystem::path& file, bool beside);
  std::vector<File> files_;
};

// Whether no page of a file was lost since lost_pages() was `lost`. If one was, the error says what
// to do; `what` is what was read.
Result<void> check_no_page_lost(const std::string& what, std::uint64_t lost);

// Whether files were read as they were at `before`, which was taken before anything was read, and
// no page of a file was lost since lost_pages() was `lost`. If not, the error says what to do.
Result<void> check_read_as_stamped(const ModelLocation& location, const ModelStamp& before,
                                   std::uint64_t lost);

}  // namespace redraft
