#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "indexing/store/index_snapshot.h"
#include "workspace/documents/document.h"

namespace redraft {

// Finds the files of a workspace in which certain names occur. Remembers what it read as long as
// the file stays unchanged. One thread.
class NamingFiles {
 public:
  // Searches the files of the index in languages of this family (language_family), without those at
  // `open`. Reads files: some thousand in a tenth of a second.
  std::vector<std::shared_ptr<const Document>> find(const IndexSnapshot& index,
                                                    const std::set<std::string>& names,
                                                    const std::set<std::string>& families,
                                                    const std::set<std::filesystem::path>& open,
                                                    const std::stop_token& stop);

 private:
  struct Seen {
    std::filesystem::file_time_type time;
    std::uintmax_t size;
    std::shared_ptr<const Document> document;  // null: it has none of the names
  };
  // Null: it has none of the names, or cannot be read.
  std::shared_ptr<const Document> look_at(const std::string& file);

  std::set<std::string> names_;
  std::unordered_map<std::string, Seen> seen_;
};

}  // namespace redraft
