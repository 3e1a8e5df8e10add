#include "workspace/completion/open_definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kit/byte_tokenizer.h"
#include "workspace/completion/completion_context.h"

namespace redraft {
namespace {

using testing::IsEmpty;
using Documents = std::vector<std::shared_ptr<const Document>>;

std::shared_ptr<const Document> open(const std::string& uri, const std::string& text) {
  return *Document::make(uri, 1, text, "python");
}

std::string function(const std::string& name) { return "def " + name + "(a):\n    return a\n"; }

// For a cursor at the end of `text`.
std::vector<Snippet> find(const Documents& documents, const std::string& text,
                          std::size_t max_tokens = 4000) {
  const auto document = open("file:///project/main.py", text);
  const std::shared_ptr<const Tokenizer> tokenizer = byte_tokenizer();
  return open_definitions(documents, *tokenizer,
                          {.text = document->text(),
                           .offset = text.size(),
                           .tree = document->syntax(),
                           .max_tokens = max_tokens});
}

TEST(OpenDefinitions, ShowWhatIsNamedAroundThePlaceTheNearestLast) {
  const Documents documents = {
      open("file:///project/shapes.py", function("area") + function("rim")),
      open("file:///project/paint.py", function("colour"))};
  const auto found = find(documents, "x = area(1)\n" + std::string(30, '\n') + "y = colour(");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].file, "/project/shapes.py");
  EXPECT_EQ(found[0].text, function("area"));
  EXPECT_EQ(found[0].tokens, found[0].text.size()) << "a byte is a token here";
  EXPECT_EQ(found[1].text, function("colour"));
}

TEST(OpenDefinitions, PrefersTheMostRecentlyUsedFile) {
  Documents documents = {open("file:///a.py", "def get(a, b):\n    pass\n"),
                         open("file:///b.py", function("get"))};
  EXPECT_EQ(find(documents, "get(").at(0).file, "/a.py");
  for (const char* uri : {"file:///c.py", "file:///d.py"})
    documents.push_back(open(uri, function("get")));
  EXPECT_THAT(find(documents, "get("), IsEmpty()) << "that says little about what is meant";
}

TEST(OpenDefinitions, AreNotMoreThanRequested) {
  const Documents documents = {open("file:///a.py", function("first") + function("second"))};
  const std::size_t one = function("first").size() + 1;
  EXPECT_EQ(find(documents, "first(second(", one).size(), 1U);
  EXPECT_THAT(find(documents, "first(second(", 5), IsEmpty());
  EXPECT_THAT(find({open("file:///notes.txt", "first")}, "first("), IsEmpty());
  EXPECT_THAT(find(documents, "def first(a):\n    pass\nfirst("), IsEmpty()) << "its own is meant";
}

TEST(OpenDefinitions, AreSearchedForAgainWhenAFileIsOpened) {
  SteadySnippets steady;
  const auto document = open("file:///main.py", "area(");
  Documents documents;
  std::shared_ptr<const SnippetPlace> place;
  const auto snippets = [&] {
    place = steady_place(place, {.document = document, .offset = 5, .open = documents});
    return steady.at(place, nullptr, 500, *byte_tokenizer()).size();
  };
  EXPECT_EQ(snippets(), 0U);
  documents.push_back(open("file:///shapes.py", function("area")));
  EXPECT_EQ(snippets(), 1U);
  // While a file is typed in they stay, because they are at the beginning of prompts.
  documents[0] = *documents[0]->changed(2, function("area") + function("area"));
  EXPECT_EQ(snippets(), 1U);
}

}  // namespace
}  // namespace redraft
