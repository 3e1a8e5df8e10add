// A pattern is a list of steps, and a text matches if the steps lead from its beginning to its end.
// The matcher keeps the set of positions that the steps so far can reach, so it tries nothing
// twice: a pattern full of stars takes steps times bytes, where backtracking would be exponential.
#include "indexing/files/glob.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace redraft {
namespace {

// The classes as git defines them: ASCII, and space is neither vertical tab nor form feed.
bool in_named_class(std::string_view name, unsigned char c, bool& known) {
  const bool lower = c >= 'a' && c <= 'z';
  const bool upper = c >= 'A' && c <= 'Z';
  const bool digit = c >= '0' && c <= '9';
  const bool graph = c > ' ' && c < 127;
  known = true;
  if (name == "alnum") return lower || upper || digit;
  if (name == "alpha") return lower || upper;
  if (name == "blank") return c == ' ' || c == '\t';
  if (name == "cntrl") return c < ' ' || c == 127;
  if (name == "digit") return digit;
  if (name == "graph") return graph;
  if (name == "lower") return lower;
  if (name == "print") return graph || c == ' ';
  if (name == "punct") return graph && !lower && !upper && !digit;
  if (name == "space") return c == ' ' || c == '\t' || c == '\n' || c == '\r';
  if (name == "upper") return upper;
  if (name == "xdigit") return digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  known = false;
  return false;
}

}  // namespace

// Reads the pattern once, from left to right.
class Glob::Compiler {
 public:
  Compiler(std::string_view pattern, std::vector<ByteSet>& classes)
      : pattern_(pattern), classes_(classes) {}

  std::vector<Step> run() {
    while (at_ < pattern_.size()) add_next();
    return std::move(steps_);
  }

 private:
  unsigned char peek(std::size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? static_cast<unsigned char>(pattern_[at_ + ahead]) : 0;
  }
  bool at_end() const { return at_ >= pattern_.size(); }
  void add(Kind kind, unsigned char byte = 0) { steps_.push_back({.kind = kind, .byte = byte}); }

  void add_next() {
    switch (const unsigned char c = peek(); c) {
      case '*':
        return add_stars();
      case '?':
        ++at_;
        return add(Kind::kAny);
      case '[':
        return add_class();
      case '\\':
        if (++at_ == pattern_.size()) return add(Kind::kNever);
        add(Kind::kByte, peek());
        ++at_;
        return;
      default:
        ++at_;
        return add(Kind::kByte, c);
    }
  }

  // Two or more stars match folders if each side is a slash or an end; elsewhere they are one star.
  void add_stars() {
    const std::size_t begin = at_;
    while (peek() == '*') ++at_;
    const bool after_slash = begin == 0 || pattern_[begin - 1] == '/';
    const bool before_slash = peek() == '/' || (peek() == '\\' && peek(1) == '/');
    if (at_ - begin < 2 || !after_slash || !(before_slash || at_end())) return add(Kind::kStar);
    if (peek() != '/') return add(Kind::kStarStar);
    ++at_;  // the slash belongs to it: `**/x` matches `x`
    add(Kind::kFolders);
  }

  void add_class() {
    ++at_;
    const bool negated = peek() == '!' || peek() == '^';
    if (negated) ++at_;
    ByteSet bytes;
    if (!read_class(bytes)) {
      at_ = pattern_.size();
      return add(Kind::kNever);
    }
    if (negated) bytes.flip();
    bytes.reset('/');
    steps_.push_back({.kind = Kind::kClass, .class_idx = classes_.size()});
    classes_.push_back(bytes);
  }

  // Reads through the closing bracket; a bracket that comes first is a member. False: malformed.
  bool read_class(ByteSet& bytes) {
    unsigned char before = 0;  // the possible beginning of a range
    for (bool first = true; first || peek() != ']'; first = false) {
      if (at_end()) return false;
      if (peek() == '-' && before != 0 && at_ + 1 < pattern_.size() && peek(1) != ']') {
        ++at_;
        const std::optional<unsigned char> last = read_member();
        if (!last) return false;
        for (int c = before; c <= *last; ++c) bytes.set(static_cast<std::size_t>(c));
        before = 0;
      } else if (const std::string_view name = named_class(); name.data() != nullptr) {
        if (!add_named_class(name, bytes)) return false;
        before = 0;
      } else {
        const std::optional<unsigned char> member = read_member();
        if (!member) return false;
        bytes.set(*member);
        before = *member;
      }
    }
    ++at_;
    return true;
  }

