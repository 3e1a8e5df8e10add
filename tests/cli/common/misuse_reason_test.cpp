#include "cli/common/misuse_reason.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <random>

#include "cli/common/command_line.h"
#include "text/strings/nearest_word.h"

namespace redraft::cli {
namespace {

TEST(NearestWord, IsWhatAFingerMissed) {
  const std::vector<std::string> words = {"edit", "complete", "generate", "index", "doctor", "lsp"};
  EXPECT_EQ(nearest_word("edti", words), "edit");  // two letters changed places
  EXPECT_EQ(nearest_word("eidt", words), "edit");
  EXPECT_EQ(nearest_word("complet", words), "complete");
  EXPECT_EQ(nearest_word("comp", words), "complete");  // somebody stopped in the middle
  EXPECT_EQ(nearest_word("Doctor", words), "doctor");
  EXPECT_EQ(nearest_word("frobnicate", words), "");
  EXPECT_EQ(nearest_word("", words), "");
  EXPECT_EQ(nearest_word("x", words), "");
  EXPECT_EQ(nearest_word("edit", {}), "");
}

TEST(NearestWord, IsTheWordItself) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    std::string word(4 + random() % 8, 'a');
    for (char& c : word) c = static_cast<char>('a' + random() % 26);
    std::string near = word;
    std::swap(near[0], near[1]);
    EXPECT_EQ(nearest_word(word, {"zzzzzzzzzzzzzzzzzzzzzzzz", word}), word);
    EXPECT_EQ(nearest_word(near, {word}), word);
  }
}

struct Parsed {
  std::string reason;  // empty: there was no error
  int level = -1;
};

Parsed parse(const std::vector<std::string>& args) {
  CLI::App app("", "app");
  app.require_subcommand(1);
  const CommandLine run = CommandLine(&app).add_subcommand("run", "");
  bool quiet = false;
  Parsed parsed;
  std::string file, text;
  std::vector<std::string> folders;
  run.add_option("FILE", file).required();
  run.add_option("-t,--text", text).required();
  run.add_option("--folders", folders);
  run.add_flag("--quiet", quiet);
  run.add_option("--level", parsed.level).transform(one_of<int>({{"low", 1}, {"high", 2}}));
  run.add_option("--colour", text).check(any_of({"red", "green"}));
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) {
    parsed.reason = misuse_reason(app, args, error);
  }
  return parsed;
}

TEST(MisuseReason, NamesTheFirstWordThatIsUnknown) {
  EXPECT_EQ(parse({"ru", "f"}).reason, "`app` has no command ru; did you mean run?");
  EXPECT_EQ(parse({"run", "f", "--txt", "a"}).reason,
            "`app run` has no option --txt; did you mean --text?");
  EXPECT_EQ(parse({"run", "f", "-x", "a"}).reason, "`app run` has no option -x");
  EXPECT_EQ(parse({"--run"}).reason, "`app` has no option --run");
}

// What an option takes is no option, however it looks.
TEST(MisuseReason, ValuesAreNoOptions) {
  EXPECT_EQ(parse({"run", "-t", "--no-option", "--quite"}).reason,
            "`app run` has no option --quite; did you mean --quiet?");
  EXPECT_EQ(parse({"run", "--folders", "a", "b", "--texd=x"}).reason,
            "`app run` has no option --texd; did you mean --text?");
  EXPECT_EQ(parse({"run", "-tvalue"}).reason, "FILE is required");
  EXPECT_EQ(parse({"run", "-t", "a", "--", "--text", "b"}).reason.find("has no option"),
            std::string::npos);
}

TEST(MisuseReason, ElseTheParserSaysWhatIsWrong) {
  EXPECT_EQ(parse({"run", "f"}).reason, "--text is required");
  EXPECT_EQ(parse({"run", "f", "-t", "x", "--level", "hihg"}).reason,
            "--level: 'hihg' is not one of low, high; did you mean high?");
  EXPECT_EQ(parse({"run", "f", "-t", "x", "--level", "2"}).reason,
            "--level: '2' is not one of low, high");
  EXPECT_EQ(parse({"run", "f", "-t", "x", "--colour", "geen"}).reason,
            "--colour: 'geen' is not one of red, green; did you mean green?");
  const Parsed parsed = parse({"run", "f", "-t", "x", "--level", "high", "--colour", "red"});
  EXPECT_EQ(parsed.reason, "");
  EXPECT_EQ(parsed.level, 2);
}

}  // namespace
}  // namespace redraft::cli
