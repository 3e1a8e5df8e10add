#include "workspace/completion/seam.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

#include "text/strings/blank_text.h"
#include "text/strings/lines.h"
#include "text/strings/trimmed.h"

namespace redraft {
namespace {

constexpr std::string_view kOpeners = "([{<", kClosers = ")]}>", kQuotes = "\"'`";
// A text that ends with one of these goes on with what follows.
constexpr std::string_view kSeparators = ",;.|&+-*/%=<>?:!~^\\";
// Letters of prefixes of strings: f"", u8"", Rb''.
constexpr std::string_view kPrefixes = "fFrRbBuULc8";
constexpr std::size_t kAngle = 3;  // index in kClosers
// A text says the rest of the line in other words if so many of their tokens are the same.
constexpr std::size_t kMinShared = 2;
// So many tokens that stand behind the next comma, too, are not there by chance.
constexpr std::size_t kMinItem = 3;

bool is_in(std::string_view characters, char c) { return characters.find(c) != characters.npos; }

bool is_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

// Letters of scripts that are written without blanks may be beyond ASCII, so those do not count.
bool is_joined(std::string_view before, std::string_view after) {
  const auto is_letter = [](char c) { return is_word(c) && static_cast<unsigned char>(c) < 0x80; };
  return !before.empty() && !after.empty() && is_letter(before.back()) && is_letter(after.front());
}

std::string_view first_word(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_word);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::string_view without_blank_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

// Words and every other character, without blanks, of the first line.
std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> tokens;
  text = text.substr(0, text.find('\n'));
  while (!text.empty()) {
    const std::size_t size = std::max<std::size_t>(first_word(text).size(), 1);
    if (!is_blank_text(text.substr(0, size))) tokens.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return tokens;
}

// An apostrophe within a word begins no string, except behind a prefix of strings.
bool begins_string(std::string_view text, std::size_t at) {
  if (text[at] != '\'' || at == 0 || !is_word(text[at - 1])) return true;
  std::size_t begin = at;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return at - begin <= 2 && std::ranges::all_of(text.substr(begin, at - begin),
                                                [](char c) { return is_in(kPrefixes, c); });
}

// Whether `quote` stands in the text, not escaped.
bool has_quote(std::string_view text, char quote) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == quote) return true;
    if (text[i] == '\\') ++i;
  }
  return false;
}

// Reads a text and knows which brackets and which string are open. Strings end with their line.
class Nesting {
 public:
  // `angles`: "<" and ">" are brackets. `ends_in_string`: an apostrophe may begin a string that the
  // line does not end; otherwise it is one of other meaning, such as that of a lifetime.
  explicit Nesting(bool angles, char quote = 0, bool ends_in_string = false)
      : angles_(angles), ends_in_string_(ends_in_string), quote_(quote) {}

  // Takes the character at `at`, and a second one if it is escaped; returns how many. `closed`
  // becomes the index in kClosers of a bracket that was not opened, else it is empty.
  std::size_t take(std::string_view text, std::size_t at, std::optional<std::size_t>& closed) {
    const char c = text[at];
    closed.reset();
    if (c == '\n') quote_ = 0;
    if (quote_ != 0) {
      if (c == quote_) quote_ = 0;
      return c == '\\' && at + 1 < text.size() ? 2 : 1;
    }
    if (is_in(kQuotes, c)) {
      const std::string_view line = text.substr(at + 1, text.find('\n', at) - at - 1);
      const bool is_ended = c != '\'' || ends_in_string_ || has_quote(line, c);
      if (is_ended && begins_string(text, at)) quote_ = c;
    } else if (const std::size_t opened = kOpeners.find(c); is_bracket(opened)) {
      open_.push_back(kClosers[opened]);
    } else if (const std::size_t index = kClosers.find(c);
               is_bracket(index) && !is_arrow(text, at)) {
      if (open_.empty()) {
        closed = index;
      } else if (open_.back() == c) {
        open_.pop_back();
      }
    }
    return 1;
  }

  char quote() const { return quote_; }
  bool has_open_brackets() const { return !open_.empty(); }
  int open(std::size_t index) const {
    return static_cast<int>(std::ranges::count(open_, kClosers[index]));
  }

