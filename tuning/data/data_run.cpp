// Two files grow together: first an example is written, then the line that marks its pair as done.
// If the process ends between the two, or within a line, the next run drops the incomplete part: an
// unfinished line of the progress, and examples that the progress does not count.
#include "tuning/data/data_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "support/files/file_handle.h"
#include "support/json/json_document.h"
#include "tuning/data/licences.h"
#include "tuning/data/other_pairs.h"

namespace redraft {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxBytes = std::size_t{16} << 30;
constexpr JsonLimits kLineLimits = {.bytes = std::size_t{1} << 20, .values = 64, .depth = 4};

class AppendedFile {
 public:
  // Keeps the first `size` bytes of an existing file.
  static Result<AppendedFile> open(const fs::path& path, std::size_t size) {
    AppendedFile file;
    file.path_ = path;
    file.handle_ =
        FileHandle(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0666));
    if (!file.handle_ || ::ftruncate(file.handle_.get(), static_cast<off_t>(size)) != 0)
      return file.problem();
    return file;
  }
  Result<void> add(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(handle_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return problem();
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  }

 private:
  Error problem() const { return Error(path_.string() + ": " + std::strerror(errno)); }
  fs::path path_;
  FileHandle handle_;
};

struct Verdict {
  std::string source;
  LeftOutReason skipped;  // empty: kept
};

std::string to_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// A source as it will be read back: invalid UTF-8 is replaced when it is written.
std::string readable(const std::string& source) {
  return nlohmann::ordered_json::parse(to_line(source)).get<std::string>();
}

// Calls `take` with each complete line of a file and returns their total size in bytes. A missing
// file has none.
Result<std::size_t> for_lines(const fs::path& file,
                              const std::function<Result<bool>(std::string_view)>& take) {
  std::error_code problem;
  if (!fs::exists(file, problem)) return std::size_t{0};
  const Result<std::string> text = read_text_file(file, kMaxBytes);
  if (!text) return text.error();
  std::size_t at = 0;
  for (std::size_t end = text->find('\n'); end != text->npos; end = text->find('\n', at)) {
    const Result<bool> taken = take(std::string_view(*text).substr(at, end - at));
    if (!taken) return taken.error();
    if (!*taken) break;
    at = end + 1;
  }
  return at;
}

Result<Verdict> parse_verdict(const fs::path& file, std::string_view line) {
  const Result<JsonDocument> parsed = JsonDocument::parse(file.string(), line, kLineLimits);
  if (!parsed) return parsed.error();
  Verdict verdict;
  for (const auto& [key, into] :
       {std::pair{"source", &verdict.source}, std::pair{"skipped", &verdict.skipped}}) {
    const Result<JsonValue> value = parsed->root().at(key);
    if (!value) return value.error();
    const Result<std::string_view> text = value->text();
    if (!text) return text.error();
    *into = *text;
  }
  return verdict;
}

// The code of an example's answer, without the last line, which is the fence.
std::string_view answer_of(const TuningExample& example) {
  return std::string_view(example.target).substr(0, example.target.rfind('\n') + 1);
}

class Runner {
 public:
  Runner(const DataRun& run, const SimilarTexts& excluded) : run_(run), excluded_(excluded) {}

  Result<void> open() {
    const fs::path progress = run_.out.string() + ".progress";
    std::error_code problem;
    if (fs::exists(run_.out, problem) && !fs::exists(progress, problem))
      return Error(run_.out.string() +
                   ": already exists, and not from an unfinished run; choose "
                   "another file");
    const Result<std::size_t> done =
        for_lines(progress, [&](std::string_view line) { return take_verdict(progress, line); });
    if (!done) return done.error();
    const Result<std::size_t> kept =
        for_lines(run_.out, [&](std::string_view line) { return take_example(line); });
    if (!kept) return kept.error();
    if (n_examples_ < report_.kept)
      return Error(run_.out.string() + ": has fewer examples than " + progress.string() +
                   " counts; remove both to start over");
    Result<AppendedFile> examples = AppendedFile::open(run_.out, *kept);
    if (!examples) return examples.error();
    examples_ = *std::move(examples);
    Result<AppendedFile> verdicts = AppendedFile::open(progress, *done);
    if (!verdicts) return verdicts.error();
    verdicts_ = *std::move(verdicts);
    if (*done == 0) return verdicts_.add(to_line({{"settings", run_.settings}}));
    return {};
  }

