#include "http/api/generation_job.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "http/api/answer_text.h"
#include "support/trace/trace.h"
#include "text/prompt_encoder.h"
#include "text/thoughts.h"
#include "workspace/completion/completion_prompt.h"
#include "workspace/engine/measure_when_idle.h"

namespace redraft::http {
namespace {

// The name of the file that is written, in a prompt with several files; the same as llama.cpp's.
constexpr const char* kFileName = "filename";

Purpose purpose_of(const Generation& generation) {
  return generation.suffix ? Purpose::kCompletion : Purpose::kEdit;
}

Urgency urgency_of(const Generation& generation) {
  if (generation.max_tokens == 0) return Urgency::kWarmUp;
  return generation.suffix ? Urgency::kCompletion : Urgency::kEdit;
}

struct Prompt {
  std::vector<PromptPart> parts;
  AnswerBeginning beginning = AnswerBeginning::kNoThought;
};

// Continues an assistant's turn at the end, like llama.cpp's server.
Result<Prompt> conversation(const Tokenizer& tokenizer, std::vector<ChatMessage> messages) {
  std::string begun;
  if (messages.back().role == "assistant") {
    begun = std::move(messages.back().text);
    messages.pop_back();
  }
  Result<std::vector<PromptPart>> parts = chat_prompt(tokenizer, messages);
  if (!parts) return parts.error();
  Prompt prompt{.parts = *std::move(parts)};
  prompt.beginning = begin_answer(tokenizer, begun, prompt.parts);
  return prompt;
}

Result<Prompt> prompt_of(const Generation& generation, const Tokenizer& tokenizer,
                         std::string_view model) {
  if (generation.interface == Interface::kChat) return conversation(tokenizer, generation.messages);
  if (!generation.suffix) return Prompt{.parts = {{generation.prompt, false}}};
  Result<std::vector<PromptPart>> parts = completion_prompt(
      tokenizer, {kFileName, generation.prompt, *generation.suffix, generation.files, model});
  if (!parts) return parts.error();
  if (!generation.begun.empty()) parts->push_back({generation.begun, false});
  return Prompt{.parts = *std::move(parts)};
}

std::vector<TokenId> stop_tokens(const Generation& generation, const Tokenizer& tokenizer,
                                 std::string_view model) {
  std::vector<TokenId> stops = end_of_turn_tokens(tokenizer);
  if (generation.suffix)
    std::ranges::copy(completion_ends(tokenizer, model), std::back_inserter(stops));
  if (tokenizer.end_of_text() >= 0) stops.push_back(tokenizer.end_of_text());
  return stops;
}

GenerationEnd refused(ApiError error) { return {.error = std::move(error)}; }

ChoiceEnd::Reason reason_of(FinishReason finish, AnswerText::End text) {
  using Reason = ChoiceEnd::Reason;
  if (text == AnswerText::End::kStop) return Reason::kStopString;
  if (text == AnswerText::End::kLimit) return Reason::kLimit;
  switch (finish) {
    case FinishReason::kLength:
      return Reason::kLength;
    case FinishReason::kCancelled:
      return Reason::kCancelled;
    case FinishReason::kStop:
    case FinishReason::kSink:
      break;
  }
  return Reason::kEndOfText;
}

// Tokens wait here until all of their bytes are certain, so that they show no part of a stop
// string.
class Likelihoods {
 public:
  explicit Likelihoods(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  void add(TokenId token, const EmittedLogProbability& how_likely) {
    TokenLikelihood likelihood{std::string(answer_bytes(tokenizer_, token)),
                               how_likely.log_probability};
    for (const TokenLogProbability& other : how_likely.likeliest) {
      likelihood.likeliest.push_back(
          {std::string(tokenizer_.display(other.token)), other.log_probability});
    }
    bytes_ += likelihood.bytes.size();
    waiting_.emplace_back(bytes_, std::move(likelihood));
  }
  // The tokens of the text, which begins after `begin` bytes of the answer, within its first
  // `certain` bytes; each token once.
  std::vector<TokenLikelihood> take(std::size_t begin, std::size_t certain) {
    std::vector<TokenLikelihood> taken;
    while (!waiting_.empty() && waiting_.front().first <= begin + certain) {
      if (waiting_.front().first > begin || begin == 0)
        taken.push_back(std::move(waiting_.front().second));
      waiting_.pop_front();
    }
    return taken;
  }

 private:
  const Tokenizer& tokenizer_;
  std::size_t bytes_ = 0;
  std::deque<std::pair<std::size_t, TokenLikelihood>> waiting_;  // each with the number of bytes up
                                                                 // to its end
};

// What the tokens of an answer spell, divided into what the model thinks and the text.
class AnswerTexts {
 public:
  AnswerTexts(const Tokenizer& tokenizer, AnswerBeginning beginning, AnswerText::Limits limits)
      : tokenizer_(tokenizer),
        splitter_(beginning),
        text_(std::move(limits)),
        thoughts_(AnswerText::Limits{}) {}

