#include "mcp/line_reader.h"

#include <gtest/gtest.h>

#include <vector>

namespace redraft::mcp {
namespace {

// The lines of `text` that comes in pieces of `step` bytes; a long line as its size.
std::vector<std::string> lines_of(std::string_view text, std::size_t step, std::size_t limit) {
  LineReader reader(limit);
  std::vector<std::string> lines;
  const auto add = [&](const std::optional<Line>& line) {
    const auto* whole = std::get_if<std::string>(&*line);
    lines.push_back(whole ? *whole : std::to_string(std::get<LongLine>(*line).bytes) + " bytes");
  };
  for (std::size_t at = 0; at < text.size(); at += step) {
    reader.append(text.substr(at, step));
    while (const auto line = reader.next()) add(line);
  }
  if (const auto line = reader.rest()) add(line);
  return lines;
}

TEST(LineReader, ReadsLinesHoweverTheyArrive) {
  for (std::size_t step = 1; step < 12; ++step) {
    EXPECT_EQ(lines_of("one\r\n\ntwo\nthe rest", step, 8),
              (std::vector<std::string>{"one", "", "two", "the rest"}));
    EXPECT_EQ(lines_of("123456789\n12345678\n1234567890123", step, 8),
              (std::vector<std::string>{"9 bytes", "12345678", "13 bytes"}));
  }
}

}  // namespace
}  // namespace redraft::mcp