 private:
  bool is_bracket(std::size_t index) const {
    return index != std::string_view::npos && (index != kAngle || angles_);
  }
  static bool is_arrow(std::string_view text, std::size_t at) {
    return text[at] == '>' && at > 0 && is_in("-=", text[at - 1]);
  }

  bool angles_, ends_in_string_;
  char quote_;
  std::string open_;
};

bool is_only_closers(std::string_view text) {
  return text.find_first_not_of(")]}>;,'\"`") == std::string_view::npos;
}

// What is open at the cursor on its line, and what the rest of that line closes of it.
class CursorFrame {
 public:
  explicit CursorFrame(const CursorText& around) : rest_(around.line_after()) {
    const std::string_view before = around.line_before();
    const std::string_view rest = trimmed(rest_);
    angles_ = rest.starts_with('>') && is_only_closers(rest);
    Nesting left(angles_, 0, true);
    std::optional<std::size_t> closed;
    std::size_t string_begin = 0;
    for (std::size_t at = 0; at < before.size();) {
      const char quote = left.quote();
      const std::size_t begin = at;
      at += left.take(before, at, closed);
      if (quote == 0 && left.quote() != 0) string_begin = begin;
    }
    quote_ = quote_at(left, before.substr(string_begin), rest);
    Nesting right(angles_, quote_);
    for (std::size_t at = 0; at < rest_.size();) {
      at += right.take(rest_, at, closed);
      if (closed) ++closed_[*closed];
    }
    for (std::size_t i = 0; i < kClosers.size(); ++i)
      may_close_[i] = std::max(0, left.open(i) - closed_[i]);
  }

  bool angles() const { return angles_; }
  // The quote of the string that the cursor is in; 0: it is in none.
  char quote() const { return quote_; }
  std::string_view rest() const { return rest_; }
  // Whether the line lacks such a bracket.
  bool lacks(std::size_t index) const { return index < kClosers.size() && may_close_[index] > 0; }
  // Whether a completion that closes one more such bracket closes one that the line closes.
  bool is_doubled(std::size_t index) {
    if (closed_[index] == 0) return false;
    if (may_close_[index] == 0) return true;
    --may_close_[index];
    return false;
  }

 private:
  // A quote before the cursor may be an apostrophe, so the line has to close the string. Where code
  // is filled into a string ("{…}"), the cursor is in no string.
  static char quote_at(const Nesting& left, std::string_view string, std::string_view rest) {
    const bool is_end = !rest.empty() && is_only_closers(rest) && is_in(kQuotes, rest.front()) &&
                        std::ranges::count(rest, rest.front()) % 2 == 1;
    if (is_end) return rest.front();
    if (left.quote() == 0 || !has_quote(rest, left.quote())) return 0;
    const std::size_t brace = string.rfind('{');
    const bool is_filled_in = brace != string.npos && string.find('}', brace) == string.npos &&
                              rest.find('}') < rest.find(left.quote());
    return is_filled_in ? '\0' : left.quote();
  }

  std::string_view rest_;
  bool angles_ = false;
  char quote_ = 0;
  std::array<int, 4> closed_ = {}, may_close_ = {};  // by the index in kClosers
};

bool goes_on(std::string_view text) {
  const std::string_view said = without_blank_end(text);
  return !said.empty() && (is_in(kSeparators, said.back()) || is_in(kOpeners, said.back()));
}

// How a text, from some place on, compares with the rest of the line.
enum class Likeness {
  kNone,
  kSame,   // one of the two goes on where the other ends
  kBegun,  // it begins like the rest, and goes on in another way
};

Likeness compare(std::string_view tail, std::string_view rest) {
  const std::vector<std::string_view> said = tokens_of(tail), there = tokens_of(rest);
  if (said.empty() || there.empty()) return Likeness::kNone;
  const auto [a, b] = std::ranges::mismatch(said, there);
  if (a == said.end() || b == there.end()) return Likeness::kSame;
  const bool is_adjacent = a != said.begin() || !is_blank_text(rest.substr(0, 1));
  if (a + 1 == said.end() && is_word(a->front()) && b->starts_with(*a) && is_adjacent)
    return Likeness::kSame;
  const auto shared = static_cast<std::size_t>(a - said.begin());
  const bool has_word = std::ranges::any_of(
      said.begin(), a, [](std::string_view token) { return is_word(token.front()); });
  return shared >= kMinShared && has_word ? Likeness::kBegun : Likeness::kNone;
}

