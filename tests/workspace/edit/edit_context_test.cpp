#include "workspace/edit/edit_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redraft {
namespace {

using testing::HasSubstr;
using testing::Not;

// 200 functions of four lines.
std::string functions() {
  std::string text = "import os\n";
  for (int i = 0; i < 200; ++i) {
    const std::string name = "function_" + std::to_string(i);
    text += "\ndef " + name + "(x):\n    y = x + " + std::to_string(i) + "\n    return y\n";
  }
  return text;
}

EditRegion region_of(const std::string& text, const std::string& what) {
  const std::size_t begin = text.find(what);
  return *EditRegion::make(*Document::make("a.py", 1, text, "python"), EditScope::kSymbol,
                           ByteRange{begin, begin});
}

TEST(FileAround, ASmallFileIsShownAsItIs) {
  const std::string text = "a = 1\n\ndef f():\n    return a\n";
  EXPECT_EQ(file_around(region_of(text, "return"), 1000).text, text);
}

TEST(FileAround, OfALargeOneWhatIsNearAndTheOutline) {
  const std::string text = functions();
  const EditRegion region = region_of(text, "y = x + 100\n");
  const std::string shown = file_around(region, 2000).text;
  EXPECT_LE(shown.size(), 2000 + region.text().size() + 200);
  EXPECT_THAT(shown, HasSubstr(region.text()));
  EXPECT_THAT(shown, HasSubstr("def function_99(x):\n    y = x + 99\n    return y\n"));
  EXPECT_THAT(shown, HasSubstr("def function_101(x):\n    y = x + 101\n"));
  EXPECT_THAT(shown, HasSubstr("...\n"));
  // Further away only first lines are shown, the nearest ones.
  EXPECT_THAT(shown, HasSubstr("...\ndef function_75(x):\n...\n"));
  EXPECT_THAT(shown, Not(HasSubstr("y = x + 75\n")));
  EXPECT_THAT(shown, Not(HasSubstr("function_199")));
}

TEST(FileAround, EveryShownLineIsOneOfTheFileInItsOrder) {
  const std::string text = functions();
  for (const char* place : {"import", "function_0(", "function_199(", "function_57("}) {
    std::string shown = file_around(region_of(text, place), 1500).text;
    std::size_t at = 0;
    while (!shown.empty()) {
      const std::string line = shown.substr(0, shown.find('\n') + 1);
      shown.erase(0, line.size());
      if (line == "...\n") continue;
      at = text.find(line, at);
      ASSERT_NE(at, std::string::npos) << line;
      at += line.size() - 1;
    }
  }
}

TEST(FileAround, OfATextInNoLanguageTheLinesAround) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "line " + std::to_string(i) + "\n";
  const std::size_t begin = text.find("line 250\n");
  const EditRegion region = *EditRegion::make(*Document::make("a.xyz", 1, text),
                                              EditScope::kSelection, ByteRange{begin, begin + 3});
  const std::string shown = file_around(region, 400).text;
  EXPECT_THAT(shown, HasSubstr("...\nline 2"));
  EXPECT_THAT(shown, HasSubstr("line 249\nline 250\nline 251\n"));
  EXPECT_LT(shown.size(), 450U);
}

TEST(EditContext, IsWhatTheMachineReadsInAFewSeconds) {
  EXPECT_NEAR(static_cast<double>(edit_context_bytes(CostCurve({{1, 0.05}, {64, 0.1}}))),
              3200 * 3.4, 5);
  EXPECT_NEAR(static_cast<double>(edit_context_bytes(CostCurve({{1, 0.05}, {64, 3.0}}))),
              1024 * 3.4, 5);
}

}  // namespace
}  // namespace redraft