  // Returns false if the answer ends.
  bool add(TokenId token) { return add(splitter_.add(answer_bytes(tokenizer_, token))); }
  // No tokens follow.
  void finish() {
    add(splitter_.end());
    text_.finish();
    thoughts_.finish();
  }
  // What is certain and was not taken yet.
  AnswerPart take(Likelihoods& likelihoods) {
    AnswerPart part{.text = text_.take(), .thoughts = thoughts_.take()};
    if (const std::optional<std::size_t> begin = splitter_.text_begin())
      part.likelihoods = likelihoods.take(*begin, text_.certain_bytes());
    return part;
  }
  const AnswerText& text() const { return text_; }

 private:
  bool add(const ThoughtSplitter::Pieces& pieces) {
    if (!pieces.thought.empty()) thoughts_.add(pieces.thought);
    return pieces.text.empty() || text_.add(pieces.text);
  }

  const Tokenizer& tokenizer_;
  ThoughtSplitter splitter_;
  AnswerText text_, thoughts_;
};

// One generation on the decode thread.
class GenerationJob {
 public:
  GenerationJob(const Generation& generation, const GenerationChoices& choices,
                const GenerationEvents& events, const DecodeQueue::Control& control)
      : generation_(generation), choices_(choices), events_(events), control_(control) {}

  // The result contains the reason if the generation failed.
  GenerationEnd run(Engine& engine) {
    AnswerBeginning beginning = AnswerBeginning::kNoThought;
    Result<DecodeRequest> request = make_request(engine, beginning);
    if (!request) return refused({.message = request.error().message()});
    const int size = static_cast<int>(request->prompt.size());
    if (size >= engine.context_length()) return refused(too_long(size, engine.context_length()));
    events_.on_begin();
    return generation_.max_tokens == 0 ? read_only(engine, *request)
                                       : write_all(engine, *request, beginning);
  }

 private:
  Result<DecodeRequest> make_request(Engine& engine, AnswerBeginning& beginning) const {
    const Tokenizer& tokenizer = engine.tokenizer();
    const std::string names = engine.target_names();
    const Result<Prompt> asked = prompt_of(generation_, tokenizer, names);
    if (!asked) return asked.error();
    beginning = asked->beginning;
    Result<std::vector<TokenId>> prompt =
        engine.prompt_encoder(purpose_of(generation_)).encode(asked->parts);
    if (!prompt) return prompt.error();
    if (prompt->empty()) return Error("the prompt is empty, so there is nothing to continue");
    DecodeRequest request;
    request.original = tokenizer.encode(generation_.prediction);
    request.sampling = generation_.sampling;
    request.stop_tokens = stop_tokens(generation_, tokenizer, names);
    request.max_new_tokens =
        generation_.max_tokens.value_or(engine.context_length() - static_cast<int>(prompt->size()));
    request.prompt = std::move(*prompt);
    return request;
  }

  ApiError too_long(int size, int context) const {
    return {.message = "the prompt has " + std::to_string(size) +
                       " tokens and leaves no room for an answer. The context holds " +
                       std::to_string(context),
            .field = generation_.interface == Interface::kChat ? "messages" : "prompt",
            .code = "context_length_exceeded"};
  }

  // Reads the prompt of a future request.
  GenerationEnd read_only(Engine& engine, const DecodeRequest& request) const {
    const int size = static_cast<int>(request.prompt.size());
    ChoiceEnd end{.reason = ChoiceEnd::Reason::kLength};
    end.statistics.prompt_tokens = size;
    end.statistics.cached_prompt_tokens = engine.known_tokens(request.prompt, control_.stop);
    const bool read = engine.read_ahead(
        request.prompt, size, [&](int) { control_.give_way(); }, control_.stop);
    end.statistics.prefilled_tokens = size - end.statistics.cached_prompt_tokens;
    if (!read) end.reason = ChoiceEnd::Reason::kCancelled;
    const auto count = static_cast<std::size_t>(generation_.choices);
    return {.choices = std::vector(count, end), .statistics = end.statistics};
  }

  // A text that is written but perhaps not chosen.
  struct Candidate {
    ChoiceEnd end;
    std::vector<AnswerPart> parts = {};
    double log_probability = 0;  // of all tokens together
    double likelihood() const { return log_probability / std::max(1, end.statistics.new_tokens); }
  };

  // One text after the other; each is the draft of the next one, if the client has no prediction.
  GenerationEnd write_all(Engine& engine, DecodeRequest& request, AnswerBeginning beginning) const {
    const bool selects = generation_.candidates > generation_.choices;
    const bool are_same = generation_.sampling.greedy();
    GenerationEnd all{.prediction_tokens = static_cast<int>(request.original.size())};
    std::vector<Candidate> written;
    for (int i = 0; i < (are_same ? 1 : generation_.candidates); ++i) {
      const auto take = [&](AnswerPart part) {
        if (selects && !are_same) return written.back().parts.push_back(std::move(part));
        for (part.choice = i; part.choice < (are_same ? generation_.choices : i + 1); ++part.choice)
          events_.on_part(part);
      };
      written.emplace_back();
      std::optional<ApiError> error = write(engine, request, beginning, take, written.back(), all);
      if (error) return refused(*std::move(error));
      const DecodeStatistics& own = written.back().end.statistics;
      add_statistics(own, all.statistics);
      if (written.back().end.reason == ChoiceEnd::Reason::kCancelled) break;
      ++request.sampling.seed;
    }
    if (selects && !are_same) choose(written);
    if (are_same) written.resize(static_cast<std::size_t>(generation_.choices), written.front());
    for (Candidate& each : written) all.choices.push_back(std::move(each.end));
    return all;
  }

