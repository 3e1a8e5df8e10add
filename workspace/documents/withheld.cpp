#include "workspace/documents/withheld.h"

#include <algorithm>
#include <string>

#include "indexing/files/file_kind.h"
#include "workspace/documents/file_uri.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

// Users see "git:/a/.env?HEAD" and "untitled:.env" as names of files too. A URI without a path
// yields no path or a harmless one, so it is not withheld by mistake.
std::string path_in(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  if (colon != std::string_view::npos && uri.substr(0, colon).find('/') == std::string_view::npos)
    uri.remove_prefix(colon + 1);
  uri.remove_prefix(std::min(uri.find_first_not_of('/'), uri.size()));
  return path_of_uri("file:///" + std::string(uri)).value_or("/" + std::string(uri)).string();
}

std::optional<SkipReason> forbidden_along(const fs::path& path) {
  std::string so_far;
  for (auto name = path.begin(); name != path.end(); ++name) {
    if (*name == "/" || name->empty()) continue;
    if (!so_far.empty()) so_far += '/';
    so_far += name->string();
    const bool is_folder = std::next(name) != path.end();
    if (const auto reason = forbidden_name(so_far, is_folder)) return reason;
  }
  return std::nullopt;
}

std::optional<SkipReason> withheld_path(const fs::path& path, std::span<const fs::path> folders) {
  std::optional<SkipReason> reason;
  bool inside = false;
  for (const fs::path& folder : folders) {
    const fs::path relative = path.lexically_relative(folder);
    if (relative.empty() || *relative.begin() == "..") continue;
    inside = true;
    reason = forbidden_along(relative);
    if (!reason) return std::nullopt;
  }
  return inside ? reason : forbidden_along(path);
}

}  // namespace

std::optional<SkipReason> withheld_by_name(std::string_view uri,
                                           std::span<const fs::path> folders) {
  if (const auto path = path_of_uri(uri)) return withheld_path(*path, folders);
  // It is unknown where the path of other URIs ends, so both readings are judged.
  if (const auto reason = withheld_path(path_in(uri.substr(0, uri.find_first_of("?#"))), folders))
    return reason;
  return withheld_path(path_in(uri), folders);
}

std::optional<SkipReason> withheld_by_text(const Document& document) {
  return unwanted_text(document.uri(), document.text(), /*complete=*/true);
}

}  // namespace redraft
