// The speed of parsing one text: as a whole, again after a keystroke, and of queries to the tree.
//   syntax_bench FILE LANGUAGE
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/programs/stopwatch.h"
#include "indexing/syntax/chunks.h"
#include "indexing/syntax/syntax_tree.h"

namespace redraft {
namespace {

constexpr int kRounds = 7;
constexpr int kPlaces = 1000;
constexpr int kKeystrokes = 200;

void print(const char* what, const std::vector<double>& times) {
  std::printf("%-24s %9.3f ms  (99 %%: %.3f ms)\n", what, quantile(times, 0.5),
              quantile(times, 0.99));
}

template <typename Work>
std::vector<double> repeated(int rounds, const Work& work) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) times.push_back(seconds(work) * 1e3);
  return times;
}

// False if the text has no tree.
bool measure(const std::string& text, const char* language) {
  const auto shared = std::make_shared<const std::string>(text);
  std::optional<SyntaxTree> tree;
  const std::vector<double> whole =
      repeated(kRounds, [&] { tree = SyntaxTree::parse(shared, language); });
  if (!tree) return false;
  std::printf("%s: %zu bytes, %td lines, %zu definitions, %zu errors, %.1f MB/s\n", language,
              text.size(), std::count(text.begin(), text.end(), '\n'), tree->definitions().size(),
              tree->errors().size(), static_cast<double>(text.size()) / 1e3 / quantile(whole, 0.5));
  print("whole", whole);
  std::mt19937 random(1);
  print("enclosing definition",
        repeated(kPlaces, [&] { (void)tree->enclosing_definition(random() % (text.size() + 1)); }));
  std::string changed = text;
  std::vector<double> keystrokes;
  for (int i = 0; i < kKeystrokes; ++i) {
    const std::size_t at = random() % (changed.size() + 1);
    changed.insert(at, 1, static_cast<char>('a' + random() % 26));
    const auto next = std::make_shared<const std::string>(changed);
    keystrokes.push_back(1e3 * seconds([&] { tree = tree->edited(next); }));
    if (!tree) return false;
    changed.erase(at, 1);
    tree = tree->edited(std::make_shared<const std::string>(changed));
    if (!tree) return false;
  }
  print("after a keystroke", keystrokes);
  print("definitions", repeated(kRounds, [&] { (void)tree->definitions(); }));
  print("chunks", repeated(kRounds, [&] { (void)chunks(text, tree->definitions(), 1500); }));
  print("identifiers", repeated(kRounds, [&] { (void)tree->identifiers({0, text.size()}); }));
  print("first tokens of lines", repeated(kRounds, [&] { (void)tree->line_tokens(); }));
  return true;
}

}  // namespace
}  // namespace redraft

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: syntax_bench FILE LANGUAGE\n");
    return 2;
  }
  std::ifstream stream(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (text.empty() || !redraft::measure(text, argv[2])) {
    std::fprintf(stderr, "%s: empty, not there, or nothing that is parsed as %s\n", argv[1],
                 argv[2]);
    return 1;
  }
  return 0;
}