  // Keeps and passes on the likeliest ones.
  void choose(std::vector<Candidate>& written) const {
    std::ranges::stable_sort(written, std::greater(), &Candidate::likelihood);
    written.resize(std::min(written.size(), static_cast<std::size_t>(generation_.choices)));
    for (std::size_t i = 0; i < written.size(); ++i) {
      for (AnswerPart& part : written[i].parts) {
        part.choice = static_cast<int>(i);
        events_.on_part(std::move(part));
      }
    }
  }

  // The prompt of later texts is that of the first one.
  static void add_statistics(DecodeStatistics one, DecodeStatistics& all) {
    if (all.prompt_tokens > 0)
      one.prompt_tokens = one.cached_prompt_tokens = one.prefilled_tokens = 0;
    all += one;
  }

  // nullopt: `written` is complete, or cancelled.
  std::optional<ApiError> write(Engine& engine, DecodeRequest& request, AnswerBeginning beginning,
                                const std::function<void(AnswerPart)>& take, Candidate& written,
                                GenerationEnd& all) const {
    const Tokenizer& tokenizer = engine.tokenizer();
    AnswerTexts texts(tokenizer, beginning,
                      {generation_.stops, generation_.min_indent, generation_.time_limit});
    Likelihoods likelihoods(tokenizer);
    const auto pass_on = [&] {
      AnswerPart part = texts.take(likelihoods);
      if (!part.text.empty() || !part.likelihoods.empty() || !part.thoughts.empty())
        take(std::move(part));
    };
    const bool is_predicted = all.prediction_tokens > 0;
    const bool selects = generation_.candidates > generation_.choices;
    std::vector<TokenId> tokens;
    request.log_probabilities = generation_.log_probabilities;
    if (selects && !request.log_probabilities) request.log_probabilities = 0;
    request.on_emitted = [&](const EmittedToken& token) {
      tokens.push_back(token.token);
      if (is_predicted && token.origin == DraftOrigin::kReuse) ++all.accepted_prediction_tokens;
      if (!token.log_probability) return;
      written.log_probability += token.log_probability->log_probability;
      if (generation_.log_probabilities) likelihoods.add(token.token, *token.log_probability);
    };
    request.on_progress = [&](const DecodeStatistics&) {
      pass_on();
      control_.give_way();
    };
    const Result<DecodeResult> result = engine.decode(
        purpose_of(generation_), choices_.decoder, request,
        [&](TokenId token) { return texts.add(token); }, control_.stop, choices_.remembering);
    if (!result) return ApiError{.message = result.error().message()};
    if (result->finish_reason != FinishReason::kCancelled) texts.finish();
    pass_on();
    written.end = {.reason = reason_of(result->finish_reason, texts.text().end()),
                   .stopping_word = texts.text().stopping_word(),
                   .statistics = result->statistics};
    if (!is_predicted) request.original = std::move(tokens);
    return std::nullopt;
  }

  const Generation& generation_;
  const GenerationChoices& choices_;
  const GenerationEvents& events_;
  const DecodeQueue::Control& control_;
};

constexpr const char* kFailed = "the request failed";

GenerationEnd run_job(EngineHost& host, const Generation& generation,
                      const GenerationChoices& choices, const GenerationEvents& events,
                      const DecodeQueue::Control& control) {
  if (control.stop.stop_requested())
    return {.choices = {{.reason = ChoiceEnd::Reason::kCancelled}}};
  const Result<GenerationEnd> end =
      run_on_engine(host, kFailed, [&](Engine& engine) -> Result<GenerationEnd> {
        GenerationEnd ran = GenerationJob(generation, choices, events, control).run(engine);
        measure_when_idle(host, engine);
        return ran;
      });
  // The models could not be loaded, or their device failed. A retry may succeed.
  return end ? *end : refused(server_error(503, end.error().message()));
}

}  // namespace

DecodeQueue::JobId add_generation(EngineHost& host, std::shared_ptr<const Generation> generation,
                                  const GenerationChoices& choices, GenerationEvents events) {
  const Urgency urgency = urgency_of(*generation);
  const auto shared = std::make_shared<const GenerationEvents>(std::move(events));
  return host.queue().add(
      [&host, generation = std::move(generation), choices,
       shared](const DecodeQueue::Control& control) {
        const Span span("http");
        shared->on_end(run_job(host, *generation, choices, *shared, control));
      },
      urgency, {},
      [shared](const Error& error) {
        shared->on_end(refused(server_error(503, error.in(kFailed).message())));
      });
}

}  // namespace redraft::http
