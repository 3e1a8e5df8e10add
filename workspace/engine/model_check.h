#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "decoding/decoder_name.h"
#include "decoding/language_model.h"
#include "support/result.h"
#include "support/token.h"
#include "text/tokenizer.h"
#include "workspace/engine/check_verdict.h"
#include "workspace/engine/engine.h"

// Whether a model is loaded as its makers meant it. For most files nobody knows what they should
// write, so only what is implausible for any model counts as a fault of loading: docs/models.md has
// the figures of sound models and of deliberate faults.
namespace redraft {

// What the built-in code (check_code()) may have as its perplexity.
inline constexpr double kMaxPlausiblePerplexity = 10;
// The same for its first kQuickTokens tokens, which say less.
inline constexpr double kMaxPlausibleQuickPerplexity = 15;
inline constexpr int kQuickTokens = 256;

// Texts that were encoded and decoded again.
struct TokenizerCheck {
  int texts = 0;
  int not_covered = 0;                   // the vocabulary lacks some of their bytes: not a fault
  std::vector<std::string> faults = {};  // phrases: what happened to which text
};
TokenizerCheck check_tokenizer(const Tokenizer& tokenizer);

// The format of chats.
struct ChatCheck {
  std::string format = {};    // its name, if the control tokens tell; empty: there is none
  std::string prompt = {};    // what a message of one word becomes, with the control tokens
  std::string why_none = {};  // an error, if there is no format
  // The control tokens and their ids; -1: the vocabulary has no such token, so that the model
  // cannot answer in this format.
  std::vector<std::pair<std::string, TokenId>> control = {};

  bool is_complete() const;  // no token is missing
};
ChatCheck check_chat(const Tokenizer& tokenizer);

// Perplexities. A text longer than the model's context is cut.
struct PredictionCheck {
  int tokens = 0;       // of the code
  double code = 0;      // of the built-in code
  double shuffled = 0;  // of the same lines in another order
};
// How far it is, from 0 to 1.
using OnCheckProgress = std::function<void(double fraction)>;
// Nothing: stopped. Throws ModelFailure, as do all functions below that run the model.
std::optional<PredictionCheck> check_predictions(LanguageModel& model, const Tokenizer& tokenizer,
                                                 const OnCheckProgress& on_progress,
                                                 const std::stop_token& stop);

// Perplexities of the code's first tokens with the settings of attention that the files state, and
// with others.
struct SettingCheck {
  int tokens = 0;  // 0: the model cannot be run with other settings
  double as_stated = 0;
  std::vector<std::pair<std::string, double>> others = {};  // what is changed, and the perplexity
};
// By how much another setting may predict the code better.
inline constexpr double kMaxPlausibleGain = 1.06;
// Nothing: stopped. The model has the settings of its files before and after.
std::optional<SettingCheck> check_settings(LanguageModel& model, const Tokenizer& tokenizer,
                                           const OnCheckProgress& on_progress,
                                           const std::stop_token& stop);

// Greedy text with drafts beside the same without.
struct DraftCheck {
  int tokens = 0;  // of each
  int passes = 0;  // with drafts; fewer than tokens if some drafts were right
  std::optional<int> first_difference = {};  // the index of a token; none: identical
};
// `drafting` is the decoder that drafts. An error if it was stopped, or as by Engine::decode().
Result<DraftCheck> check_drafts(Engine& engine, const DecoderName& drafting,
                                const std::stop_token& stop);

// How many rows the model computes in a second in passes of so many rows on a short context, by the
// fastest of a few passes.
double rows_per_second(LanguageModel& model, int rows);

struct ModelCheck {
  TokenizerCheck tokenizer = {};
  ChatCheck chat = {};
  PredictionCheck predictions = {};
  SettingCheck settings = {};
  DraftCheck drafts = {};
  double one_row = 0;     // rows per second in passes of 1 row
  double eight_rows = 0;  // and of 8
};
// What is implausible, as sentences; empty: nothing.
std::vector<std::string> faults_of(const ModelCheck& check);
// What a fault means and what to do, as sentences.
std::string advice_after_fault(const ModelCheck& check);

CheckVerdict verdict_of(const ModelCheck& check);

// The check for idle moments: the perplexity of the code's first kQuickTokens tokens. Asks `go_on`
// after each pass, which takes at most a quarter of a second; it may run other jobs. Nothing: it
// was ended.
std::optional<CheckVerdict> check_quickly(LanguageModel& model, const Tokenizer& tokenizer,
                                          const std::function<bool()>& go_on);

}  // namespace redraft
