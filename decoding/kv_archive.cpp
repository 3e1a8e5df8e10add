#include "decoding/kv_archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "indexing/store/checksum.h"
#include "support/files/file_handle.h"
#include "support/files/file_times.h"
#include "support/files/private_folder.h"
#include "support/files/user_folders.h"
#include "support/files/whole_file.h"
#include "support/system_error.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".kv";
constexpr std::size_t kDigits = 16;
// Writing a file takes seconds at most. An older unfinished file was left by a process that was
// killed.
constexpr std::time_t kMaxUnfinishedSeconds = 3600;

bool is_entry_name(std::string_view name) {
  return name.size() == kDigits + kEnding.size() && name.ends_with(kEnding) &&
         name.find_first_not_of("0123456789abcdef") == kDigits;
}

// Matches the temporary names that NewFile gives to unfinished entries.
bool is_unfinished_name(std::string_view name) {
  return name.size() > 1 + kDigits + kEnding.size() && name.front() == '.' &&
         is_entry_name(name.substr(1, kDigits + kEnding.size()));
}

std::string name_of(const KvEntryHead& head) {
  KvEntryHead named = head;
  named.source.clear();
  char digits[kDigits + 1];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(checksum(KvEntry::write_head(named))));
  return digits + std::string(kEnding);
}

// A regular file opened for reading.
struct OpenFile {
  FileHandle handle;
  struct stat status {};

  ReadFileAt reader() const {
    return [descriptor = handle.get()](std::uint64_t offset, std::span<std::byte> out) {
      while (!out.empty()) {
        const ssize_t n = ::pread(descriptor, out.data(), out.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        out = out.subspan(static_cast<std::size_t>(n));
        offset += static_cast<std::uint64_t>(n);
      }
      return true;
    };
  }
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(status.st_size); }
  Result<KvEntryHead> head() const { return KvEntry::read_head(reader(), bytes()); }
};

// nullopt if it has vanished or cannot be opened. Removes anything that cannot be an entry: a link,
// a pipe.
std::optional<OpenFile> open_file(const fs::path& file) {
  OpenFile opened{
      .handle = FileHandle::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  const bool is_link = !opened.handle && errno == ELOOP;
  const bool is_other = opened.handle && (::fstat(opened.handle.get(), &opened.status) != 0 ||
                                          !S_ISREG(opened.status.st_mode));
  if (is_link || is_other) ::unlink(file.c_str());
  if (!opened.handle || is_other) return std::nullopt;
  return opened;
}

struct FoundFile {
  std::string name;
  struct stat status;
};

// The files of the folder whose name `wanted` accepts.
std::vector<FoundFile> files_in(const fs::path& folder, bool (*wanted)(std::string_view)) {
  std::vector<FoundFile> files;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    FoundFile found{.name = entry->path().filename().string(), .status = {}};
    if (wanted(found.name) && ::lstat(entry->path().c_str(), &found.status) == 0)
      files.push_back(std::move(found));
  }
  return files;
}

std::uint64_t state_bytes(const KvStorage& storage) {
  return storage.state() ? storage.state()->bytes() : 0;
}

bool write_checked(NewFile& file, std::span<const std::byte> bytes) {
  const std::uint64_t sum = checksum(bytes);
  return file.write(bytes) && file.write(std::as_bytes(std::span(&sum, 1)));
}

int common_beginning(std::span<const TokenId> a, std::span<const TokenId> b) {
  return static_cast<int>(std::ranges::mismatch(a, b).in1 - a.begin());
}

bool is_in(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// The path as written, and with all links followed.
std::vector<fs::path> spellings(const fs::path& path) {
  std::error_code problem;
  std::vector<fs::path> all = {(fs::absolute(path, problem) / "").lexically_normal()};
  const fs::path followed = fs::weakly_canonical(path, problem);
  if (!problem) all.push_back((followed / "").lexically_normal());
  return all;
}

bool is_in_any_spelling(const std::string& source, const std::vector<fs::path>& folders) {
  if (source.empty()) return false;
  for (const fs::path& file : spellings(source)) {
    for (const fs::path& folder : folders) {
      if (is_in(file, folder)) return true;
    }
  }
  return false;
}

}  // namespace

Result<KvArchive> KvArchive::open(fs::path folder, Key key, std::uint64_t budget) {
  if (const Result<void> made = make_private_folder(folder); !made) return made.error();
  return KvArchive(std::move(folder), std::move(key), budget);
}

