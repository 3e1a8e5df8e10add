#include "tests/kit/edit_script.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tests/kit/answer_script.h"
#include "tests/kit/byte_tokenizer.h"
#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

// As counted by the model; a real cache takes several times more.
constexpr std::size_t kCacheBytes = std::size_t{4} << 20;
struct Question {
  std::string region;
  std::string instruction;
  std::string opening;  // the line that opens the fence
  std::string fence;
};

// The user's turn contains the file, then the instruction, then, if only a part should be edited,
// that part. The region is the last block in the fence that opens the assistant's turn or, if that
// opens a thought, in the first fence; it is longer than any run of back-ticks in the file.
std::optional<Question> read_question(std::string_view user, std::string_view assistant) {
  const std::size_t line = assistant.find('\n') + 1;  // after the role
  std::string_view opening = assistant.substr(line);
  if (opening.starts_with("<think>")) {
    opening = user.substr(std::min(user.find("```"), user.size()));
    opening = opening.substr(0, opening.find('\n') + 1);
  }
  const std::string_view fence = opening.substr(0, opening.find_first_not_of('`'));
  const std::size_t first = user.find(opening);
  const std::size_t last = user.rfind(opening);
  if (fence.size() < 3 || first == std::string_view::npos) return std::nullopt;
  const std::size_t begin = last + opening.size();
  const std::size_t after_file = user.find(fence, first + opening.size());
  const std::size_t end = user.find(fence, begin);
  if (end == std::string_view::npos || after_file == std::string_view::npos) return std::nullopt;
  const std::string_view rest =
      user.substr(after_file, first == last ? std::string_view::npos : last - after_file);
  return Question{std::string(user.substr(begin, end - begin)), std::string(rest),
                  std::string(opening), std::string(fence)};
}

void wait_while_there(const std::filesystem::path& file) {
  while (!file.empty() && std::filesystem::exists(file))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void hold_answer(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return;
  std::filesystem::path held = file;
  held += ".held";
  std::ofstream(held).close();
  wait_while_there(file);
  std::filesystem::remove(held);
}

class EditWriter {
 public:
  EditWriter(EditScript script, std::shared_ptr<const Tokenizer> tokenizer)
      : script_(std::move(script)),
        tokenizer_(std::move(tokenizer)),
        start_(tokenizer_->special("<|im_start|>")),
        stop_(tokenizer_->special("<|im_end|>")) {}

  // The prompt ends with the first line of the last turn, after its role: "assistant\n```python\n".
  TokenId next(std::span<const TokenId> sequence) {
    const bool same_prompt = sequence.size() >= prompt_.size() && !prompt_.empty() &&
                             std::equal(prompt_.begin(), prompt_.end(), sequence.begin()) &&
                             !went_on(sequence.subspan(prompt_.size()));
    if (!same_prompt && !read_prompt(sequence)) return stop_;
    const std::span<const TokenId> written = sequence.subspan(prompt_.size());
    if (reaches_hold(written)) hold_answer(script_.hold.file);
    if (written.size() >= answer_.size()) return stop_;
    return answer_[written.size()];
  }

 private:
  // Whether a conversation has further turns.
  bool went_on(std::span<const TokenId> written) const {
    return std::find(written.begin(), written.end(), start_) != written.end();
  }

  // A draft's row after a wrong token is discarded: it does not reach the hold.
  bool reaches_hold(std::span<const TokenId> written) const {
    return !script_.hold.file.empty() && written.size() >= hold_at_ &&
           written.size() <= answer_.size() &&
           std::equal(written.begin(), written.end(), answer_.begin());
  }

  std::string text_of(std::span<const TokenId> sequence, std::size_t begin, std::size_t end) const {
    return tokenizer_->decode(sequence.subspan(begin, end - begin));
  }
  // The turn that is `back` turns before the last.
  std::string turn(std::span<const TokenId> sequence, const std::vector<std::size_t>& turns,
                   std::size_t back) const {
    const std::size_t i = turns.size() - 1 - back;
    return text_of(sequence, turns[i], turns[i + 1]);
  }

  // The user complains about the answer: that turn contains the instruction.
  std::optional<Question> read_complaint(std::span<const TokenId> sequence,
                                         const std::vector<std::size_t>& turns,
                                         std::size_t end) const {
    if (turns.size() < 4) return std::nullopt;
    std::optional<Question> first =
        read_question(turn(sequence, turns, 3), text_of(sequence, turns.back(), end));
    if (first) first->instruction = turn(sequence, turns, 1);
    return first;
  }

  bool read_prompt(std::span<const TokenId> sequence) {
    prompt_.clear();
    std::vector<std::size_t> turns;
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      if (sequence[i] == start_) turns.push_back(i);
    }
    if (turns.size() < 2) return false;
    const std::size_t end = end_of_lines(sequence, turns.back(), 2);
    if (end == 0) return false;
    std::optional<Question> question =
        read_question(turn(sequence, turns, 1), text_of(sequence, turns.back(), end));
    if (!question) question = read_complaint(sequence, turns, end);
    if (!question) return false;
    prompt_.assign(sequence.begin(), sequence.begin() + static_cast<std::ptrdiff_t>(end));
    const std::string answer =
        script_.thoughts + (script_.opens_thought ? question->opening : std::string()) +
        apply_script(script_, question->region, question->instruction) + question->fence;
    answer_ = tokenizer_->encode(answer);
    hold_at_ = answer.find(script_.hold.before);  // one token per byte
    return true;
  }

  // 0: fewer lines so far.
  static std::size_t end_of_lines(std::span<const TokenId> sequence, std::size_t from, int count) {
    for (; from < sequence.size() && count > 0; ++from) {
      if (sequence[from] == '\n') --count;
    }
    return count > 0 ? 0 : from;
  }

  EditScript script_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  TokenId start_;
  TokenId stop_;
  std::vector<TokenId> prompt_;
  std::vector<TokenId> answer_;
  std::size_t hold_at_ = 0;
};

