#include "decoding/model/model_stamp.h"

#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <system_error>
#include <thread>

#include "decoding/model/adapter.h"
#include "decoding/model/draft_head_files.h"
#include "decoding/model/gguf_parts.h"
#include "support/files/guarded_pages.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSecond = 1'000'000'000;
// Longer than a tick of the kernel's clock, from which file systems take the time.
constexpr std::int64_t kStep = kSecond / 50;
constexpr auto kPause = std::chrono::milliseconds(5);

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return nanoseconds(time);
}

// When a change after this one would have another time. A time of whole seconds may be that of a
// file system that knows no others.
std::int64_t end_of_step(std::int64_t time) {
  return time + (time % kSecond == 0 ? 2 * kSecond : kStep);
}

}  // namespace

void ModelStamp::add(const fs::path& file, bool beside) {
  File out{.name = file.filename().string(), .beside = beside};
  struct stat found = {};
  if (::stat(file.c_str(), &found) == 0) {
    out.there = true;
    out.device = found.st_dev;
    out.inode = found.st_ino;
    out.bytes = static_cast<std::uint64_t>(found.st_size);
    out.written = nanoseconds(found.st_mtim);
    out.changed = nanoseconds(found.st_ctim);
  }
  files_.push_back(std::move(out));
}

ModelStamp ModelStamp::of(const ModelLocation& location) {
  ModelStamp stamp;
  std::error_code problem;
  if (fs::is_directory(location.file, problem)) {
    for (fs::directory_iterator entry(location.file, problem), end; !problem && entry != end;
         entry.increment(problem)) {
      const fs::path kind = entry->path().extension();
      if (kind == ".safetensors" || kind == ".json") stamp.add(entry->path(), false);
    }
    std::ranges::sort(stamp.files_, {}, &File::name);
  } else {
    for (const fs::path& file : gguf_files(location.file)) stamp.add(file, false);
  }
  if (!location.adapter.empty()) {
    for (const char* name : {Adapter::kConfigName, Adapter::kWeightsName})
      stamp.add(location.adapter / name, true);
  }
  if (!location.head.empty()) {
    for (const char* name : {DraftHeadFiles::kConfigName, DraftHeadFiles::kWeightsName})
      stamp.add(location.head / name, true);
  }
  return stamp;
}

ModelStamp ModelStamp::settled(const ModelLocation& location, const std::stop_token& stop) {
  while (true) {
    ModelStamp stamp = of(location);
    const std::int64_t time = now();
    const auto may_change_unseen = [&](const File& file) {
      const std::int64_t last = std::max(file.written, file.changed);
      return last <= time && time < end_of_step(last);
    };
    if (std::ranges::none_of(stamp.files_, may_change_unseen) || stop.stop_requested())
      return stamp;
    std::this_thread::sleep_for(kPause);
  }
}

bool ModelStamp::complete() const {
  return !files_.empty() && std::ranges::all_of(files_, &File::there);
}

// The device's number may be another after the next start of the machine.
std::string ModelStamp::weights() const {
  std::string out;
  for (const File& file : files_) {
    if (file.beside) continue;
    out += file.name;
    for (const std::int64_t number :
         {static_cast<std::int64_t>(file.inode), static_cast<std::int64_t>(file.bytes),
          file.written, file.changed})
      out += " " + std::to_string(number);
    out += "\n";
  }
  return out;
}

Result<void> check_no_page_lost(const std::string& what, std::uint64_t lost) {
  if (lost_pages() == lost) return {};
  return Error(
      what +
      ": a part of it could not be read any more; copy or fetch the file again, and see to "
      "it that nothing writes to it meanwhile");
}

Result<void> check_read_as_stamped(const ModelLocation& location, const ModelStamp& before,
                                   std::uint64_t lost) {
  if (ModelStamp::of(location) != before) {
    return Error(location.file.string() +
                 ": changed while it was read, so nothing of it is used; try again once all of it "
                 "is written");
  }
  return check_no_page_lost(location.file.string(), lost);
}

}  // namespace redraft
