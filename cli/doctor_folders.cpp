#include "cli/doctor_folders.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "support/files/file_handle.h"
#include "support/files/private_folder.h"
#include "support/files/user_folders.h"
#include "support/result.h"
#include "support/system/processes.h"
#include "support/system_error.h"

namespace redraft::cli {
namespace {

namespace fs = std::filesystem;

// The size of the smallest file that is kept there.
constexpr std::size_t kTrialBytes = std::size_t{16} << 10;

Result<void> fill(int file, const fs::path& folder) {
  static const std::array<char, kTrialBytes> bytes = {};
  for (std::size_t done = 0; done < bytes.size();) {  // on a full disk only a part may fit
    const ssize_t count = ::write(file, bytes.data() + done, bytes.size() - done);
    if (count < 0) return file_error(folder);
    done += static_cast<std::size_t>(count);
  }
  if (::fsync(file) != 0) return file_error(folder);
  return {};
}

Result<void> try_to_write(const fs::path& folder) {
  if (const Result<void> made = make_folders(folder); !made) return made;
  std::string name = (folder / ".doctor-XXXXXX").string();
  const FileHandle file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file) return file_error(folder);
  const Result<void> filled = fill(file.get(), folder);
  ::unlink(name.c_str());
  return filled;
}

std::string why_no_folder() {
  const std::optional<fs::path> home = user_home_folder();
  if (!home) return "there is no home folder of this user: set HOME";
  return "redraft runs as root, and " + home->string() +
         " belongs to another user (sudo -E). Run redraft as that user, or without -E";
}

Surrounding kept_in(const char* name, const std::optional<fs::path>& folder, const char* what) {
  if (!folder) return {name, "none: " + why_no_folder() + "; " + what, false};
  const fs::path own = *folder / "redraft";
  if (const Result<void> written = try_to_write(own); !written)
    return {name, "cannot be written: " + written.error().message() + "; " + what, false};
  return {name, own.string()};
}

Surrounding sharing() {
  const Result<fs::path> folder = private_runtime_folder();
  const std::string lost = "; each editor loads its own model";
  if (!folder) return {"sockets", "none: " + folder.error().message() + lost, false};
  if (const Result<void> written = try_to_write(*folder); !written)
    return {"sockets", "none: " + written.error().message() + lost, false};
  const char* const wanted = std::getenv("XDG_RUNTIME_DIR");
  const bool is_wanted = wanted != nullptr && *folder == fs::path(wanted) / "redraft";
  const bool is_given = wanted != nullptr && *wanted != '\0';
  return {"sockets",
          folder->string() + (is_given && !is_wanted ? " (XDG_RUNTIME_DIR is not usable)" : "")};
}

Surrounding watching() {
  const FileHandle instance(::inotify_init1(IN_CLOEXEC));
  if (instance) return {"changes", "the system reports changed files (inotify)"};
  const bool is_limit = errno == EMFILE;
  return {"changes",
          "the system does not report changed files" +
              std::string(is_limit ? " (the limit fs.inotify.max_user_instances is reached)" : "") +
              "; redraft searches for them periodically and finds them later",
          false};
}

Surrounding processes() {
  std::error_code problem;
  if (fs::exists("/proc/self/stat", problem)) return {"processes", "/proc is available"};
  return {"processes",
          "/proc is missing: redraft notices late that an editor has ended, and may not know the "
          "number "
          "of cores and the free memory",
          false};
}

}  // namespace

std::vector<Surrounding> surroundings() {
  return {
      kept_in("cache", user_cache_folder(),
              "indexes, the cost of passes and cached prompts are not kept; each start makes them "
              "again"),
      kept_in("state", user_state_folder(),
              "no log is kept, so no model is shared, and neither counts nor crashes are recorded"),
      sharing(), watching(), processes()};
}

}  // namespace redraft::cli
