// A document that a client changes, as the server keeps it, compared with a simple reference: the
// text as code points, with lines counted from the start for every position. A pending edit
// contains the same text wherever it moves. The input is read byte by byte: the encoding, a text,
// then notifications of changes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/wire/convert.h"
#include "workspace/documents/open_documents.h"

namespace redraft {
namespace {

using lsp::ContentChange;
using lsp::Encoding;
using lsp::Position;

void require(bool holds) {
  if (!holds) std::abort();
}

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  unsigned number() {
    if (bytes_.empty()) return 0;
    const unsigned value = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return value;
  }
  // Characters of every width, and all line endings.
  std::u32string text() {
    constexpr std::u32string_view kCharacters =
        U"\n\n\r\r\nab \t\u00E9\u65E5\U0001F600\uFEFF\u2028\u0301\U0010FFFF";
    std::u32string text(number() % 64, U' ');
    for (char32_t& c : text) c = kCharacters[number() % kCharacters.size()];
    return text;
  }
  Position position() {
    const unsigned line = number();
    const unsigned character = number();
    // The largest number stands for any position beyond the end.
    return {line == 255 ? 2147483647 : static_cast<int>(line % 32),
            character == 255 ? 2147483647 : static_cast<int>(character % 64)};
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

std::string utf8(std::u32string_view text) {
  std::string out;
  for (const char32_t c : text) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (c >> shift & 0x3F)); };
    if (c < 0x80) {
      out += static_cast<char>(c);
    } else if (c < 0x800) {
      out += static_cast<char>(0xC0 | c >> 6), tail(0);
    } else if (c < 0x10000) {
      out += static_cast<char>(0xE0 | c >> 12), tail(6), tail(0);
    } else {
      out += static_cast<char>(0xF0 | c >> 18), tail(12), tail(6), tail(0);
    }
  }
  return out;
}

int units(char32_t c, Encoding encoding) {
  if (encoding == Encoding::kUtf32) return 1;
  if (encoding == Encoding::kUtf16) return c < 0x10000 ? 1 : 2;
  return static_cast<int>(utf8({&c, 1}).size());
}

// The number of code points of the terminator at `at`; 0 if there is none.
std::size_t terminator(std::u32string_view text, std::size_t at) {
  if (text.substr(at).starts_with(U"\r\n")) return 2;
  return at < text.size() && (text[at] == U'\r' || text[at] == U'\n') ? 1 : 0;
}

// The index of a position, in code points.
std::size_t place(std::u32string_view text, Position position, Encoding encoding) {
  std::size_t at = 0;
  for (int line = 0; line < position.line; ++line) {
    while (at < text.size() && terminator(text, at) == 0) ++at;
    if (at == text.size()) return at;
    at += terminator(text, at);
  }
  for (int left = position.character; at < text.size() && terminator(text, at) == 0; ++at) {
    left -= units(text[at], encoding);
    if (left < 0) break;
  }
  return at;
}

void apply(std::u32string& text, const ContentChange& change, std::u32string_view inserted,
           Encoding encoding) {
  if (!change.range) {
    text = inserted;
    return;
  }
  const std::size_t a = place(text, change.range->start, encoding);
  const std::size_t b = place(text, change.range->end, encoding);
  text.replace(std::min(a, b), std::max(a, b) - std::min(a, b), inserted);
}

// Every place between two characters of a line has a position that leads to it.
void check_positions(const Document& document, std::u32string_view text, Encoding encoding) {
  require(document.text() == utf8(text));
  Position position;
  std::size_t offset = 0;
  for (std::size_t at = 0; at <= text.size();) {
    require(lsp::to_offset(document.text(), document.lines(), position, encoding) == offset);
    require(lsp::to_position(document.text(), document.lines(), offset, encoding) == position);
    const std::size_t end = terminator(text, at);
    if (end > 0) {
      position = {position.line + 1, 0};
    } else if (at < text.size()) {
      position.character += units(text[at], encoding);
    }
    const std::size_t step = std::max<std::size_t>(end, 1);
    offset += utf8(text.substr(std::min(at, text.size()), step)).size();
    at += step;
  }
}

// Some lines of a document that a pending edit replaces.
struct Waiting {
  ByteRange range;
  std::string text;
};

Waiting waiting_lines(const Document& document, unsigned first, unsigned count) {
  const int n_lines = document.lines().line_count();
  const int begin = static_cast<int>(first) % (n_lines + 1);
  const int end = std::min(n_lines, begin + static_cast<int>(count % 4));
  const ByteRange range{document.lines().start(begin), document.lines().start(end)};
  return {range, document.text().substr(range.begin, range.size())};
}

void check_rebase(Waiting waiting, const std::vector<BufferChange>& changes,
                  const Document& after) {
  for (const BufferChange& change : changes) {
    if (!rebase(change, &waiting.range)) return;
  }
  require(waiting.range.begin <= waiting.range.end && waiting.range.end <= after.text().size());
  require(after.text().substr(waiting.range.begin, waiting.range.size()) == waiting.text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input({data, size});
  constexpr Encoding kEncodings[] = {Encoding::kUtf8, Encoding::kUtf16, Encoding::kUtf32};
  const Encoding encoding = kEncodings[input.number() % std::size(kEncodings)];
  std::u32string reference = input.text();
  OpenDocuments documents;
  require(static_cast<bool>(documents.open("u", 0, utf8(reference), "python")));
  for (int version = 1; !input.empty(); ++version) {
    const std::shared_ptr<const Document> before = documents.find("u");
    check_positions(*before, reference, encoding);
    const unsigned first_line = input.number();
    const Waiting waiting = waiting_lines(*before, first_line, input.number());
    std::vector<ContentChange> changes(input.number() % 5);
    for (ContentChange& change : changes) {
      if (input.number() != 0) change.range = {input.position(), input.position()};
      const std::u32string inserted = input.text();
      change.text = utf8(inserted);
      apply(reference, change, inserted, encoding);
    }
    const auto described =
        documents.change("u", version, lsp::to_edits(*before, changes, encoding));
    require(described && described->size() == changes.size());
    check_rebase(waiting, *described, *documents.find("u"));
    for (const auto& place : documents.recent_places())
      require(place.offset <= documents.find("u")->text().size());
  }
  check_positions(*documents.find("u"), reference, encoding);
  return 0;
}

}  // namespace redraft
