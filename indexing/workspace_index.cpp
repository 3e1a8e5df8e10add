#include "indexing/workspace_index.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "indexing/text_definitions.h"
#include "languages/languages.h"
#include "support/named_thread.h"
#include "support/seconds_since.h"
#include "support/system/background.h"
#include "support/system/crash_notes.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// While many files are read, this many tokens make one segment. Each thread holds as many, and
// building the segment takes 17 bytes for each of them.
constexpr std::size_t kBatchTokens = TextStore::kMaxSegmentTokens / 4;

FileStamp stamp_of(const SourceFile& file) { return {file.size, file.modified, file.inode}; }

fs::path canonical_path(const fs::path& path) {
  std::error_code problem;
  fs::path found = fs::weakly_canonical(path, problem);
  return problem ? path : found;
}

}  // namespace

// Files on their way into the store, read by several threads.
class WorkspaceIndex::Reading {
 public:
  Reading(WorkspaceIndex& index, const std::vector<SourceFile>& files, const OnProgress& progress,
          const std::stop_token& stop)
      : index_(index), files_(files), on_progress_(progress), stop_(stop) {
    progress_.all_files = files.size();
    for (const SourceFile& file : files) progress_.all_bytes += file.size;
  }

  void run() {
    std::vector<TextStore::Text> batch;
    std::size_t tokens = 0;
    for (std::size_t i = next_++; i < files_.size() && !stop_.stop_requested(); i = next_++) {
      const SourceFile& file = files_[i];
      // The form that most editors use for file URIs.
      const AtWork work({.document = work_key("file://" + index_.name_of(file)), .kind = "index"});
      const Result<std::string> text = read(file);
      done(file, text.operator bool());
      if (!text) {
        index_.store_->erase(std::vector{index_.name_of(file)});
        continue;
      }
      TextStore::Text taken{index_.name_of(file), stamp_of(file), index_.tokenizer_->encode(*text),
                            stored_definitions(*text, file.language, {.stop = stop_})};
      // The text may lack its definitions then, and its stamp would prevent reading it again.
      if (stop_.stop_requested()) break;
      batch.push_back(std::move(taken));
      tokens += batch.back().tokens.size() + 1;
      if (tokens < kBatchTokens) continue;
      index_.put(std::exchange(batch, {}));
      tokens = 0;
      // Saves now so that texts do not pile up in memory; the last save reports problems.
      [[maybe_unused]] const Result<void> saved = index_.store_->save();
    }
    index_.put(std::move(batch));
  }

  std::size_t refused() const { return refused_; }
  const IndexProgress& progress() const { return progress_; }

 private:
  Result<std::string> read(const SourceFile& file) const {
    if (crashes_at(AtWork::here().document) >= kTooManyCrashes)
      return Error("it is skipped because redraft crashed while reading it");
    return read_source(index_.roots_[file.root_idx], file.path);
  }

  void done(const SourceFile& file, bool read) {
    const std::lock_guard lock(mutex_);
    ++progress_.files;
    progress_.bytes += file.size;
    if (!read) ++refused_;
    if (on_progress_) on_progress_(progress_);
  }

  WorkspaceIndex& index_;
  const std::vector<SourceFile>& files_;
  const OnProgress& on_progress_;
  const std::stop_token& stop_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  IndexProgress progress_;
  std::size_t refused_ = 0;
};

WorkspaceIndex::WorkspaceIndex(std::span<const fs::path> roots,
                               std::shared_ptr<const Tokenizer> tokenizer,
                               std::unique_ptr<TextStore> store, IndexOptions options)
    : tokenizer_(std::move(tokenizer)), store_(std::move(store)), options_(std::move(options)) {
  for (const fs::path& root : roots) roots_.push_back(canonical_path(root));
}

std::string WorkspaceIndex::name_of(const SourceFile& file) const {
  return (roots_[file.root_idx] / file.path).string();
}

bool WorkspaceIndex::is_open(const std::string& name) const {
  const std::lock_guard lock(buffers_mutex_);
  return buffers_.contains(name);
}

void WorkspaceIndex::note(const SourceFile& file, Look& look) const {
  std::string name = name_of(file);
  if (store_->stamp(name) != stamp_of(file) && !is_open(name)) look.changed.push_back(file);
  look.seen.insert(std::move(name));
}

std::size_t WorkspaceIndex::forget_unseen(std::vector<std::string> names, const Look& look) {
  std::erase_if(names, [&](const std::string& name) { return look.seen.contains(name); });
  store_->erase(names);
  return names.size();
}