fs::path KvArchive::default_folder() {
  const std::optional<fs::path> cache = user_cache_folder();
  return cache ? *cache / "redraft" / "kv" : fs::path();
}

KvArchive::Match KvArchive::find(std::span<const TokenId> tokens) {
  scan();
  Match match;
  for (const auto& [name, known] : known_) {
    if (!known.ours) continue;
    const int length = common_beginning(tokens, known.head.tokens);
    if (known.head.state_bytes > 0 && length < std::ssize(known.head.tokens)) continue;
    if (length > match.length) match = {name, length};
  }
  return match;
}

void KvArchive::scan() {
  std::set<std::string> seen;
  for (const FoundFile& file : files_in(folder_, is_entry_name)) {
    const auto known = known_.find(file.name);
    const bool same = known != known_.end() && known->second.inode == file.status.st_ino &&
                      known->second.bytes == static_cast<std::uint64_t>(file.status.st_size);
    if (!same) learn(file.name);
    seen.insert(file.name);
  }
  std::erase_if(known_, [&](const auto& entry) { return !seen.contains(entry.first); });
}

void KvArchive::learn(const std::string& name) {
  known_.erase(name);
  const std::optional<OpenFile> file = open_file(folder_ / name);
  if (!file) return;
  Result<KvEntryHead> head = file->head();
  if (!head || head->build != key_.build) {
    ::unlink((folder_ / name).c_str());
    return;
  }
  Known known{.inode = file->status.st_ino,
              .bytes = file->bytes(),
              .ours = head->model == key_.model,
              .head = {}};
  if (known.ours) known.head = std::move(*head);
  known_.emplace(name, std::move(known));
}

bool KvArchive::load(const Match& match, std::span<const TokenId> tokens, KvStorage& storage,
                     const std::function<bool()>& go_on) {
  const fs::path path = folder_ / match.name;
  const std::optional<OpenFile> file = open_file(path);
  if (!file) return false;
  const Result<KvEntryHead> head = file->head();
  const auto damaged = [&] {
    ::unlink(path.c_str());
    known_.erase(match.name);
    return false;
  };
  if (!head) return damaged();
  // Another process may have written a different entry under this name since.
  if (head->model != key_.model || head->build != key_.build ||
      common_beginning(tokens, head->tokens) < match.length ||
      head->slot_bytes != storage.bytes_per_slot() || head->state_bytes != state_bytes(storage) ||
      (head->state_bytes > 0 && match.length != std::ssize(head->tokens)))
    return false;
  std::vector<std::byte> rows;
  for (int first = 0; first < match.length; first += KvEntry::kSlots) {
    if (go_on && !go_on()) return false;
    if (!KvEntry::read_block(file->reader(), *head, first / KvEntry::kSlots, rows))
      return damaged();
    const auto slots = static_cast<std::size_t>(std::min(match.length - first, KvEntry::kSlots));
    const auto wanted = std::min(rows.size(), slots * static_cast<std::size_t>(head->slot_bytes));
    storage.copy_slots_in(first, std::span(rows).first(wanted));
  }
  if (head->state_bytes > 0) {
    if (!KvEntry::read_state(file->reader(), *head, rows)) return damaged();
    storage.state()->copy_in(match.length, rows);
  }
  ::futimens(file->handle.get(), nullptr);
  return true;
}