  std::optional<unsigned char> read_member() {
    if (peek() == '\\') ++at_;
    if (at_end()) return std::nullopt;
    const unsigned char member = peek();
    ++at_;
    return member;
  }

  // The name of a `[:name:]` that begins here; without data if there is none.
  std::string_view named_class() const {
    if (peek() != '[' || peek(1) != ':') return {};
    const std::size_t begin = at_ + 2;
    const std::size_t end = pattern_.find(']', begin);
    // Without any end the class is malformed: return a name that no class has.
    if (end == std::string_view::npos) return "unclosed";
    if (end == begin || pattern_[end - 1] != ':') return {};
    return pattern_.substr(begin, end - begin - 1);
  }

  bool add_named_class(std::string_view name, ByteSet& bytes) {
    bool known = false;
    for (int c = 0; c < 256; ++c) {
      if (in_named_class(name, static_cast<unsigned char>(c), known)) {
        bytes.set(static_cast<std::size_t>(c));
      }
    }
    at_ += name.size() + 4;
    return known;
  }

  std::string_view pattern_;
  std::vector<ByteSet>& classes_;
  std::size_t at_ = 0;
  std::vector<Step> steps_;
};

Glob::Glob(std::string_view pattern) {
  middle_ = Compiler(pattern, classes_).run();
  const auto is_byte = [](const Step& step) { return step.kind == Kind::kByte; };
  const auto begin = std::find_if_not(middle_.begin(), middle_.end(), is_byte);
  for (auto it = middle_.begin(); it != begin; ++it) prefix_ += static_cast<char>(it->byte);
  middle_.erase(middle_.begin(), begin);
  const auto end = std::find_if_not(middle_.rbegin(), middle_.rend(), is_byte).base();
  for (auto it = end; it != middle_.end(); ++it) suffix_ += static_cast<char>(it->byte);
  middle_.erase(end, middle_.end());
  shortest_ = static_cast<std::size_t>(std::ranges::count_if(middle_, [](const Step& step) {
    return step.kind == Kind::kByte || step.kind == Kind::kAny || step.kind == Kind::kClass;
  }));
}

bool Glob::matches(std::string_view text) const {
  if (text.size() < prefix_.size() + suffix_.size() + shortest_) return false;
  if (!text.starts_with(prefix_) || !text.ends_with(suffix_)) return false;
  text.remove_prefix(prefix_.size());
  text.remove_suffix(suffix_.size());
  if (middle_.empty()) return text.empty();
  if (middle_.size() == 1 && middle_[0].kind == Kind::kStar) {
    return text.find('/') == std::string_view::npos;
  }
  return middle_matches(text);
}

bool Glob::middle_matches(std::string_view text) const {
  std::string reached(text.size() + 1, '\0');  // [i]: the steps so far can end before text[i]
  reached[0] = 1;
  for (const Step& step : middle_) {
    take(step, text, reached);
    if (reached.find('\1') == std::string::npos) return false;
  }
  return reached.back() != 0;
}

void Glob::take(const Step& step, std::string_view text, std::string& reached) const {
  const std::size_t n = text.size();
  // A step of one byte moves every position by one; a step of any length spreads to the right.
  const auto move = [&](auto&& fits) {
    for (std::size_t i = n; i > 0; --i) {
      reached[i] = static_cast<char>(
          reached[i - 1] != 0 && fits(static_cast<unsigned char>(text[i - 1])) ? 1 : 0);
    }
    reached[0] = 0;
  };
  switch (step.kind) {
    case Kind::kByte:
      return move([&](unsigned char c) { return c == step.byte; });
    case Kind::kAny:
      return move([](unsigned char c) { return c != '/'; });
    case Kind::kClass:
      return move([&](unsigned char c) { return classes_[step.class_idx].test(c); });
    case Kind::kStar:
      for (std::size_t i = 1; i <= n; ++i) {
        if (reached[i - 1] != 0 && text[i - 1] != '/') reached[i] = 1;
      }
      return;
    case Kind::kStarStar: {
      const std::size_t first = std::min(reached.find('\1'), n + 1);
      std::fill(reached.begin() + static_cast<std::ptrdiff_t>(first), reached.end(), '\1');
      return;
    }
    case Kind::kFolders: {
      bool any_before = false;
      for (std::size_t i = 1; i <= n; ++i) {
        any_before = any_before || reached[i - 1] != 0;
        if (any_before && text[i - 1] == '/') reached[i] = 1;
      }
      return;
    }
    case Kind::kNever:
      reached.assign(reached.size(), '\0');
      return;
  }
}

}  // namespace redraft