RefreshReport WorkspaceIndex::refresh(const OnProgress& progress, std::stop_token stop) {
  const std::lock_guard refreshing(refreshing_);
  const auto start = Clock::now();
  RefreshReport report;
  Look look;
  std::uint64_t bytes = 0;
  const ScanSink sink{.on_file = [&](const SourceFile& file) {
    bytes += file.size;
    if (bytes > options_.max_bytes) {
      ++report.left_out;
      return true;
    }
    ++report.languages[std::string(file.language)];
    note(file, look);
    return true;
  }};
  report.scan = scan_roots(roots_, options_.scan, sink, stop);
  if (!stop.stop_requested()) report.removed = forget_unseen(store_->names(), look);
  read(look.changed, progress, stop, report);
  report.seconds = seconds_since(start);
  return report;
}

void WorkspaceIndex::read(const std::vector<SourceFile>& files, const OnProgress& progress,
                          const std::stop_token& stop, RefreshReport& report) {
  Reading reading(*this, files, progress, stop);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < options_.threads; ++i) {
      threads.push_back(start_thread(ThreadName("redraft-read", i), [&] {
        if (options_.background) yield_to_others();
        reading.run();
      }));
    }
  }
  report.refused = reading.refused();
  report.read = reading.progress().files - report.refused;
  report.read_bytes = reading.progress().bytes;
}

void WorkspaceIndex::refresh_place(const fs::path& path) {
  const std::lock_guard refreshing(refreshing_);
  const fs::path place = canonical_path(path);
  Look look;
  const ScanSink sink{.on_file = [&](const SourceFile& file) {
    note(file, look);
    return true;
  }};
  bool ours = false;
  for (std::size_t root = 0; root < roots_.size(); ++root) {
    const fs::path relative = place.lexically_relative(roots_[root]);
    if (relative.empty() || *relative.begin() == "..") continue;
    ours = true;
    scan_place(roots_, root, relative == "." ? "" : relative.string(), options_.scan, sink);
  }
  if (!ours) return;
  forget_unseen(store_->names_at(place.string()), look);
  const OnProgress nobody;
  const std::stop_token never;
  Reading(*this, look.changed, nobody, never).run();
}

// A buffer that was opened while its file was read takes precedence.
void WorkspaceIndex::put(std::vector<TextStore::Text> texts) {
  if (texts.empty()) return;
  std::vector<std::string> names;
  for (const TextStore::Text& text : texts) names.push_back(text.name);
  store_->put(std::move(texts));
  const std::lock_guard lock(buffers_mutex_);
  for (const std::string& name : names) {
    const auto buffer = buffers_.find(name);
    if (buffer != buffers_.end())
      store_->put({{name, {}, buffer->second.tokens, buffer->second.definitions}});
  }
}

void WorkspaceIndex::set_buffer(const fs::path& path, std::string_view text) {
  const std::string name = canonical_path(path).string();
  if (!store_->stamp(name)) return;
  // A buffer larger than the limit for files is indexed as empty.
  if (text.size() > options_.scan.max_bytes) text = {};
  Buffer buffer{.tokens = tokenizer_->encode(text), .definitions = {}, .tree = tree_of(name)};
  const auto shared = std::make_shared<const std::string>(text);
  buffer.tree =
      buffer.tree ? buffer.tree->edited(shared) : SyntaxTree::parse(shared, language_of(name));
  if (buffer.tree) buffer.definitions = stored_definitions(*buffer.tree);
  const std::lock_guard lock(buffers_mutex_);
  store_->put({{name, {}, buffer.tokens, buffer.definitions}});
  buffers_[name] = std::move(buffer);
}

std::optional<SyntaxTree> WorkspaceIndex::tree_of(const std::string& buffer) const {
  const std::lock_guard lock(buffers_mutex_);
  const auto found = buffers_.find(buffer);
  return found == buffers_.end() ? std::nullopt : found->second.tree;
}

void WorkspaceIndex::close_buffer(const fs::path& path) {
  const std::lock_guard lock(buffers_mutex_);
  buffers_.erase(canonical_path(path).string());
}

std::shared_ptr<const IndexSnapshot> WorkspaceIndex::snapshot(const fs::path& without) const {
  return store_->snapshot(without.empty() ? std::string() : canonical_path(without).string());
}

}  // namespace redraft
