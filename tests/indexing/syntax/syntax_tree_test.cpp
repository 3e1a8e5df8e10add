#include "indexing/syntax/syntax_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "support/thread_time.h"
#include "tests/indexing/syntax/marked_text.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The marked range is the symbol at the cursor; no mark: there is none.
void check_symbol(const char* marked_text, const char* language) {
  SCOPED_TRACE(marked_text);
  const MarkedText marked(marked_text);
  const SyntaxTree tree = parse(marked.text, language);
  const std::optional<Definition> found = tree.enclosing_definition(marked.cursor);
  ASSERT_EQ(found.has_value(), marked.range.has_value());
  if (found) {
    EXPECT_EQ(at(tree, found->range), at(tree, *marked.range));
  }
}

TEST(EnclosingDefinition, IsTheSmallest) {
  check_symbol("«class A:\n    x =¦ 1\n    def f(self):\n        pass»\n", "python");
  check_symbol("class A:\n    «def f(self):\n        p¦ass»\n", "python");
}

TEST(EnclosingDefinition, IsNoneBetweenDefinitions) {
  check_symbol("def f():\n    pass\n¦\ndef g():\n    pass\n", "python");
  check_symbol("import os¦\ndef f():\n    pass\n", "python");
  check_symbol("¦", "python");
  check_symbol("def f():\n    pass\n¦", "python");
}

TEST(EnclosingDefinition, TakesInTheLinesBeforeAndBehindItsText) {
  check_symbol("class A {\n ¦   «void f() {\n    }»\n}\n", "java");
  check_symbol("class A {\n    «void f() {\n    }»¦\n}\n", "java");
  check_symbol("class A {\n    «void f() {\n    }»  ¦\n}\n", "java");
  check_symbol("«class A {\n    void f() {\n    }\n¦\n    void g() {\n    }\n}»\n", "java");
}

TEST(EnclosingDefinition, OwnsTheCommentsDirectlyAbove) {
  check_symbol("«// One\n// ¦two\nvoid f() {}»\n", "cpp");
  check_symbol("// One\n// ¦two\n\nvoid f() {}\n", "cpp");
  check_symbol("// Apart.\n\n«/*\n * Long.\n */\nvoid f() {¦}»\n", "cpp");
  check_symbol("int x;  // Of x.\n«void f() {¦}»\n", "cpp");
  check_symbol("«/* a ¦*/\ntemplate <typename T>\nvoid f() {}»\n", "cpp");
}

TEST(EnclosingDefinition, OwnsDecoratorsAndExports) {
  check_symbol("«@cac¦hed\ndef f():\n    pass»\n", "python");
  check_symbol("class A {\n  «// Why.\n  @cac¦hed\n  f() {}»\n}\n", "typescript");
  check_symbol("«// Why.\nexport default class A { ¦}»\n", "typescript");
  check_symbol("«template <¦typename T>\nvoid f() {}»\n", "cpp");
  check_symbol("«export ¦const f = () => {};»\n", "javascript");
  check_symbol("type (\n\tA ¦struct{}\n\t«B ¦struct{}»\n)\n", "go");
  check_symbol("type (¦\n\tA struct{}\n\tB struct{}\n)\n", "go");
  check_symbol("«#[test]¦\nfn f() {}»\n", "rust");
}

TEST(EnclosingDefinition, IsFoundInBrokenCode) {
  check_symbol("def f():\n    x = = 3\n\n«def g():\n    return ¦1»\n", "python");
}

TEST(EnclosingDefinition, CountsBytesOfOtherScripts) {
  check_symbol("s = 'Grüße 😀'\n«def größe():\n    return '¦ß'»\n", "python");
  check_symbol("\xEF\xBB\xBF«¦def f():\n    pass»\n", "python");
}

TEST(EnclosingDefinition, OutsideTheTextIsNone) {
  EXPECT_FALSE(parse("def f(): pass", "python").enclosing_definition(100));
}

TEST(SyntaxTree, ListsIdentifiersOfARange) {
  const SyntaxTree tree = parse("int count = total + count;  // count\nfoo(count);\n", "cpp");
  const auto identifiers = [&](ByteRange range) {
    std::vector<std::string> found;
    for (const ByteRange& each : tree.identifiers(range)) found.push_back(at(tree, each));
    return found;
  };
  EXPECT_THAT(identifiers({0, tree.text().size()}),
              ElementsAre("count", "total", "count", "foo", "count"));
  EXPECT_THAT(identifiers({5, 26}), ElementsAre("total", "count"));  // whole identifiers only
  EXPECT_THAT(identifiers({12, 12}), IsEmpty());
}

TEST(SyntaxTree, KnowsWhereLinesBegin) {
  const std::string text = "if x:\n    y = '''a\n  b'''\n\n\tz()\n# c\n";
  const SyntaxTree tree = parse(text, "python");
  EXPECT_THAT(tree.line_tokens(),
              ElementsAre(text.find("if"), text.find("y ="), text.find("z()"), text.find("# c")));
}

