#include "workspace/edit/carried_out.h"

#include <gtest/gtest.h>

namespace redraft {
namespace {

std::string why(std::string_view instruction) {
  const auto document = *Document::make("file:///a.py", 1,
                                        "import os\nfrom json import loads\n\ndef total(xs):\n    "
                                        "import re\n    return read_all(xs)\n",
                                        "python");
  return why_carried_out(*document, instruction);
}

TEST(CarriedOut, WhatIsToBeRemovedDoesNotOccur) {
  EXPECT_EQ(why("remove `save`"), "'save' does not occur in the file");
  EXPECT_EQ(why("Delete the unused function save_all()."), "'save_all' does not occur in the file");
  EXPECT_EQ(why("drop `save` and 'load'"), "'save' and 'load' do not occur in the file");
  EXPECT_EQ(why("remove `save` and `total`"), "");
  EXPECT_EQ(why("remove read_all"), "");
  EXPECT_EQ(why("remove the unused function"), "") << "which one nobody can tell";
  EXPECT_EQ(why("remove save"), "") << "it may be a word";
  EXPECT_EQ(why("remove `save` and add `load`"), "");
}

TEST(CarriedOut, WhatIsToBeReplacedWasReplaced) {
  EXPECT_EQ(why("rename sum to total"), "'sum' does not occur in the file, 'total' does");
  EXPECT_EQ(why("replace sum with total"), "'sum' does not occur in the file, 'total' does");
  EXPECT_EQ(why("rename sum to all"), "");
  EXPECT_EQ(why("rename total to sum"), "");
}

TEST(CarriedOut, WhatIsToBeImportedIsImported) {
  EXPECT_EQ(why("import os"), "the file already imports 'os'");
  EXPECT_EQ(why("Add an import of `loads`."), "the file already imports 'loads'");
  EXPECT_EQ(why("import re"), "") << "that is known in one function";
  EXPECT_EQ(why("import sys"), "");
  EXPECT_EQ(why("add an import for os and use it"), "");
}

TEST(CarriedOut, NobodyKnowsOfOtherInstructions) {
  EXPECT_EQ(why("add type hints"), "");
  EXPECT_EQ(why("add a docstring to total"), "");
  EXPECT_EQ(why(""), "");
  EXPECT_EQ(why("remove `x` " + std::string(400, 'x')), "");
}

}  // namespace
}  // namespace redraft
