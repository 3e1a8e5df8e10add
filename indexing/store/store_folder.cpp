#include "indexing/store/store_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "support/files/private_folder.h"
#include "support/files/whole_file.h"
#include "support/system_error.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "manifest";
constexpr const char* kChanges = "changes";
constexpr const char* kRoots = "folders";
constexpr const char* kLock = "lock";
// The manifest is rewritten when the changes are longer than this, and longer than half of it.
constexpr std::uint64_t kMinChanges = 64 << 10;
constexpr std::string_view kSegmentEnding = ".segment";
constexpr int kTries = 5;  // to read files that another process is replacing

// The number in a segment's file name; nullopt for other names.
std::optional<std::uint64_t> number_of(const fs::path& file) {
  const std::string name = file.filename().string();
  if (!name.ends_with(kSegmentEnding)) return std::nullopt;
  std::uint64_t number = 0;
  const char* end = name.data() + name.size() - kSegmentEnding.size();
  const auto parsed = std::from_chars(name.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

// A copy, because the writer may truncate or extend a mapped file.
Result<std::vector<std::byte>> bytes_of(const fs::path& file) {
  const FileHandle handle(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (!handle || ::fstat(handle.get(), &status) != 0) return file_error(file);
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t count = ::read(handle.get(), bytes.data() + at, bytes.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error(file);
    if (count == 0) break;
    at += static_cast<std::size_t>(count);
  }
  bytes.resize(at);
  return bytes;
}

// The checksum of a manifest.
std::uint64_t checksum_at_end(std::span<const std::byte> manifest) {
  std::uint64_t sum = 0;
  std::memcpy(&sum, manifest.last(sizeof sum).data(), sizeof sum);
  return sum;
}

// Whether everything reached the disk. After a failure, a part of it may have.
bool append_to_file(const fs::path& file, std::uint64_t size, std::span<const std::byte> bytes) {
  const FileHandle handle(::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (!handle || ::fstat(handle.get(), &status) != 0 ||
      static_cast<std::uint64_t>(status.st_size) != size)
    return false;
  while (!bytes.empty()) {
    const ssize_t written = ::write(handle.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return ::fdatasync(handle.get()) == 0;
}

// The lock file's time records when the store was last used.
void note_use(const FileHandle& lock) { (void)::futimens(lock.get(), nullptr); }

std::vector<std::string> read_roots(const fs::path& folder) {
  std::vector<std::string> roots;
  const Result<std::vector<std::byte>> bytes = bytes_of(folder / kRoots);
  if (!bytes) return roots;
  std::string_view rest(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  for (std::size_t end = 0; (end = rest.find('\0')) != std::string_view::npos;) {
    roots.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  return roots;
}

// Each path ends with a zero byte, which no path contains. A store without this file can be used
// all the same.
void note_roots(const fs::path& folder, const std::vector<std::string>& roots) {
  if (roots.empty() || read_roots(folder) == roots) return;
  std::string all;
  for (const std::string& root : roots) all += root + '\0';
  [[maybe_unused]] const Result<void> noted =
      write_whole_file(folder / kRoots, {std::as_bytes(std::span(all))});
}

// All files of a store except the lock file. NewFile leaves hidden files if its process is killed.
bool is_of_store(const fs::path& file) {
  const std::string name = file.filename().string();
  return name == kManifest || name == kChanges || name == kRoots || name.starts_with('.') ||
         number_of(file).has_value();
}

}  // namespace

Result<StoreFolder> StoreFolder::open(fs::path folder, std::uint64_t key,
                                      const std::vector<std::string>& roots) {
  if (const Result<void> made = make_folders(folder); !made)
    return made.error().in(folder.string());
  // A confined process may not change modes, and seldom has to.
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0 ||
      ((status.st_mode & 07777) != 0700 && ::chmod(folder.c_str(), 0700) != 0))
    return file_error(folder);
  const fs::path lock_file = folder / kLock;
  FileHandle lock =
      FileHandle::open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (!lock) return file_error(lock_file);
  note_use(lock);
  note_roots(folder, roots);
  return StoreFolder(std::move(folder), key, std::move(lock));
}

std::optional<StoreFolder::Kept> StoreFolder::kept(const fs::path& folder) {
  std::error_code problem;
  const fs::file_time_type used = fs::last_write_time(folder / kLock, problem);
  if (problem) return std::nullopt;
  Kept kept{.roots = read_roots(folder), .used = used};
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    std::error_code unknown;
    const std::uintmax_t size = entry.is_regular_file(unknown) ? entry.file_size(unknown) : 0;
    if (!unknown) kept.bytes += size;
  }
  return kept;
}

// The lock file goes last: a half-removed folder is still a store, to be removed next time.
bool StoreFolder::remove(const fs::path& folder) {
  const FileHandle lock(::open((folder / kLock).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return false;
  ::unlink((folder / kManifest).c_str());
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    if (is_of_store(entry.path())) ::unlink(entry.path().c_str());
  }
  const bool removed = ::unlink((folder / kLock).c_str()) == 0;
  ::rmdir(folder.c_str());
  return removed;
}

bool StoreFolder::may_write() {
  if (!locked_) locked_ = ::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0;
  return locked_;
}

fs::path StoreFolder::segment_file(std::uint64_t number) const {
  return folder_ / (std::to_string(number) + std::string(kSegmentEnding));
}

Result<StoreFolder::Contents> StoreFolder::load(const std::function<void()>& on_manifest) const {
  // The writer may replace the manifest and remove segments of the old one between our reading and
  // opening them. Then there is a newer manifest to read.
  Result<Contents> contents = Contents();
  for (int i = 0; i < kTries; ++i) {
    bool changed = false;
    contents = load_once(on_manifest, changed);
    if (contents || !changed) break;
  }
  return contents;
}

Result<StoreFolder::Files> StoreFolder::read_files() const {
  const fs::path file = folder_ / kManifest;
  Result<std::vector<std::byte>> manifest = bytes_of(file);
  if (!manifest) return manifest.error();
  Result<StoreManifest> parsed = parse_manifest(*manifest, key_);
  if (!parsed) return parsed.error().in(file.string());
  Files files{.manifest = std::move(*parsed), .bytes = std::move(*manifest)};
  files.manifest_bytes = files.bytes.size();
  files.manifest_checksum = checksum_at_end(files.bytes);
  const Result<std::vector<std::byte>> changes = bytes_of(folder_ / kChanges);
  if (!changes) return files;  // none, as after most saves
  files.changes_bytes = apply_changes(*changes, key_, files.manifest_checksum, files.manifest);
  files.is_whole = files.changes_bytes == changes->size();
  files.bytes.insert(files.bytes.end(), changes->begin(), changes->end());
  return files;
}

Result<StoreFolder::Contents> StoreFolder::load_once(const std::function<void()>& on_manifest,
                                                     bool& changed) const {
  std::error_code problem;
  if (!fs::exists(folder_ / kManifest, problem) && !problem) return Contents();
  Result<Files> files = read_files();
  if (!files) return files.error();
  if (on_manifest) on_manifest();
  Contents contents{std::move(files->manifest), {}};
  for (const StoreManifest::Segment& listed : contents.manifest.segments) {
    Result<std::shared_ptr<const Segment>> segment =
        Segment::open(segment_file(listed.number), key_);
    if (segment && (*segment)->text_count() != listed.texts.size())
      segment = Error(segment_file(listed.number).string() + ": not the segment that was saved");
    if (!segment) {
      const Result<Files> now = read_files();
      changed = !now || now->bytes != files->bytes;
      return segment.error();
    }
    contents.segments.push_back(std::move(*segment));
  }
  return contents;
}

std::uint64_t StoreFolder::unused_number() const {
  std::uint64_t highest = last_number_;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder_, problem))
    highest = std::max(highest, number_of(entry.path()).value_or(0));
  return highest + 1;
}

Result<StoreFolder::Written> StoreFolder::write(const Segment& segment) {
  last_number_ = unused_number();
  const fs::path file = segment_file(last_number_);
  if (const Result<void> written = segment.write(file, key_); !written) return written.error();
  Result<std::shared_ptr<const Segment>> opened = Segment::open(file, key_);
  if (!opened) return opened.error();
  return Written{last_number_, std::move(*opened)};
}

Result<void> StoreFolder::save(const StoreManifest& manifest) {
  if (!append_changes(manifest)) {
    if (Result<void> written = write_manifest(manifest); !written) return written;
  }
  remove_others(manifest);
  note_use(lock_);
  return {};
}

// The state that another process wrote while it had the lock, or this one before it had it.
std::optional<StoreFolder::Saved> StoreFolder::read_saved() const {
  const Result<Files> files = read_files();
  if (!files || !files->is_whole) return std::nullopt;
  return Saved{SavedState(files->manifest), files->manifest_bytes, files->manifest_checksum,
               files->changes_bytes};
}

bool StoreFolder::append_changes(const StoreManifest& manifest) {
  std::optional<Saved> saved = std::exchange(saved_, std::nullopt);
  if (!saved) saved = read_saved();
  if (!saved) return false;
  const std::optional<std::vector<std::byte>> record = saved->state.advance_to(manifest);
  const std::uint64_t room = std::max(kMinChanges, saved->manifest_bytes / 2);
  if (!record || saved->changes_bytes + record->size() > room) return false;
  if (record->empty()) {
    saved_ = std::move(saved);
    return true;
  }
  const fs::path file = folder_ / kChanges;
  if (saved->changes_bytes == 0) {
    const std::vector<std::byte> header = changes_header(key_, saved->manifest_checksum);
    if (!write_whole_file(file, {header, *record})) return false;
    saved->changes_bytes = header.size();
  } else if (!append_to_file(file, saved->changes_bytes, *record)) {
    return false;
  }
  saved->changes_bytes += record->size();
  saved_ = std::move(saved);
  return true;
}

Result<void> StoreFolder::write_manifest(const StoreManifest& manifest) {
  const std::vector<std::byte> bytes = serialize(manifest, key_);
  if (Result<void> written = write_whole_file(folder_ / kManifest, {bytes}); !written)
    return written;
  // Earlier changes do not apply to this manifest.
  ::unlink((folder_ / kChanges).c_str());
  saved_ = {.state = SavedState(manifest),
            .manifest_bytes = bytes.size(),
            .manifest_checksum = checksum_at_end(bytes)};
  return {};
}

void StoreFolder::remove_others(const StoreManifest& manifest) const {
  std::set<std::string> wanted = {kManifest, kChanges, kRoots, kLock};
  for (const StoreManifest::Segment& segment : manifest.segments)
    wanted.insert(segment_file(segment.number).filename());
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder_, problem)) {
    if (!wanted.contains(entry.path().filename())) ::unlink(entry.path().c_str());
  }
}

}  // namespace redraft