TEST(SyntaxTree, ShowsErrors) {
  const SyntaxTree good = parse("int f() { return 1; }\n", "c");
  EXPECT_FALSE(good.has_errors());
  EXPECT_THAT(good.errors(), IsEmpty());
  const SyntaxTree missing = parse("int f() { return 1 }\n", "c");
  EXPECT_THAT(missing.errors(), ElementsAre(SyntaxError{{18, 18}, true}));
  const SyntaxTree wrong = parse("int f() { @ return 1; }\n", "c");
  ASSERT_EQ(wrong.errors().size(), 1);
  EXPECT_EQ(at(wrong, wrong.errors()[0].range), "@");
  EXPECT_TRUE(breaks_syntax(good, missing));
  EXPECT_TRUE(breaks_syntax(good, wrong));
  EXPECT_FALSE(breaks_syntax(missing, wrong));
  EXPECT_FALSE(breaks_syntax(wrong, good));
}

TEST(SyntaxTree, IsNoneBeyondTheLimits) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "x = [1, 2, 3]\n";
  EXPECT_TRUE(try_parse(text, "python"));
  EXPECT_FALSE(try_parse(text, "python", {.text_bytes = 1000}));
  EXPECT_FALSE(try_parse(text, "python", {.memory_bytes = 100000}));
  EXPECT_FALSE(try_parse(text, "python", {.time = std::chrono::milliseconds(0)}));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(try_parse(text, "python", {.stop = stop.get_token()}));
  EXPECT_FALSE(
      parse("x", "python").edited(std::make_shared<const std::string>(text), {.text_bytes = 1000}));
}

// A signal keeps a thread in the middle of its work from going on, without using the processor, as
// other programs do.
struct Keeping {
  std::atomic<std::chrono::nanoseconds> after;  // of the thread's time
  std::atomic<std::chrono::milliseconds> wait;
  std::atomic<bool> done;
} keeping;

void keep_waiting(int) {
  if (keeping.done || thread_time() < keeping.after.load()) return;
  const long wait = keeping.wait.load().count();
  timespec left{wait / 1000, wait % 1000 * 1000000};
  while (nanosleep(&left, &left) != 0) {
  }
  keeping.done = true;
}

// What has a tree on an idle machine has one on a busy machine, where the parser waits its turn.
TEST(SyntaxTree, WaitingForTheProcessorIsNotBeyondTheLimits) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "x = [1, 2, 3]\n";
  const auto begin = thread_time();
  ASSERT_TRUE(try_parse(text, "python"));
  const auto needed = thread_time() - begin;
  const auto limit = std::chrono::ceil<std::chrono::milliseconds>(10 * needed);
  keeping.done = false;
  keeping.after = needed / 4;
  keeping.wait = 2 * limit;
  struct sigaction action = {};
  action.sa_handler = keep_waiting;
  struct sigaction before = {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  for (int round = 0; !keeping.done && round < 1000; ++round) {  // no signal may have come in time
    std::atomic<bool> is_over = false;
    std::jthread parses([&] {
      EXPECT_TRUE(try_parse(text, "python", {.time = limit}));
      is_over = true;
    });
    while (!is_over) {
      pthread_kill(parses.native_handle(), SIGUSR1);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  ASSERT_EQ(sigaction(SIGUSR1, &before, nullptr), 0);
  EXPECT_TRUE(keeping.done);
}

TEST(SyntaxTree, OutlivesTheOneItCameFrom) {
  std::optional<SyntaxTree> first = try_parse("def f(): pass\n", "python");
  std::optional<SyntaxTree> second =
      first->edited(std::make_shared<const std::string>("def f(): pass\ndef g(): pass\n"));
  const SyntaxTree copy = *second;
  first.reset();
  second.reset();
  EXPECT_THAT(names(copy), ElementsAre("function f", "function g"));
}

// "|" marks the cursor.
bool in_comment(std::string marked, const char* language) {
  const std::size_t offset = marked.find('|');
  marked.erase(offset, 1);
  return SyntaxTree::parse(std::make_shared<const std::string>(marked), language)
      ->in_comment(offset);
}

TEST(InComment, IsWithinOneAndAtTheEndOfALineOfOne) {
  EXPECT_TRUE(in_comment("x = 1  # on|e\n", "python"));
  EXPECT_TRUE(in_comment("x = 1  # one|\n", "python"));
  EXPECT_TRUE(in_comment("x = 1  # one|", "python"));
  EXPECT_TRUE(in_comment("int a;  // one|\nint b;\n", "cpp"));
  EXPECT_TRUE(in_comment("/* one\n|two */ int a;\n", "cpp"));
  EXPECT_TRUE(in_comment("fn f() {} // one|\r\n", "rust"));
  EXPECT_TRUE(in_comment("<p><!-- o|ne --></p>\n", "html"));
}

TEST(InComment, IsNotBesideOne) {
  EXPECT_FALSE(in_comment("x = 1|  # one\n", "python"));
  EXPECT_FALSE(in_comment("x = 1  |# one\n", "python"));
  EXPECT_FALSE(in_comment("# one\n|\n", "python"));
  EXPECT_FALSE(in_comment("x = '# |one'\n", "python"));
  EXPECT_FALSE(in_comment("int a; /* one */|\n", "cpp"));
  EXPECT_FALSE(in_comment("|", "python"));
}

}  // namespace
}  // namespace redraft
