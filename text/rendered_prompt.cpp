#include "text/rendered_prompt.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace redraft {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::size_t kDigits = 8;  // of the number in a mark
// What Jinja's engine removes where Python removes all white space.
constexpr std::string_view kEngineSpace = " \t\n\v\f\r";
// Around the marks, to see whether a template trims. Neither can be taken for the other.
constexpr std::string_view kSpaceBefore = "\t\n";
constexpr std::string_view kSpaceAfter = " \n";

Error changed() { return Error("it does not write these messages as they are"); }

// Letters and digits, and letters at both ends, so that filters that trim leave a mark alone.
class Marks {
 public:
  static Result<Marks> make() {
    std::array<unsigned char, 16> bytes{};
    if (::getentropy(bytes.data(), bytes.size()) != 0)
      return Error("the system has no random numbers");
    Marks marks;
    for (const unsigned char byte : bytes) marks.prefix_ += {kHex[byte >> 4], kHex[byte & 15]};
    return marks;
  }
  std::string mark(std::size_t number) const {
    std::string text = prefix_;
    for (std::size_t i = kDigits; i-- > 0;) text += kHex[number >> (4 * i) & 15];
    return text + 'm';
  }
  std::size_t find(std::string_view text, std::size_t from) const {
    return text.find(prefix_, from);
  }
  std::size_t size() const { return prefix_.size() + kDigits + 1; }
  // The number of the mark at the beginning of `text`.
  std::optional<std::size_t> number_at(std::string_view text) const {
    if (text.size() < size()) return std::nullopt;
    std::size_t number = 0;
    for (const char c : text.substr(prefix_.size(), kDigits)) {
      const std::size_t digit = kHex.find(c);
      if (digit == std::string_view::npos) return std::nullopt;
      number = number << 4 | digit;
    }
    return text[size() - 1] == 'm' ? std::optional(number) : std::nullopt;
  }

 private:
  Marks() : prefix_("m") {}
  std::string prefix_;
};

// What a template writes around the texts.
struct Skeleton {
  std::vector<std::string> around;    // one more than there are places
  std::vector<std::size_t> messages;  // of each place, the message whose text is there
};

Result<Skeleton> take_apart(const Marks& marks, std::string_view text, std::size_t n_messages) {
  Skeleton skeleton;
  std::size_t begin = 0;
  while (true) {
    const std::size_t at = marks.find(text, begin);
    skeleton.around.emplace_back(text.substr(begin, at - begin));
    if (at == std::string_view::npos) return skeleton;
    const std::optional<std::size_t> number = marks.number_at(text.substr(at));
    if (!number || *number >= n_messages) return changed();
    skeleton.messages.push_back(*number);
    begin = at + marks.size();
  }
}

bool is_blank(const ChatMessage& message) { return trimmed_as_in_templates(message.text).empty(); }

// A text without anything but white space stays: templates look for empty ones, and it cannot
// forge a token.
std::vector<ChatMessage> with_marks(const std::vector<ChatMessage>& messages, const Marks& marks,
                                    std::string_view before, std::string_view after) {
  std::vector<ChatMessage> marked = messages;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (is_blank(messages[i])) continue;
    marked[i].text = std::string(before) + marks.mark(i) + std::string(after);
  }
  return marked;
}

// Whether white space is removed before and after the text of a place.
struct Trims {
  bool before = false, after = false;
};

// By comparison of what is between the marks, without and with white space around them. A template
// that does something else with white space counts as one that does not trim; whether that is right
// for these messages is checked afterwards.
std::vector<Trims> trims_of(const Skeleton& bare, const Skeleton& spaced) {
  std::vector<Trims> trims(bare.messages.size());
  if (bare.messages != spaced.messages) return trims;
  for (std::size_t i = 0; i < bare.around.size(); ++i) {
    const bool first = i == 0, last = i + 1 == bare.around.size();
    for (const bool after : {false, true}) {
      for (const bool before : {false, true}) {
        const std::string kept = (first || after ? "" : std::string(kSpaceAfter)) + bare.around[i] +
                                 (last || before ? "" : std::string(kSpaceBefore));
        if (kept != spaced.around[i]) continue;
        if (!first) trims[i - 1].after = after;
        if (!last) trims[i].before = before;
      }
    }
  }
  return trims;
}

std::string_view trimmed_by_engine(std::string_view text, const Trims& trims) {
  if (trims.before) text.remove_prefix(std::min(text.find_first_not_of(kEngineSpace), text.size()));
  if (trims.after) text = text.substr(0, text.find_last_not_of(kEngineSpace) + 1);
  return text;
}

std::string_view trimmed_as_in_python(std::string_view text, const Trims& trims) {
  const std::string_view bare = trimmed_as_in_templates(text);
  if (bare.empty()) return text;
  const auto begin = static_cast<std::size_t>(bare.data() - text.data());
  if (trims.after) text = text.substr(0, begin + bare.size());
  if (trims.before) text.remove_prefix(begin);
  return text;
}

