#include "workspace/snippets/snippets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "indexing/store/text_store.h"
#include "indexing/text_definitions.h"
#include "languages/languages.h"
#include "support/thread_time.h"
#include "tests/kit/byte_tokenizer.h"
#include "workspace/snippets/name_ranking.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class SnippetsTest : public testing::Test {
 protected:
  void add(const std::string& file, const std::string& text) {
    store_.put({{file, {}, tokenizer_->encode(text), stored_definitions(text, language_of(file))}});
  }
  // For a cursor at the end of `text`.
  std::vector<Snippet> find(const std::string& text, std::size_t max_tokens = 4000,
                            const std::string& language = "python") {
    const auto shared = std::make_shared<const std::string>(text);
    const auto tree = SyntaxTree::parse(shared, language);
    return find_snippets(*store_.snapshot(), *tokenizer_,
                         {.text = *shared,
                          .offset = text.size(),
                          .tree = tree ? &*tree : nullptr,
                          .max_tokens = max_tokens});
  }

  std::shared_ptr<const Tokenizer> tokenizer_ = byte_tokenizer();
  TextStore store_;
};

TEST_F(SnippetsTest, ShowWhatTheNamesAroundThePlaceStandFor) {
  add("shapes.py",
      "def circle_area(radius):\n    \"\"\"In square metres.\"\"\"\n    return radius\n");
  add("other.py", "def unrelated():\n    pass\n");
  const auto found = find("from shapes import circle_area\n\ndef total(items):\n    return sum(");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].file, "shapes.py");
  EXPECT_THAT(found[0].text, StartsWith("def circle_area(radius):\n"));
  EXPECT_EQ(found[0].tokens, found[0].text.size()) << "a byte is a token here";
}

// Of a type also how its methods begin, wherever the language has them.
TEST_F(SnippetsTest, DefinitionsOfTypesNameTheirMethods) {
  add("store.go",
      "package shop\n\ntype Store struct {\n\ttexts map[string]string\n}\n\n"
      "func (s *Store) Lookup(key string) (string, bool) {\n\treturn s.texts[key]\n}\n\n"
      "func (o *Other) Put(key string) {\n}\n");
  add("queue.rs",
      "pub struct Queue {\n    jobs: Vec<u8>,\n}\n\nimpl Queue {\n"
      "    pub fn waiting(&self) -> usize {\n        self.jobs.len()\n    }\n}\n");
  std::string methods;
  for (int i = 0; i < 9; ++i)
    methods += "    def step" + std::to_string(i) + "(self):\n        pass\n\n";
  add("client.py", "class Client:\n" + methods);
  const SnippetQuery query{.text = {}};
  const auto text_of = [&](const std::string& name) {
    const auto found = find_definitions(*store_.snapshot(), *tokenizer_, query, {name});
    return found.empty() ? std::string() : found[0].text;
  };
  EXPECT_EQ(text_of("Store"),
            "type Store struct {\n\ttexts map[string]string\n}\n...\n"
            "func (s *Store) Lookup(key string) (string, bool) {\n");
  EXPECT_EQ(text_of("Queue"),
            "pub struct Queue {\n    jobs: Vec<u8>,\n}\n...\n"
            "    pub fn waiting(&self) -> usize {\n");
  const std::string client = text_of("Client");
  EXPECT_THAT(client, StartsWith("class Client:\n    def step0(self):\n        pass\n"));
  EXPECT_THAT(client, HasSubstr("...\n    def step4(self):\n    def step5(self):\n"))
      << "those that its beginning shows are not shown again";
  EXPECT_THAT(text_of("Lookup"), StartsWith("func (s *Store) Lookup"));
}

TEST_F(SnippetsTest, TakeTheFileThatTheBufferSpeaksOf) {
  add("shapes.py", "def area(radius):\n    return radius\n");
  add("fields.py", "def area(acres):\n    return acres\n");
  EXPECT_THAT(find("x = area("), IsEmpty()) << "either may be meant";
  const auto found = find("import fields\n\nx = fields.area(");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].file, "fields.py");
  for (int i = 0; i < 4; ++i)
    add("fields" + std::to_string(i) + ".py", "def area(a):\n    return a\n");
  EXPECT_THAT(find("import fields\n\nx = fields.area("), IsEmpty()) << "too many have that name";
}

