#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "decoding/line_table.h"
#include "decoding/text/tokenizer.h"

namespace redraft {

// What the decoders of one target model keep from one request to the next, and what they may know
// of its tokens. Used by one thread at a time.
class DecoderMemory {
 public:
  // Where nobody knows what the tokens write both are null, and decoders do without.
  explicit DecoderMemory(std::shared_ptr<const LineTable> lines = nullptr,
                         std::shared_ptr<const Tokenizer> tokenizer = nullptr)
      : lines_(std::move(lines)), tokenizer_(std::move(tokenizer)) {}

  // What one decoder keeps: a type of its own.
  class State {
   public:
    virtual ~State() = default;
  };

  // What the decoder of that name, options included, keeps; made of `arguments` when it is first
  // asked for. It is of the same type at every call, and lives until forget().
  template <class T, class... Arguments>
  T& state(const std::string& decoder, Arguments&&... arguments) {
    std::unique_ptr<State>& state = states_[decoder];
    if (!state) state = std::make_unique<T>(std::forward<Arguments>(arguments)...);
    return static_cast<T&>(*state);
  }
  // Between requests: as if there had been none.
  void forget() { states_.clear(); }

  const Tokenizer* tokenizer() const { return tokenizer_.get(); }
  const LineTable* lines() const { return lines_.get(); }

 private:
  std::shared_ptr<const LineTable> lines_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::map<std::string, std::unique_ptr<State>> states_;
};

}  // namespace redraft