// Records what the model sees in its passes, as text: the sequence, and after it the draft, each
// path separately.
class Recorder {
 public:
  Recorder(const std::string& file, std::shared_ptr<const Tokenizer> tokenizer)
      : out_(file, std::ios::binary | std::ios::app), tokenizer_(std::move(tokenizer)) {}

  void add(const KvCache& cache, std::span<const TokenId> context, const DraftTree& draft) {
    std::vector<TokenId> sequence(cache.tokens().begin(), cache.tokens().end());
    sequence.insert(sequence.end(), context.begin(), context.end());
    out_ << "[sequence] " << tokenizer_->decode(sequence) << "\n";
    for (int node = 0; node < draft.size(); ++node) {
      if (std::ranges::find(draft.parents(), node) == draft.parents().end())
        out_ << "[draft] " << way_to(draft, node) << "\n";
    }
    out_.flush();
  }

 private:
  std::string way_to(const DraftTree& draft, int node) const {
    std::vector<TokenId> way;
    for (; node >= 0; node = draft.parents()[static_cast<std::size_t>(node)])
      way.push_back(draft.tokens()[static_cast<std::size_t>(node)]);
    std::ranges::reverse(way);
    return tokenizer_->decode(way);
  }

  std::ofstream out_;
  std::shared_ptr<const Tokenizer> tokenizer_;
};