  Result<DataReport> run(std::vector<std::unique_ptr<PairSource>>& sources,
                         const std::stop_token& stop) {
    for (const std::unique_ptr<PairSource>& source : sources) {
      while (!is_full() && !stop.stop_requested()) {
        Result<std::optional<EditPair>> pair = source->next();
        if (!pair) return pair.error();
        if (!*pair) break;
        if (const Result<void> taken = take(**pair, stop); !taken) return taken.error();
      }
      for (const auto& [reason, count] : source->skipped) report_.skipped[reason] += count;
    }
    report_.interrupted = stop.stop_requested() && !is_full();
    return report_;
  }

 private:
  bool is_full() const { return run_.limit > 0 && report_.kept >= run_.limit; }

  Result<bool> take_verdict(const fs::path& file, std::string_view line) {
    if (!has_settings_) {
      has_settings_ = true;
      if (std::string(line) + "\n" == to_line({{"settings", run_.settings}})) return true;
      return Error(file.string() +
                   ": was started with other options; choose another file, or remove it and " +
                   run_.out.string());
    }
    const Result<Verdict> verdict = parse_verdict(file, line);
    if (!verdict) return verdict.error();
    count(*verdict);
    done_.insert(verdict->source);
    return true;
  }

  Result<bool> take_example(std::string_view line) {
    if (n_examples_ == report_.kept) return false;  // its pair is not done
    const Result<TuningExample> example = parse_example(run_.out.string(), line);
    if (!example) return example.error();
    answers_.add(answer_of(*example));
    ++n_examples_;
    return true;
  }

  void count(const Verdict& verdict) {
    ++report_.seen;
    if (verdict.skipped.empty())
      ++report_.kept;
    else
      ++report_.skipped[verdict.skipped];
  }

  Result<void> take(const EditPair& pair, const std::stop_token& stop) {
    const std::string source = readable(pair.source);
    if (done_.contains(source)) return {};
    Verdict verdict{source, why_not_asked(pair)};
    if (verdict.skipped.empty()) {
      const auto begin = std::chrono::steady_clock::now();
      Result<MadeExample> made = run_.make(pair, stop);
      if (!made) return made.error().in(pair.source);
      if (made->cancelled) return {};
      report_.seconds +=
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      report_.asked += made->asked;
      verdict.skipped = made->why_none;
      if (made->example) verdict.skipped = why_not_kept(*made->example);
      if (verdict.skipped.empty()) {
        if (const Result<void> added = keep(*made->example); !added) return added;
        ++report_.kept_now;
      }
    }
    if (const Result<void> added =
            verdicts_.add(to_line({{"source", verdict.source}, {"skipped", verdict.skipped}}));
        !added)
      return added;
    count(verdict);
    done_.insert(source);
    if (run_.on_progress) run_.on_progress(report_);
    return {};
  }

  LeftOutReason why_not_asked(const EditPair& pair) const {
    const std::optional<std::string> stated = licence_of_source(pair.before);
    if (stated && !is_permissive(*stated)) return "files that state a licence off the list";
    if (excluded_.share_known(pair.before) >= kExcludedShare ||
        excluded_.share_known(pair.after) >= kExcludedShare)
      return "files like an excluded text";
    return {};
  }

  LeftOutReason why_not_kept(const TuningExample& example) const {
    const std::string_view answer = answer_of(example);
    if (excluded_.share_known(answer) >= kExcludedShare) return "answers like an excluded text";
    if (answers_.share_known(answer) >= kRepeatedShare) return "answers like one that was kept";
    return {};
  }

  Result<void> keep(const TuningExample& example) {
    answers_.add(answer_of(example));
    return examples_.add(to_json_line(example));
  }

  const DataRun& run_;
  const SimilarTexts& excluded_;
  AppendedFile examples_, verdicts_;
  SimilarTexts answers_;
  std::set<std::string> done_;
  DataReport report_;
  int n_examples_ = 0;
  bool has_settings_ = false;
};

}  // namespace

Result<DataReport> run_data(const DataRun& run, std::vector<std::unique_ptr<PairSource>>& sources,
                            const SimilarTexts& excluded, const std::stop_token& stop) {
  Runner runner(run, excluded);
  if (const Result<void> opened = runner.open(); !opened) return opened.error();
  return runner.run(sources, stop);
}

}  // namespace redraft