Result<void> KvArchive::save(std::span<const TokenId> tokens, const std::string& source, int slack,
                             const std::function<const KvStorage*()>& storage) {
  const KvStorage* const rows = storage();
  if (rows && rows->state() && tokens.size() > KvEntry::kMaxTokens) return {};
  tokens = tokens.first(std::min<std::size_t>(tokens.size(), KvEntry::kMaxTokens));
  const KvEntryHead head{.model = key_.model,
                         .build = key_.build,
                         .source = source,
                         .tokens = {tokens.begin(), tokens.end()},
                         .slot_bytes = rows ? rows->bytes_per_slot() : 0,
                         .state_bytes = rows ? state_bytes(*rows) : 0};
  if (!KvEntry::fits(head) || head.file_bytes() > budget_) return {};
  if (const Match match = find(tokens);
      match.length > 0 && match.length + slack >= static_cast<int>(tokens.size())) {
    ::utimensat(AT_FDCWD, (folder_ / match.name).c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
    return {};
  }
  const std::string name = name_of(head);
  const Result<bool> written = write(head, name, storage);
  if (!written) return written.error();
  if (!*written) return {};
  learn(name);
  remove_replaced(head, name, slack);
  keep_budget(name);
  return {};
}

// Does not sync to the disk: that would take longer than everything else, and after a power failure
// the checksums detect missing data. False: cancelled.
Result<bool> KvArchive::write(const KvEntryHead& head, const std::string& name,
                              const std::function<const KvStorage*()>& storage) const {
  if (const Result<void> made = make_private_folder(folder_); !made) return made.error();
  NewFile file(folder_ / name);
  bool whole = file.is_open() && file.write(KvEntry::write_head(head));
  std::vector<std::byte> rows;
  for (int block = 0; whole && block < KvEntry::block_count(head); ++block) {
    const KvStorage* const from = storage();
    if (from == nullptr || from->bytes_per_slot() != head.slot_bytes) return false;
    rows.resize(static_cast<std::size_t>(KvEntry::slots_of_block(head, block)) * head.slot_bytes);
    from->copy_slots_out(block * KvEntry::kSlots, rows);
    whole = write_checked(file, rows);
  }
  if (whole && head.state_bytes > 0) {
    const KvStorage* const from = storage();
    if (from == nullptr || state_bytes(*from) != head.state_bytes) return false;
    rows.resize(static_cast<std::size_t>(head.state_bytes));
    from->state()->copy_out(static_cast<int>(head.tokens.size()), rows);
    whole = write_checked(file, rows);
  }
  if (!whole || !file.rename_unsynced_to(folder_ / name))
    return file_error(folder_ / name, "cannot be written");
  return true;
}

void KvArchive::remove_replaced(const KvEntryHead& by, const std::string& name, int slack) {
  if (by.state_bytes > 0) return;  // it cannot be loaded in part
  std::erase_if(known_, [&](const auto& entry) {
    const auto& [other, known] = entry;
    if (other == name || !known.ours || known.head.source != by.source || by.source.empty())
      return false;
    const int own =
        static_cast<int>(known.head.tokens.size()) - common_beginning(by.tokens, known.head.tokens);
    return own <= slack && ::unlink((folder_ / other).c_str()) == 0;
  });
}

void KvArchive::keep_budget(const std::string& newest) const {
  const std::time_t now = std::time(nullptr);
  for (const FoundFile& file : files_in(folder_, is_unfinished_name)) {
    if (now - file.status.st_mtime > kMaxUnfinishedSeconds) ::unlink((folder_ / file.name).c_str());
  }
  std::vector<FoundFile> files = files_in(folder_, is_entry_name);
  std::ranges::sort(files, {}, [](const FoundFile& file) { return modified_at(file.status); });
  std::uint64_t total = 0;
  for (const FoundFile& file : files) total += static_cast<std::uint64_t>(file.status.st_size);
  for (const FoundFile& file : files) {
    if (total <= budget_) break;
    if (file.name == newest) continue;
    ::unlink((folder_ / file.name).c_str());
    total -= static_cast<std::uint64_t>(file.status.st_size);
  }
}

std::vector<KvArchive::Listed> KvArchive::list(const fs::path& folder) {
  std::vector<Listed> all;
  for (const FoundFile& found : files_in(folder, is_entry_name)) {
    const std::optional<OpenFile> file = open_file(folder / found.name);
    if (!file) continue;
    const Result<KvEntryHead> head = file->head();
    all.push_back({.file = folder / found.name,
                   .source = head ? head->source : std::string(),
                   .tokens = head ? static_cast<int>(head->tokens.size()) : 0,
                   .bytes = file->bytes(),
                   .used = file->status.st_mtime});
  }
  std::ranges::sort(all, std::greater(), &Listed::used);
  return all;
}

int KvArchive::clear(const fs::path& folder) {
  int removed = 0;
  for (const FoundFile& file : files_in(folder, is_entry_name))
    removed += ::unlink((folder / file.name).c_str()) == 0 ? 1 : 0;
  for (const FoundFile& file : files_in(folder, is_unfinished_name))
    ::unlink((folder / file.name).c_str());
  return removed;
}

int KvArchive::forget(const fs::path& folder, const fs::path& within) {
  const std::vector<fs::path> folders = spellings(within);
  int removed = 0;
  for (const Listed& entry : list(folder)) {
    if (is_in_any_spelling(entry.source, folders))
      removed += ::unlink(entry.file.c_str()) == 0 ? 1 : 0;
  }
  return removed;
}

}  // namespace redraft