// Whether the text is the rest of the line in another form: both begin alike, and what follows does
// not lead over to the rest.
bool is_other_form(std::string_view text, std::string_view rest) {
  const std::vector<std::string_view> said = tokens_of(text), there = tokens_of(rest);
  if (said.empty() || there.empty() || said.front() != there.front()) return false;
  return !is_in(kSeparators, said.front().front()) && !goes_on(text);
}

// A tag of markup: <name …>, </name> or <name …/>.
struct Tag {
  std::string_view name;
  std::size_t begin = 0;
  bool closes = false, is_empty = false;
  bool is_whole = true;  // the text has its end
};

// The end of a tag that begins at `at`; attributes may have ">" in strings and braces.
std::size_t end_of_tag(std::string_view text, std::size_t at) {
  char quote = 0;
  int braces = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{') {
      ++braces;
    } else if (c == '}') {
      --braces;
    } else if (braces <= 0 && (c == '>' || c == '<')) {
      return at;
    }
  }
  return text.size();
}

// The next tag from `from` on; nullopt: there is none.
std::optional<Tag> next_tag(std::string_view text, std::size_t from) {
  const auto is_name = [](char c) { return is_word(c) || is_in("-.:", c); };
  for (std::size_t at = text.find('<', from); at != text.npos; at = text.find('<', at + 1)) {
    Tag tag{.name = {}, .begin = at, .closes = text.substr(at + 1).starts_with('/')};
    const std::size_t begin = at + (tag.closes ? 2 : 1);
    std::size_t end = begin;
    while (end < text.size() && is_name(text[end])) ++end;
    tag.name = text.substr(begin, end - begin);
    const bool is_fragment = end < text.size() && text[end] == '>';
    if (tag.name.empty() && !is_fragment && !(tag.closes && end == text.size())) continue;
    const std::size_t last = end_of_tag(text, end);
    tag.is_whole = last < text.size() && text[last] == '>';
    tag.is_empty = tag.is_whole && !tag.closes && last > begin && text[last - 1] == '/';
    return tag;
  }
  return std::nullopt;
}

template <typename Take>
void for_each_tag(std::string_view text, const Take& take) {
  for (std::optional<Tag> tag = next_tag(text, 0); tag; tag = next_tag(text, tag->begin + 1)) {
    if (!take(*tag)) return;
  }
}

// How many more tags of that name the document opens than it closes.
int unclosed_tags(const CursorText& around, std::string_view name) {
  int n_open = 0;
  for (const std::string_view text : {around.before, around.after}) {
    for_each_tag(text, [&](const Tag& tag) {
      if (tag.name == name && !tag.is_empty) n_open += tag.closes ? -1 : 1;
      return true;
    });
  }
  return n_open;
}

// Whether the text begins with a closing tag that the document lacks.
bool is_lacking_tag(std::string_view text, const CursorText& around) {
  if (!text.starts_with("</")) return false;
  const std::optional<Tag> tag = next_tag(text, 0);
  return tag && tag->begin == 0 && unclosed_tags(around, tag->name) > 0;
}

// Whether the text is what stands behind the separator that the rest of the line begins with.
bool is_next_item(std::string_view text, std::string_view rest) {
  rest = trimmed(rest);
  return !rest.empty() && is_in(",;", rest.front()) && tokens_of(text).size() >= kMinItem &&
         compare(text, rest.substr(1)) == Likeness::kSame;
}

// Between two parts of a word: up to where the text repeats the second part.
std::size_t end_within_word(std::string_view text, std::string_view rest) {
  const std::string_view said = first_word(text), there = first_word(rest);
  return said.ends_with(there) ? said.size() - there.size() : 0;
}

