// Which parts of a document were written since.
#include "workspace/documents/written_since.h"

#include <gtest/gtest.h>

namespace redraft {
namespace {

std::shared_ptr<const Document> document(const std::string& text) {
  return *Document::make("file:///a.py", 1, text, "python");
}

// Whether `part`, which the new text has once, was written since.
bool is_written(const std::string& before, const std::string& now, const std::string& part) {
  const std::size_t begin = now.find(part);
  EXPECT_NE(begin, std::string::npos);
  return WrittenSince(*document(before), *document(now)).has({begin, begin + part.size()});
}

TEST(WrittenSince, UnchangedTextWasNotWritten) {
  EXPECT_FALSE(is_written("load(1, 2)\n", "load(1, 2)\n", "load(1, 2)"));
  EXPECT_FALSE(is_written("load(1, 2)\n", "x = 1\n    load(1, 2)\n", "load(1, 2)"));
  EXPECT_FALSE(is_written("load(1,2)\n", "load(1, 2)\n", "load(1, 2)")) << "blanks";
}

TEST(WrittenSince, OnlyPartOfALineWasWritten) {
  const std::string before = "x = load(1, 2) + load(3, 4)\n";
  const std::string now = "x = load(2, 1) + load(3, 4)\n";
  EXPECT_TRUE(is_written(before, now, "load(2, 1)"));
  EXPECT_FALSE(is_written(before, now, "load(3, 4)"));
  EXPECT_FALSE(is_written(before, now, "x ="));
}

TEST(WrittenSince, TextThatLostSomethingWasWritten) {
  EXPECT_TRUE(is_written("x = load(1, 2)\n", "x = load(1)\n", "load(1)"));
  EXPECT_FALSE(is_written("x = load(1) + 2\n", "x = load(1)\n", "load(1)")) << "behind it";
  EXPECT_TRUE(is_written("load(\n  1,\n  2)\n", "load(\n  2)\n", "load(\n  2)"));
  EXPECT_FALSE(is_written("a\nload(1)\n", "load(1)\n", "load(1)"));
}

TEST(WrittenSince, NewTextWasWritten) {
  EXPECT_TRUE(is_written("", "load(1)\n", "load(1)"));
  EXPECT_TRUE(is_written("a\nb\n", "a\nload(1)\nb\n", "load(1)"));
}

}  // namespace
}  // namespace redraft
