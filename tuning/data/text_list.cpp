#include "tuning/data/text_list.h"

#include <algorithm>
#include <utility>

#include "indexing/files/source_file.h"
#include "tuning/data/data_run.h"
#include "tuning/data/licences.h"
#include "tuning/data/other_pairs.h"
#include "tuning/encoded_example.h"
#include "tuning/random_stream.h"

namespace redraft {
namespace {

constexpr std::uint64_t kOrderSeed = 1;

// A file's tokens in pieces; each begins with the token that begins a text.
std::vector<TextToRecord> pieces_of(const Tokenizer& tokenizer, const std::string& file, int piece,
                                    std::int32_t source) {
  std::vector<TextToRecord> out;
  const std::vector<TokenId> tokens = tokenizer.encode(file);
  std::vector<TokenId> begin;
  if (tokenizer.begin_of_text() >= 0) begin.push_back(tokenizer.begin_of_text());
  const std::size_t most = static_cast<std::size_t>(piece) - begin.size();
  for (std::size_t at = 0; at < tokens.size(); at += most) {
    TextToRecord text{.tokens = begin, .first = 1, .source = source};
    const std::size_t count = std::min(most, tokens.size() - at);
    const auto from = tokens.begin() + static_cast<std::ptrdiff_t>(at);
    text.tokens.insert(text.tokens.end(), from, from + static_cast<std::ptrdiff_t>(count));
    if (text.tokens.size() >= 2) out.push_back(std::move(text));
  }
  return out;
}

}  // namespace

Result<void> TextList::add_examples(const std::filesystem::path& file) {
  Result<std::vector<TuningExample>> examples = read_examples(file);
  if (!examples) return examples.error();
  for (TuningExample& example : *examples) {
    if (excluded_.share_known(example.target) >= kExcludedShare)
      ++left_out["examples like an excluded text"];
    else
      sources_.push_back({{}, std::move(example)});
  }
  return {};
}

Result<void> TextList::add_files(const std::filesystem::path& folder, bool check_licences) {
  std::error_code problem;
  if (!std::filesystem::is_directory(folder, problem))
    return Error(folder.string() + ": not a folder");
  for (const std::string& path : sources_to_learn(folder)) {
    Result<std::string> text = read_source(folder, path, kMaxLearntFileBytes);
    if (!text || text->empty()) {
      ++left_out["files that are no text"];
      continue;
    }
    const std::optional<std::string> stated = licence_of_source(*text);
    if (check_licences && stated && !is_permissive(*stated))
      ++left_out["files that state a licence off the list"];
    else if (excluded_.share_known(*text) >= kExcludedShare)
      ++left_out["files like an excluded text"];
    else
      sources_.push_back({std::move(*text), {}});
  }
  return {};
}

std::vector<TextToRecord> TextList::texts(const Tokenizer& tokenizer, const Limits& limits) {
  const ExampleEncoder encoder(tokenizer);
  std::vector<TextToRecord> out;
  std::int64_t tokens = 0;
  const auto is_full = [&] { return limits.tokens > 0 && tokens >= limits.tokens; };
  const auto add = [&](TextToRecord text) {
    if (is_full()) return;
    tokens += static_cast<std::int64_t>(text.tokens.size());
    out.push_back(std::move(text));
  };
  for (const std::size_t i : RandomStream(kOrderSeed, 0).permutation(sources_.size())) {
    if (is_full()) break;
    const Source& from = sources_[i];
    const auto source = static_cast<std::int32_t>(i);
    if (!from.file.empty()) {
      if (!tokenizer.covers(from.file)) {
        ++left_out["files with a character that the vocabulary lacks"];
        continue;
      }
      for (TextToRecord& piece : pieces_of(tokenizer, from.file, limits.piece, source))
        add(std::move(piece));
      continue;
    }
    Result<TrainingText> text = encoder.encode(from.example, TuningLoss::kSft);
    if (!text)
      ++left_out["examples that the vocabulary does not cover"];
    else if (text->tokens.size() > static_cast<std::size_t>(limits.example))
      ++left_out["examples that are too long"];
    else
      add({std::move(text->tokens), text->learnt.front(), source});
  }
  return out;
}

}  // namespace redraft
