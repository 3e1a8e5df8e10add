#include "tuning/data/git_pairs.h"

#include <algorithm>

#include "indexing/files/file_kind.h"
#include "languages/languages.h"
#include "tuning/data/commit_message.h"

namespace redraft {

namespace {

constexpr std::size_t kBatch = 64;  // commits per run of git
constexpr std::size_t kMaxFileBytes = 256 << 10;
constexpr std::size_t kHashShown = 12;

struct Candidate {
  const CommitChange* change;
  const ChangedFile* file;
};

}  // namespace

bool is_source_to_learn(std::string_view path) {
  const Language* const language = find_language(language_of(path));
  if (language == nullptr || !language->has_grammar() || !language->is_code()) return false;
  if (path.find("test") != path.npos) return false;
  if (forbidden_name(path, false)) return false;
  for (std::size_t end = path.find('/'); end != path.npos; end = path.find('/', end + 1))
    if (forbidden_name(path.substr(0, end), true) || unwanted_name(path.substr(0, end), true))
      return false;
  return !unwanted_name(path, false);
}

Result<GitPairs> GitPairs::open(GitRepository repository, std::string licence) {
  Result<std::vector<std::string>> commits = repository.commits();
  if (!commits) return commits.error();
  return GitPairs(std::move(repository), std::move(licence), *std::move(commits));
}

Result<std::optional<EditPair>> GitPairs::next() {
  while (ready_.empty()) {
    if (at_ == commits_.size()) return std::optional<EditPair>();
    if (const Result<void> read = read_more(); !read) return read.error();
  }
  std::optional<EditPair> pair = std::move(ready_.front());
  ready_.pop_front();
  return pair;
}

Result<void> GitPairs::read_more() {
  const std::size_t end = std::min(at_ + kBatch, commits_.size());
  const std::vector<std::string> batch(commits_.begin() + static_cast<std::ptrdiff_t>(at_),
                                       commits_.begin() + static_cast<std::ptrdiff_t>(end));
  at_ = end;
  const Result<std::vector<CommitChange>> changes = repository_.changes(batch);
  if (!changes) return changes.error();
  std::vector<Candidate> candidates;
  std::vector<std::string> objects;
  for (const CommitChange& change : *changes) {
    const auto is_code = [](const ChangedFile& file) { return is_source_to_learn(file.path); };
    const auto count = std::count_if(change.files.begin(), change.files.end(), is_code);
    if (change.others || count != 1) {
      ++skipped["commits that do not change exactly one source file"];
      continue;
    }
    const auto file = std::find_if(change.files.begin(), change.files.end(), is_code);
    candidates.push_back({&change, &*file});
    objects.insert(objects.end(), {change.commit, file->before, file->after});
  }
  Result<std::vector<std::optional<std::string>>> read =
      repository_.contents(objects, kMaxFileBytes);
  if (!read) return read.error();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::optional<std::string>* texts = read->data() + 3 * i;
    if (!texts[0] || !texts[1] || !texts[2]) {
      ++skipped["files that are too large"];
      continue;
    }
    std::optional<std::string> instruction = instruction_of(GitRepository::message_of(*texts[0]));
    if (!instruction) {
      ++skipped["commits whose message is no instruction"];
      continue;
    }
    const ChangedFile& file = *candidates[i].file;
    ready_.push_back({.instruction = *std::move(instruction),
                      .path = file.path,
                      .before = *std::move(texts[1]),
                      .after = *std::move(texts[2]),
                      .source = repository_.name() + " " +
                                candidates[i].change->commit.substr(0, kHashShown) + " " +
                                file.path,
                      .licence = licence_});
  }
  return {};
}

}  // namespace redraft