std::size_t end_before_rest(std::string_view text, const CursorText& around) {
  CursorFrame frame(around);
  const std::string_view rest = frame.rest();
  if (is_blank_text(rest)) return text.size();
  const bool is_block = text.starts_with('\n');
  if (is_joined(around.line_before(), rest) && !is_block) return end_within_word(text, rest);
  if (is_other_form(text, rest) || is_next_item(text, rest)) return 0;
  Nesting nesting(frame.angles(), frame.quote());
  std::optional<std::size_t> begun;  // where it began to be like the rest
  bool is_first_line = true;
  std::optional<std::size_t> closed;
  for (std::size_t at = 0; at < text.size();) {
    const bool is_level = !nesting.has_open_brackets() && nesting.quote() == frame.quote();
    const bool begins_token = at == 0 || !is_word(text[at]) || !is_word(text[at - 1]);
    const bool is_lacking =
        frame.lacks(kClosers.find(text[at])) || is_lacking_tag(text.substr(at), around);
    if (is_first_line && is_level && begins_token && !is_lacking &&
        !is_blank_text(text.substr(at, 1))) {
      const Likeness likeness = compare(text.substr(at), rest);
      if (likeness == Likeness::kSame) return at;
      if (likeness == Likeness::kBegun && !begun) begun = at;
    }
    is_first_line = is_first_line && text[at] != '\n';
    const std::size_t begin = at;
    at += nesting.take(text, at, closed);
    const bool ends_string = is_level && frame.quote() != 0 && nesting.quote() == 0;
    // What goes on beyond the brackets around the cursor has written the rest anew.
    if (ends_string || (closed && frame.is_doubled(*closed))) return begun.value_or(begin);
  }
  return text.size();
}

// Where the text first closes a tag that it has not opened and `may_close` does not allow.
template <typename MayClose>
std::size_t unopened_tag(std::string_view text, const MayClose& may_close) {
  std::vector<std::string_view> open;
  std::size_t end = text.size();
  for_each_tag(text, [&](const Tag& tag) {
    if (!tag.closes) {
      if (!tag.is_empty) open.push_back(tag.name);
      return true;
    }
    // An element without an end tag, such as <br>, may stand between.
    const auto opened = std::ranges::find(open.rbegin(), open.rend(), tag.name);
    if (opened != open.rend()) {
      open.erase(opened.base() - 1, open.end());
      return true;
    }
    if (tag.is_whole && may_close(tag.name)) return true;
    end = tag.begin;
    return false;
  });
  return end;
}

std::size_t end_before_tag(std::string_view text, const CursorText& around) {
  std::vector<std::string_view> closed;  // by the text
  return unopened_tag(text, [&](std::string_view name) {
    closed.push_back(name);
    return std::ranges::count(closed, name) <= unclosed_tags(around, name);
  });
}

bool is_fence(std::string_view line) {
  line = trimmed(line);
  return line.starts_with("```") || line.starts_with("~~~");
}

}  // namespace

std::string_view CursorText::line_before() const {
  return before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
}

std::string_view CursorText::line_after() const { return after.substr(0, after.find('\n')); }

std::string_view part_before_rest(std::string_view text, const CursorText& around) {
  const std::size_t end = std::min(end_before_rest(text, around), end_before_tag(text, around));
  const std::string_view part = text.substr(0, end), said = without_blank_end(part);
  const std::string_view rest = around.line_after();
  if (is_blank_text(rest) || said.empty()) return said;
  if (part.find('\n', said.size()) != part.npos) return end < text.size() ? part : said;
  const bool is_apart = is_blank_text(rest.substr(0, 1)) || is_in(")]},;.:", rest.front());
  if (is_apart || is_in(kOpeners, said.back())) return said;
  // Two words would become one. "get_" and "Name" are meant to.
  const bool is_one = said.size() == part.size() && is_joined(said, rest);
  const bool is_meant = said.back() == '_' || is_joined(around.line_before(), rest) ||
                        std::isupper(static_cast<unsigned char>(rest.front())) != 0;
  return is_one && !is_meant ? std::string_view() : part;
}

bool closes_unopened(std::string_view text) {
  const std::size_t line = without_blank_end(text).rfind('\n') + 1;
  const auto is_open_fence = std::ranges::count_if(split_lines(text.substr(0, line)), is_fence) % 2;
  if (is_fence(text.substr(line))) return is_open_fence == 0;
  if (unopened_tag(text, [](std::string_view) { return false; }) < text.size()) return true;
  Nesting nesting(false);
  std::optional<std::size_t> closed;
  for (std::size_t at = 0; at < text.size();) {
    at += nesting.take(text, at, closed);
    if (closed) return true;
  }
  return false;
}

}  // namespace redraft
