#include "mcp/roots.h"

#include <utility>

#include "workspace/documents/file_uri.h"

namespace redraft::mcp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxRoots = 64;  // each one is a descriptor

}  // namespace

Roots::Roots(const RootChoice& choice) : fixed_(!choice.fixed.empty()) {
  std::vector<fs::path> paths = choice.fixed;
  if (!fixed_ && !choice.working_directory.empty()) paths.push_back(choice.working_directory);
  unnamed_ = RootFolders::open(paths, problems_);
}

Result<Roots::Folders> Roots::checked(Folders folders,
                                      const std::vector<std::string>& problems) const {
  if (!folders->empty()) return folders;
  std::string text = "there is no folder to edit in";
  for (const std::string& problem : problems) text += "; " + problem;
  if (problems.empty())
    text += ": the client names none, and redraft was started in `/` or in the home folder";
  return Error(text + ". Start `redraft mcp --root DIR` to allow a folder");
}

Result<Roots::Folders> Roots::unnamed() const { return checked(unnamed_, problems_); }

Result<Roots::Folders> Roots::named(const Json& result) const {
  const Json& list = member(result, "roots");
  if (!list.is_array()) return Error("the client's answer to roots/list has no list of roots");
  if (list.empty()) return unnamed();
  if (list.size() > kMaxRoots)
    return Error("the client names more than " + std::to_string(kMaxRoots) + " roots");
  std::vector<fs::path> paths;
  std::vector<std::string> problems;
  for (const Json& root : list) {
    const std::string uri = text_member(root, "uri").value_or("");
    if (std::optional<fs::path> path = path_of_uri(uri)) {
      paths.push_back(*std::move(path));
    } else {
      problems.push_back("'" + uri + "' is no folder on this machine");
    }
  }
  Folders folders = RootFolders::open(paths, problems);
  return checked(std::move(folders), problems);
}

std::string Roots::ask() {
  awaited_ = "roots-" + std::to_string(++n_asked_);
  return awaited_;
}

void Roots::receive(const Json& message) {
  if (text_member(message, "id") != awaited_ || awaited_.empty()) return;
  awaited_.clear();
  if (!message.contains("result")) {
    const Json& error = member(message, "error");
    // A client that cannot list roots names none.
    if (member(error, "code") == static_cast<int>(ErrorCode::kMethodNotFound)) {
      latest_ = unnamed();
    } else {
      latest_ = Error("the client cannot list its roots: " +
                      text_member(error, "message").value_or("it gives no reason"));
    }
    return;
  }
  const Json& result = message["result"];
  const bool names_some = !member(result, "roots").empty();
  // Who has closed all folders does not want the working directory to be edited instead.
  if (!names_some && has_named_) {
    latest_ = Error("the client has closed all of its folders, so there is none to edit in");
  } else {
    latest_ = named(result);
  }
  has_named_ = has_named_ || names_some;
}

}  // namespace redraft::mcp