TEST_F(SnippetsTest, LeaveOutWhatTheBufferDefinesItself) {
  add("old.py", "def area(radius):\n    return radius\n");
  EXPECT_THAT(find("def area(side):\n    return side\n\nx = area("), IsEmpty());
}

TEST_F(SnippetsTest, ShowCodeThatResemblesTheBeginning) {
  const std::string loop =
      "    with open_ledger(path) as ledger:\n        for entry in ledger.entries():\n"
      "            if entry.is_void():\n                continue\n";
  std::string filler;
  for (int i = 0; i < 60; ++i) filler += "value_" + std::to_string(i * 7919) + " = None\n";
  add("report.py", filler + "\ndef report(path):\n" + loop + "            print(entry.total)\n");
  add("noise.py", filler);
  const auto found = find("def export(path):\n" + loop + "            ");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.back().file, "report.py") << "the best comes last";
  EXPECT_THAT(found.back().text, HasSubstr("print(entry.total)"));
  // Also if the language is unknown.
  add("report.xyz", "report" + loop + "            write(entry)\n");
  EXPECT_FALSE(find("export" + loop, 4000, "xyz").empty());
}

TEST_F(SnippetsTest, StayWithinTheirTokens) {
  std::string text;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "helper_" + std::string(1, static_cast<char>('a' + i));
    add(name + ".py", "def " + name + "(value):\n    return value + " + std::to_string(i) + "\n");
    text += "import " + name + "\n";
  }
  std::size_t before = 0;
  for (const std::size_t most : {0U, 30U, 100U, 400U, 2000U}) {
    std::size_t tokens = 0;
    for (const Snippet& snippet : find(text, most))
      tokens += tokenizer_->encode(snippet.text).size();
    EXPECT_LE(tokens, most);
    EXPECT_GE(tokens, before);
    before = tokens;
  }
  EXPECT_GT(before, 500U);
}

TEST_F(SnippetsTest, ShowsTheBeginningOfLongDefinitions) {
  std::string text = "class Engine:\n    \"\"\"Runs.\"\"\"\n";
  for (int i = 0; i < 100; ++i) text += "    option_" + std::to_string(i) + " = 1\n";
  add("engine.py", text);
  const auto found = find("engine = Engine(");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_LE(std::ranges::count(found[0].text, '\n'), 12);
  EXPECT_THAT(found[0].text, StartsWith("class Engine:\n"));
  add("line.py", "def endless(): return " + std::string(5000, 'x'));
  EXPECT_THAT(find("y = endless("), IsEmpty()) << "too long for the budget";
}

TEST(NameRanking, PrefersWhatIsNearAndWhatIsImported) {
  std::string text = "import ledger\nfaraway(1)\n";
  for (int i = 0; i < 100; ++i) text += "\n";
  text += "middle(2)\n\n\n\n\n\n\n\nnearby(3)\n";
  const auto tree = SyntaxTree::parse(std::make_shared<const std::string>(text), "python");
  std::vector<std::string_view> names;
  for (const RankedName& ranked : ranked_names(*tree, text.size(), 3)) names.push_back(ranked.name);
  EXPECT_THAT(names, ElementsAre("nearby", "middle", "ledger"));
}

// What ranking takes of this thread's time where so many names are separated like this.
std::chrono::nanoseconds time_of_ranking(const char* separator) {
  std::string text;
  for (int i = 0; i < 30000; ++i) text += "name_" + std::to_string(i) + separator;
  const auto tree = SyntaxTree::parse(std::make_shared<const std::string>(text), "python",
                                      {.time = std::chrono::minutes(1)});
  EXPECT_TRUE(tree);
  if (!tree) return {};
  const auto begin = thread_time();
  EXPECT_EQ(ranked_names(*tree, text.size(), 5).size(), 5U);
  return thread_time() - begin;
}

// A line of thirty thousand names takes about as long as thirty thousand lines, and not the square
// of it.
TEST(NameRanking, HandlesLongLines) {
  EXPECT_LT(time_of_ranking(", "), 20 * time_of_ranking(",\n"));
}

}  // namespace
}  // namespace redraft
