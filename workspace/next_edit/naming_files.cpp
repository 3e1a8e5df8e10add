#include "workspace/next_edit/naming_files.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "indexing/files/source_file.h"
#include "languages/languages.h"
#include "text/strings/names.h"
#include "workspace/documents/change_history.h"
#include "workspace/documents/file_uri.h"
#include "workspace/next_edit/call_owner.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLooked = 20000;
constexpr std::size_t kMaxFound = 64;

}  // namespace

std::vector<std::shared_ptr<const Document>> NamingFiles::find(
    const IndexSnapshot& index, const std::set<std::string>& names,
    const std::set<std::string>& families, const std::set<fs::path>& open,
    const std::stop_token& stop) {
  if (names != names_) seen_.clear();
  names_ = names;
  std::set<std::string_view> files;
  for (const IndexSnapshot::Part& part : index.parts()) {
    for (std::size_t i = 0; part.names && i < part.names->size(); ++i) {
      const std::string& file = (*part.names)[i];
      const bool is_alike = families.contains(std::string(family_of(language_of(file))));
      if (is_alike && !open.contains(file) && files.size() < kMaxLooked) files.insert(file);
    }
  }
  std::vector<std::shared_ptr<const Document>> found;
  for (const std::string_view file : files) {
    if (stop.stop_requested() || found.size() == kMaxFound) break;
    if (auto document = look_at(std::string(file))) found.push_back(std::move(document));
  }
  return found;
}

std::shared_ptr<const Document> NamingFiles::look_at(const std::string& file) {
  std::error_code error;
  const fs::directory_entry entry(file, error);
  if (error || !entry.is_regular_file(error) || error) return nullptr;
  const fs::file_time_type time = entry.last_write_time(error);
  const std::uintmax_t size = entry.file_size(error);
  if (error || size > kMaxBytesCompared) return nullptr;
  const auto known = seen_.find(file);
  if (known != seen_.end() && known->second.time == time && known->second.size == size)
    return known->second.document;
  Seen& seen = seen_[file] = {.time = time, .size = size, .document = nullptr};
  Result<std::string> text = read_source(fs::path(file).parent_path(),
                                         fs::path(file).filename().string(), kMaxBytesCompared);
  const auto is_in_it = [&](const std::string& name) { return has_name(*text, name); };
  if (!text || std::ranges::none_of(names_, is_in_it)) return nullptr;
  auto made =
      Document::make(uri_of_path(file), 0, std::move(*text), std::string(language_of(file)));
  if (made) seen.document = std::move(*made);
  return seen.document;
}

}  // namespace redraft
