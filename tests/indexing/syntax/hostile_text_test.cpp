// Texts that are harmful by design or by accident: they take bounded time and stack.
#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "indexing/syntax/chunks.h"
#include "indexing/syntax/name_uses.h"
#include "tests/indexing/syntax/marked_text.h"
#include "tests/indexing/syntax/samples.h"

namespace redraft {
namespace {

constexpr int kDepth = 8000;
constexpr std::size_t kStackBytes = 128 << 10;  // a recursion that deep would need much more

// Runs `work` on a thread with a small stack.
void on_small_stack(std::function<void()> work) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStackBytes), 0);
  pthread_t thread{};
  const auto run = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

std::string repeated(std::string_view piece, int n) {
  std::string text;
  text.reserve(piece.size() * static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) text += piece;
  return text;
}

// Calls every function of a tree; a text may also be refused.
void read_all(const std::string& text, const char* language) {
  SCOPED_TRACE(language);
  const ParseLimits limits{.time = std::chrono::milliseconds(60)};
  const std::optional<SyntaxTree> tree = try_parse(text, language, limits);
  if (!tree) return;
  const std::vector<Definition> definitions = tree->definitions();
  tree->identifiers({0, text.size()});
  tree->line_tokens();
  for (const char* name : {"a", "x", "f"}) tree->meanings_of(name);
  tree->errors();
  for (std::size_t part = 0; part <= 4; ++part) tree->enclosing_definition(text.size() * part / 4);
  for (std::size_t part = 0; part <= 4; ++part) tree->in_comment(text.size() * part / 4);
  EXPECT_TRUE(tree->same_structure(*tree));
  chunks(text, definitions, 1000);
  const std::optional<SyntaxTree> edited =
      tree->edited(std::make_shared<const std::string>(text + "\n"), limits);
  if (edited) edited->definitions();
}

TEST(HostileText, DeepNestingNeedsNoStack) {
  on_small_stack([] {
    for (const Sample& sample : samples()) {
      for (const char* piece : {"(", "[", "{", "<a>", "((x) => ", "- ", "> ", "if x:\n ", "a: [",
                                "\"${", "#{", "f(", "*", "-", "a.", "a ? "})
        read_all(repeated(piece, kDepth), sample.language);
    }
  });
}

// Looking from a place outwards takes as long as it is deep, not the square of that: less than
// parsing, and far less than the thousandfold that it was.
TEST(HostileText, WhetherADeepPlaceIsInACommentIsFoundAtOnce) {
  constexpr int kDeep = 10'000;
  using Clock = std::chrono::steady_clock;
  for (const char* language : {"python", "javascript", "rust", "json"}) {
    const auto text =
        std::make_shared<const std::string>("x = " + repeated("[", kDeep) + repeated("]", kDeep));
    const auto begin = Clock::now();
    const std::optional<SyntaxTree> tree = SyntaxTree::parse(text, language);
    const auto parsing = Clock::now() - begin;
    ASSERT_TRUE(tree) << language;
    const auto asked = Clock::now();
    for (const int at : {kDeep / 2, 4 + kDeep, 2 * kDeep})
      EXPECT_FALSE(tree->in_comment(static_cast<std::size_t>(at)));
    EXPECT_LT(Clock::now() - asked, 20 * parsing) << language;
  }
}

TEST(HostileText, DeepNestingOfDefinitions) {
  on_small_stack([] {
    read_all(repeated("function f() { // c\n", kDepth), "javascript");
    read_all(repeated("function f() {\n", kDepth) + repeated("}", kDepth), "javascript");
    read_all(repeated("(function() {", kDepth) + repeated("})", kDepth), "javascript");
    read_all(repeated("namespace a {\n// c\n", kDepth) + repeated("}", kDepth), "cpp");
    read_all(repeated("{\"a\":\n", kDepth) + "1" + repeated("}", kDepth), "json");
    read_all(repeated("<div>\n", kDepth), "html");
    read_all(repeated("# c\n", kDepth) + "def f():\n pass\n", "python");
    read_all("int " + repeated("*", kDepth) + "f() {}\n", "c");
    read_all("int " + repeated("(", kDepth) + "f" + repeated(")", kDepth) + "() {}\n", "c");
    read_all("a = " + repeated("[", kDepth) + repeated("]", kDepth) + "\n", "python");
  });
}

// Their states do not fit the buffer that tree-sitter reserves for them.
TEST(HostileText, ManyOpenBlocks) {
  for (int n = 200; n < 800; n += 31) {
    read_all(repeated("> ", n) + "a\n\nb\n", "markdown");
    read_all(repeated("- ", n) + "a\n\nb\n", "markdown");
    std::string indented;
    std::string keys;
    for (int i = 0; i < n; ++i) {
      indented += std::string(static_cast<std::size_t>(i), ' ') + "if x:\n";
      keys += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
    }
    read_all(indented, "python");
    read_all("f'" + indented, "python");
    read_all(keys, "yaml");
    read_all(repeated("cat <<A ", n) + "\n", "shellscript");
    read_all(repeated("<x-custom-tag>", n), "html");
    read_all(repeated("$\"{", n), "csharp");
    read_all(repeated("<<~A + ", n) + "\n" + repeated("\"#{", n), "ruby");
  }
}

TEST(HostileText, BytesThatAreNoText) {
  std::mt19937 random(3);
  for (int round = 0; round < 4; ++round) {
    std::string bytes(3000, ' ');
    for (char& byte : bytes) byte = static_cast<char>(random() % (round % 2 == 0 ? 256 : 128));
    for (const Sample& sample : samples()) read_all(bytes, sample.language);
  }
}

TEST(HostileText, SamplesInOtherLanguages) {
  for (const Sample& text : samples()) {
    for (const Sample& language : samples())
      read_all(MarkedText(text.marked).text, language.language);
  }
}

TEST(HostileText, EmptyAndBlankTextsHaveTrees) {
  for (const Sample& sample : samples()) {
    for (const char* text : {"", "\n", " ", "\r\n\r\n", "\xEF\xBB\xBF", "\t\n \n", "x"}) {
      ASSERT_TRUE(try_parse(text, sample.language)) << sample.language;
      read_all(text, sample.language);
    }
  }
}

TEST(HostileText, ThreadsShareATree) {
  const SyntaxTree tree = parse(MarkedText(samples()[2].marked).text, "cpp");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([tree] {
      for (int round = 0; round < 50; ++round) {
        EXPECT_EQ(tree.definitions().size(), 5);
        EXPECT_TRUE(tree.edited(std::make_shared<const std::string>(tree.text() + "int x;\n")));
      }
    });
  }
}

}  // namespace
}  // namespace redraft
