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
#include <string>
#include <system_error>
#include <utility>

#include "support/files/mapped_file.h"
#include "support/files/whole_file.h"
#include "support/system_error.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "manifest";
constexpr const char* kLock = "lock";
constexpr std::string_view kSegmentEnding = ".segment";
constexpr int kTries = 5;  // to read what another process is replacing
// The number in a segment's file name; none for other names.
std::optional<std::uint64_t> number_of(const fs::path& file) {
  const std::string name = file.filename().string();
  if (!name.ends_with(kSegmentEnding)) return std::nullopt;
  std::uint64_t number = 0;
  const char* end = name.data() + name.size() - kSegmentEnding.size();
  const auto parsed = std::from_chars(name.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

}  // namespace

Result<StoreFolder> StoreFolder::open(fs::path folder, std::uint64_t key) {
  std::error_code problem;
  fs::create_directories(folder.parent_path(), problem);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return file_error(folder);
  if (::chmod(folder.c_str(), 0700) != 0) return file_error(folder);
  const fs::path lock_file = folder / kLock;
  FileHandle lock(::open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock) return file_error(lock_file);
  return StoreFolder(std::move(folder), key, std::move(lock));
}

bool StoreFolder::may_write() {
  if (!locked_) locked_ = ::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0;
  return locked_;
}

fs::path StoreFolder::segment_file(std::uint64_t number) const {
  return folder_ / (std::to_string(number) + std::string(kSegmentEnding));
}

Result<StoreFolder::Contents> StoreFolder::load() const {
  // The writer may replace the manifest and remove segments of the old one after we read it and
  // before we open them: then there is a newer manifest.
  Result<Contents> contents = Contents();
  for (int i = 0; i < kTries; ++i) {
    bool changed = false;
    contents = load_once(changed);
    if (contents || !changed) break;
  }
  return contents;
}

Result<StoreFolder::Contents> StoreFolder::load_once(bool& changed) const {
  const fs::path file = folder_ / kManifest;
  std::error_code problem;
  if (!fs::exists(file, problem) && !problem) return Contents();
  const Result<MappedFile> map = MappedFile::open(file);
  if (!map) return map.error();
  Result<StoreManifest> manifest = parse_manifest(std::as_bytes(map->bytes()), key_);
  if (!manifest) return manifest.error().in(file.string());
  Contents contents{std::move(*manifest), {}};
  for (const StoreManifest::Segment& listed : contents.manifest.segments) {
    Result<std::shared_ptr<const Segment>> segment =
        Segment::open(segment_file(listed.number), key_);
    if (segment && (*segment)->text_count() != listed.texts.size())
      segment = Error(segment_file(listed.number).string() + ": not the segment that was saved");
    if (!segment) {
      const Result<MappedFile> now = MappedFile::open(file);
      changed = !now || !std::ranges::equal(now->bytes(), map->bytes());
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
  const std::vector<std::byte> bytes = serialize(manifest, key_);
  const Result<void> saved = write_whole_file(folder_ / kManifest, {bytes});
  if (!saved) return saved;
  std::set<std::string> wanted = {kManifest, kLock};
  for (const StoreManifest::Segment& segment : manifest.segments)
    wanted.insert(segment_file(segment.number).filename());
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder_, problem)) {
    if (!wanted.contains(entry.path().filename())) ::unlink(entry.path().c_str());
  }
  return {};
}

}  // namespace redraft
