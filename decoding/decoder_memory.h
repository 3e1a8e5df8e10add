#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "decoding/line_table.h"
#include "text/tokenizer.h"

namespace redraft {

// The state that the decoders of one target model keep from one request to the next, and what they
// may know about its tokens. Used by one thread at a time.
class DecoderMemory {
 public:
  // Both are null if the text of the tokens is unknown; decoders then work without it.
  explicit DecoderMemory(std::shared_ptr<const LineTable> lines = nullptr,
                         std::shared_ptr<const Tokenizer> tokenizer = nullptr)
      : lines_(std::move(lines)), tokenizer_(std::move(tokenizer)) {}

  // The state of one decoder; each decoder derives its own type.
  class State {
   public:
    virtual ~State() = default;
  };

  // The state of the decoder with that name (options included), made from `arguments` on the first
  // call. Every call for a name must use the same type. Lives until forget().
  template <class T, class... Arguments>
  T& state(const std::string& decoder, Arguments&&... arguments) {
    std::unique_ptr<State>& state = states_[decoder];
    if (!state) state = std::make_unique<T>(std::forward<Arguments>(arguments)...);
    return static_cast<T&>(*state);
  }
  // Returns to the state before the first request. Call it only between requests.
  void forget() { states_.clear(); }

  // The layers that selfspec skips unless its name specifies others, as text (SkippedLayers);
  // empty: unknown.
  void set_skipped_layers(std::string text) { skipped_layers_ = std::move(text); }
  const std::string& skipped_layers() const { return skipped_layers_; }

  const Tokenizer* tokenizer() const { return tokenizer_.get(); }
  const LineTable* lines() const { return lines_.get(); }

 private:
  std::shared_ptr<const LineTable> lines_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::string skipped_layers_;
  std::map<std::string, std::unique_ptr<State>> states_;
};

}  // namespace redraft
