#include "workspace/edit/text_doubts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"
#include "workspace/edit/edit_outcome.h"
#include "workspace/edit/head_line.h"

namespace redraft {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> reasons(const std::string& before, const std::string& after,
                                 const std::string& instruction,
                                 const std::string& language = "lines") {
  const auto document = *Document::make("file:///a", 1, before, language);
  const auto changed = *Document::make("file:///b", 1, after, language);
  const EditRegion region = *EditRegion::make(document, EditScope::kFile, {});
  const EditRegion new_region = *EditRegion::make(changed, EditScope::kFile, {});
  std::vector<Hunk> hunks;
  for (const LineChange& change : diff_lines(region.lines(), new_region.lines()))
    hunks.push_back({static_cast<int>(hunks.size()), region.edit(change), {}});
  std::vector<std::string> list;
  for (const Doubt& doubt : doubts_about(*document, instruction, hunks, {region.range()})) {
    EXPECT_FALSE(doubt.edits.empty());
    EXPECT_TRUE(std::ranges::is_sorted(doubt.edits));
    for (const int edit : doubt.edits) EXPECT_LT(edit, static_cast<int>(hunks.size()));
    list.push_back(doubt.reason);
  }
  return list;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(HeadLine, TheNameThatALineDeclares) {
  const std::pair<const char*, const char*> kNames[] = {
      {"    func total30(n: Int) throws -> Int {", "total30"},
      {"struct Item30 {", "Item30"},
      {"public final class Foo<T>: Bar {", "Foo"},
      {"@MainActor final class Model: Base {", "Model"},
      {"extension String {", "String"},
      {"fun String.half(): String = take(2)", "String.half"},
      {"private suspend fun <T> load(id: Int): T {", "load"},
      {"data class Item(val a: Int)", "Item"},
      {"enum class Color { RED }", "Color"},
      {"fun interface Sink {", "Sink"},
      {"Future<void> load() async {", "load"},
      {"  int total(int n) {", "total"},
      {"resource \"aws_instance\" \"web\" {", "aws_instance.web"},
      {"variable \"region\" {", "region"},
      {"CREATE TABLE IF NOT EXISTS users (", "users"},
      {"create or replace function total(n int) returns int", "total"},
      {"defmodule App.Item do", "App.Item"},
      {"  defp total(n) do", "total"},
      {"pub fn total(n: u32) u32 {", "total"},
      {"pub(crate) fn total(n: u32) -> u32 {", "total"},
      {"case class Item(a: Int)", "Item"},
      {"function go17() {", "go17"},
      {"message Item {", "Item"},
      {"sub total {", "total"},
      {"proc total*(n: int): int =", ""},
      {"async function load(a) {", "load"},
      {"export default function load(a) {", "load"},
      // These declare nothing.
      {"// func total() {", ""},
      {"# class of things", ""},
      {"a class of things", ""},
      {"The function that returns it", ""},
      {"if (total(n)) {", ""},
      {"} else if (a) {", ""},
      {"return total(n) {", ""},
      {"items.forEach(each) {", ""},
      {"describe(\"it\", () => {", ""},
      {"const total = 3", ""},
      {"let f = function (a) {", ""},
      {"record = load(a)", ""},
      {"message(a)", ""},
      {"", ""}};
  for (const auto& [line, name] : kNames) EXPECT_EQ(declared_name(line), name) << line;
}

// The same small program in languages that have no tree here: a type with two functions.
struct Sample {
  const char* text;
  const char* first;  // the head of the first function
  const char* body;   // a line of its body, and another one for it
  const char* other_body;
  const char* second;  // all lines of the second function
  const char* added;   // another function
};

const Sample kSamples[] = {
    {"struct Item {\n    let price: Int\n\n    func total(n: Int) -> Int {\n        return price * "
     "n\n"
     "    }\n\n    func show() -> String {\n        return \"\\(price)\"\n    }\n}\n",
     "    func total(n: Int) -> Int {\n", "        return price * n\n",
     "        return price + n\n",
     "    func show() -> String {\n        return \"\\(price)\"\n    }\n",
     "    func half() -> Int {\n        return price / 2\n    }\n"},
    {"class Item(val price: Int) {\n    fun total(n: Int): Int {\n        return price * n\n    "
     "}\n\n"
     "    fun show(): String {\n        return \"$price\"\n    }\n}\n",
     "    fun total(n: Int): Int {\n", "        return price * n\n", "        return price + n\n",
     "    fun show(): String {\n        return \"$price\"\n    }\n",
     "    fun half(): Int {\n        return price / 2\n    }\n"},
    {"class Item {\n  final int price;\n\n  int total(int n) {\n    return price * n;\n  }\n\n"
     "  String show() {\n    return '$price';\n  }\n}\n",
     "  int total(int n) {\n", "    return price * n;\n", "    return price + n;\n",
     "  String show() {\n    return '$price';\n  }\n",
     "  int half() {\n    return price ~/ 2;\n  }\n"},
    {"defmodule Item do\n  def total(price, n) do\n    price * n\n  end\n\n  def show(price) do\n"
     "    \"#{price}\"\n  end\nend\n",
     "  def total(price, n) do\n", "    price * n\n", "    price + n\n",
     "  def show(price) do\n    \"#{price}\"\n  end\n",
     "  def half(price) do\n    div(price, 2)\n  end\n"},
    {"object Item {\n  def total(n: Int): Int = {\n    price * n\n  }\n\n  def show(): String = {\n"
     "    price.toString\n  }\n}\n",
     "  def total(n: Int): Int = {\n", "    price * n\n", "    price + n\n",
     "  def show(): String = {\n    price.toString\n  }\n",
     "  def half(): Int = {\n    price / 2\n  }\n"},
};

TEST(TextDoubts, NoneAboutAnOrdinaryChange) {
  for (const Sample& sample : kSamples) {
    SCOPED_TRACE(sample.text);
    const std::string text = sample.text;
    EXPECT_THAT(reasons(text, replaced(text, sample.body, sample.other_body), "add them"),
                IsEmpty());
    EXPECT_THAT(
        reasons(text,
                replaced(text, sample.second, std::string(sample.added) + "\n" + sample.second),
                "add half"),
        IsEmpty());
    EXPECT_THAT(reasons(text, replaced(text, sample.second, ""), "remove show"), IsEmpty());
    EXPECT_THAT(reasons(text, replaced(text, "total", "sum"), "rename total to sum"), IsEmpty());
  }
}

TEST(TextDoubts, ADefinitionThatIsGoneOrThereTwiceOrHasAnotherName) {
  for (const Sample& sample : kSamples) {
    SCOPED_TRACE(sample.text);
    const std::string text = sample.text;
    EXPECT_THAT(reasons(text, replaced(text, sample.second, ""), "add type hints"),
                Contains("the definition of 'Item.show' is gone"));
    EXPECT_THAT(
        reasons(text,
                replaced(text, sample.second, std::string(sample.second) + "\n" + sample.second),
                "add type hints"),
        Contains("'Item.show' is defined twice"));
    EXPECT_THAT(reasons(text, replaced(text, "total", "amount"), "make it faster"),
                Contains("'Item.total' is now 'Item.amount'"));
  }
}

TEST(TextDoubts, LinesThatStandForOthers) {
  const std::string text = kSamples[0].text, body = kSamples[0].body;
  for (const char* line : {"...", "// ... existing code ...", "// existing code", "<!-- rest -->",
                           "# rest of the code", "/* ... */", "// remaining code unchanged",
                           "-- rest of the function", "\u2026"}) {
    EXPECT_THAT(
        reasons(text, replaced(text, body, std::string("        ") + line + "\n"), "change it"),
        Contains(HasSubstr("stands for lines that are left out")))
        << line;
    // The file has such a line.
    const std::string with = text + line + "\n";
    EXPECT_THAT(reasons(with, replaced(with, body, kSamples[0].other_body), "change it"), IsEmpty())
        << line;
  }
  for (const char* line : {"// ... and that is why n is a number", "// the rest stays in the cache",
                           "a...b", "f(...)"})
    EXPECT_THAT(reasons(text, replaced(text, body, body + std::string(line) + "\n"), "change it"),
                Not(Contains(HasSubstr("stands for"))))
        << line;
}

std::string many_lines(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += "set value_" + std::to_string(i) + " to something\n";
  return text;
}

TEST(TextDoubts, ManyLinesThatGo) {
  const std::string text = "first line here\n" + many_lines(20) + "last line here\n";
  const std::string without = "first line here\nlast line here\n";
  EXPECT_THAT(reasons(text, without, "add a comment"),
              Contains("20 lines from line 2 on are gone"));
  EXPECT_THAT(reasons(text, without, "remove the values"), IsEmpty());
  EXPECT_THAT(reasons(text, without, "Simplify this"), IsEmpty());
  // Lines that are written anew, or elsewhere.
  std::string others = text;
  for (std::size_t at = others.find("something"); at != others.npos; at = others.find("something"))
    others.replace(at, 9, "nothing");
  EXPECT_THAT(reasons(text, others, "make it nothing"), IsEmpty());
  EXPECT_THAT(reasons(text, "first line here\nlast line here\n" + many_lines(20), "put it last"),
              IsEmpty());
  // A syntax tree does not see it either.
  for (const char* language : {"python", "yaml", "json", "markdown"})
    EXPECT_THAT(reasons(text, without, "add a comment", language),
                Contains(HasSubstr("lines from line 2 on are gone")))
        << language;
}

TEST(TextDoubts, AnAnswerThatIsFarTooShort) {
  std::string text, after;
  for (int i = 0; i < 24; ++i) {
    const std::string line = "some words " + std::to_string(i) + "\n";
    text += line;
    if (i % 4 == 0) after += line;  // no hunk takes away many
  }
  EXPECT_THAT(reasons(text, after, "say it better"), Not(IsEmpty()));
}

TEST(TextDoubts, BracketsAndTagsThatAreNotClosed) {
  const std::string text = kSamples[0].text;
  EXPECT_THAT(reasons(text, replaced(text, "    }\n\n", "\n"), "change it"),
              Contains("a '{' has no '}'"));
  EXPECT_THAT(reasons(text, replaced(text, "price * n", "price * (n"), "change it"),
              Contains("a '(' has no ')'"));
  const std::string markup =
      "<template>\n  <div>\n    <p>a</p>\n    <br/>\n    <b>c</b>\n  </div>\n</template>\n";
  EXPECT_THAT(reasons(markup, replaced(markup, "<b>c</b>", "</div></template>\n<b>c</b>"), "c"),
              Contains("a tag 'template' is closed twice"));
  EXPECT_THAT(reasons(markup, replaced(markup, "  </div>\n", ""), "c"),
              Contains("a tag 'div' is not closed"));
  EXPECT_THAT(reasons(markup, replaced(markup, "<p>a</p>", "<p>a</p><p>b</p><i/>"), "c"),
              IsEmpty());
  // One that was open already.
  EXPECT_THAT(reasons("a (\nb\n", "a (\nc ((\n", "change it"), IsEmpty());
  EXPECT_THAT(reasons("let a: List<Int>\n", "let a: Map<Int, List<Int>>\n", "change it"),
              IsEmpty());
}

TEST(TextDoubts, AnInsertionOfLinesThatStandNextToIt) {
  const std::string text = "header\n" + many_lines(6) + "footer\n";
  EXPECT_THAT(reasons(text, "header\n" + many_lines(6) + many_lines(6) + "footer\n", "change it"),
              Contains("6 lines are there twice"));
  EXPECT_THAT(reasons(text, "header\n" + many_lines(9) + "footer\n", "add three"), IsEmpty());
}

// Tests and methods are often alike.
TEST(TextDoubts, AFunctionLikeTheOneBesideItIsNoRepetition) {
  const std::string code =
      "func open(path) {\n  check(path)\n  mark = start()\n  data = read(path)\n  finish(mark)\n"
      "  return data\n}\n";
  const std::string other = replaced(code, "func open(path)", "func load(path)");
  for (const std::string& language : {std::string("lines"), std::string("go")})
    EXPECT_THAT(reasons(code, code + "\n" + other, "add load", language), IsEmpty());
  EXPECT_THAT(reasons(code, code + code.substr(code.find("  check")), "add load"),
              Contains(HasSubstr("lines are there twice")));
}

}  // namespace
}  // namespace redraft