bool leaves_out_a_message(const Skeleton& skeleton, const std::vector<ChatMessage>& messages) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!is_blank(messages[i]) &&
        std::ranges::find(skeleton.messages, i) == skeleton.messages.end())
      return true;
  }
  return false;
}

// Special tokens become control parts.
void add_written_by_template(const Tokenizer& tokenizer, std::string_view text,
                             std::vector<PromptPart>& parts) {
  std::size_t begin = 0;
  std::size_t at = 0;
  const auto add_text = [&] {
    if (begin < at) parts.push_back({std::string(text.substr(begin, at - begin)), false});
  };
  while (at < text.size()) {
    const std::string_view special = tokenizer.special_prefix(text.substr(at));
    if (special.empty()) {
      ++at;
      continue;
    }
    add_text();
    // encode_prompt() adds the token that every prompt begins with.
    if (!parts.empty() || tokenizer.special(special) != tokenizer.begin_of_text())
      parts.push_back({std::string(special), true});
    begin = at += special.size();
  }
  add_text();
}

// Renders messages with marks, so that the prompt can be put together from texts and what the
// template writes.
class Rendering {
 public:
  Rendering(ChatRenderer& renderer, Marks marks, std::vector<ChatMessage> messages)
      : renderer_(renderer), marks_(std::move(marks)), messages_(std::move(messages)) {}

  // An error if the template does not take messages in such roles.
  Result<void> begin() {
    Result<Skeleton> skeleton = render_marked("", "");
    if (!skeleton) return skeleton.error();
    if (leaves_out_a_message(*skeleton, messages_)) return Error("it leaves out a message");
    skeleton_ = *std::move(skeleton);
    return {};
  }

  // After begin(): what the template makes of the texts, as parts.
  Result<std::vector<PromptPart>> parts(const Tokenizer& tokenizer) {
    trims_.resize(skeleton_.messages.size());
    if (std::ranges::any_of(messages_, [](const ChatMessage& message) {
          return trimmed_as_in_templates(message.text).size() != message.text.size();
        })) {
      const Result<Skeleton> spaced = render_marked(kSpaceBefore, kSpaceAfter);
      if (!spaced) return spaced.error();
      trims_ = trims_of(skeleton_, *spaced);
    }
    const Result<std::string> whole = renderer_.render(messages_);
    if (!whole) return whole.error();
    if (*whole != put_together()) return changed();
    std::vector<PromptPart> parts;
    for (std::size_t i = 0; i < skeleton_.around.size(); ++i) {
      add_written_by_template(tokenizer, skeleton_.around[i], parts);
      if (i == skeleton_.messages.size()) break;
      const std::string_view text = trimmed_as_in_python(text_at(i), trims_[i]);
      parts.push_back({std::string(text), false});
    }
    return parts;
  }

 private:
  Result<Skeleton> render_marked(std::string_view before, std::string_view after) {
    const Result<std::string> text = renderer_.render(with_marks(messages_, marks_, before, after));
    if (!text) return text.error();
    return take_apart(marks_, *text, messages_.size());
  }
  const std::string& text_at(std::size_t place) const {
    return messages_[skeleton_.messages[place]].text;
  }
  std::string put_together() const {
    std::string text;
    for (std::size_t i = 0; i < skeleton_.around.size(); ++i) {
      text += skeleton_.around[i];
      if (i < skeleton_.messages.size()) text += trimmed_by_engine(text_at(i), trims_[i]);
    }
    return text;
  }

  ChatRenderer& renderer_;
  Marks marks_;
  std::vector<ChatMessage> messages_;
  Skeleton skeleton_;
  std::vector<Trims> trims_;  // of each place
};

// The system's message as the beginning of the user's; nothing if there are no such messages.
std::vector<ChatMessage> without_system(const std::vector<ChatMessage>& messages) {
  if (messages.size() < 2 || messages[0].role != "system" || messages[1].role != "user") return {};
  std::vector<ChatMessage> joined(messages.begin() + 1, messages.end());
  joined[0].text = messages[0].text + "\n\n" + messages[1].text;
  return joined;
}

}  // namespace

Result<std::vector<PromptPart>> rendered_prompt(const Tokenizer& tokenizer, ChatRenderer& renderer,
                                                const std::vector<ChatMessage>& messages) {
  constexpr std::array<std::string_view, 3> kRoles = {"system", "user", "assistant"};
  for (const ChatMessage& message : messages) {
    if (std::ranges::find(kRoles, message.role) == kRoles.end())
      return Error("a message has another role than system, user or assistant");
  }
  Result<Marks> marks = Marks::make();
  if (!marks) return marks.error();
  Rendering rendering(renderer, *marks, messages);
  const Result<void> begun = rendering.begin();
  if (begun) return rendering.parts(tokenizer);
  std::vector<ChatMessage> joined = without_system(messages);
  if (joined.empty()) return begun.error();
  Rendering without(renderer, *std::move(marks), std::move(joined));
  if (!without.begin()) return begun.error();
  return without.parts(tokenizer);
}

}  // namespace redraft