// Takes time for every pass over a prompt, and may fail in one. Its clock counts the price of each
// pass according to `price`, so that results do not depend on how busy the machine is.
class SlowModel : public ScriptedModel {
 public:
  SlowModel(std::shared_ptr<const Tokenizer> tokenizer, Script script, const EditScript& options,
            CostCurve price)
      : ScriptedModel(tokenizer->vocabulary_size(), options.context_length, std::move(script)),
        price_(std::move(price)),
        delay_(options.delay_per_pass),
        failing_pass_(options.failing_pass) {
    if (!options.record.empty()) recorder_.emplace(options.record, std::move(tokenizer));
  }

  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    std::this_thread::sleep_for(delay_);
    if (++n_passes_ == failing_pass_) throw std::runtime_error("the device is gone");
    if (recorder_) recorder_->add(cache, context, draft);
    const auto rows = static_cast<int>(context.size()) + draft.size();
    seconds_ += price_.seconds(rows, cache.length());
    return ScriptedModel::forward(context, draft, cache, needs);
  }

  double compute_seconds() const override { return seconds_; }

 private:
  CostCurve price_;
  double seconds_ = 0;
  std::chrono::milliseconds delay_;
  int failing_pass_;
  int n_passes_ = 0;
  std::optional<Recorder> recorder_;
};

std::unique_ptr<LanguageModel> model_of(const EditScript& script,
                                        const std::shared_ptr<const Tokenizer>& tokenizer,
                                        const CostCurve& price) {
  const auto writer = std::make_shared<EditWriter>(script, tokenizer);
  auto model = std::make_unique<SlowModel>(
      tokenizer,
      [writer, tokenizer, script](std::span<const TokenId> sequence) {
        const bool fill = is_fill_prompt(*tokenizer, sequence);
        if (!fill && script.answers.fills.empty()) return writer->next(sequence);
        wait_while_there(script.hold_fills);
        return fill ? next_fill_token(*tokenizer, script.fills, sequence)
                    : next_answer_token(*tokenizer, script.answers, sequence);
      },
      script, price);
  model->set_certainty([tokenizer, script](std::span<const TokenId> sequence) {
    const bool edits = script.answers.fills.empty() && !is_fill_prompt(*tokenizer, sequence);
    return edits ? script.certainty : certainty_of_fill(*tokenizer, script.fills, sequence);
  });
  return model;
}

}  // namespace

std::string apply_script(const EditScript& script, std::string region,
                         std::string_view instruction) {
  for (const EditScript::Edit& edit : script.edits) {
    if (instruction.find(edit.instruction) == std::string_view::npos) continue;
    if (edit.find.empty()) {
      region.insert(0, edit.replace);
      continue;
    }
    for (std::size_t at = region.find(edit.find); at != std::string::npos;
         at = region.find(edit.find, at + edit.replace.size())) {
      region.replace(at, edit.find.size(), edit.replace);
    }
  }
  return region;
}

Result<std::unique_ptr<LocalEngine>> make_scripted_engine(const EditScript& script) {
  std::this_thread::sleep_for(script.load_delay);
  if (!script.load_error.empty()) return Error(script.load_error);
  const std::shared_ptr<const Tokenizer> tokenizer =
      script.opens_thought ? thought_opening_tokenizer() : fill_tokenizer();
  // With a draft model rows are cheap; otherwise the model would not pay before it has been timed.
  const CostCurve usual({{1, 0.010}, {11, script.draft ? 0.011 : 0.020}}, script.load != 1);
  const CostCurve price = usual.scaled(script.pass_cost, script.pass_cost);
  LocalEngine::Model target{"scripted",
                            model_of(script, tokenizer, price.scaled(script.load, script.load)),
                            tokenizer, [price](LanguageModel&) { return price; }};
  if (script.load != 1) target.keep_cost = [](const CostCurve&, CostChange) {};
  target.title = script.title;
  LocalEngine::Model draft;
  if (script.draft) {
    const EditScript same{.edits = script.edits,
                          .thoughts = script.thoughts,
                          .opens_thought = script.opens_thought,
                          .fills = script.fills,
                          .answers = script.answers,
                          .context_length = script.context_length};
    const CostCurve tenth({{1, 0.0010}, {11, 0.0011}});
    draft = {"scripted draft", model_of(same, tokenizer, tenth), tokenizer};
  }
  return LocalEngine::make(std::move(target), std::move(draft),
                           {.context_limit = script.context_length, .cache_bytes = kCacheBytes});
}

}  // namespace redraft
