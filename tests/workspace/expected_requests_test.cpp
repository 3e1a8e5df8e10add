// Completions and next edits that are to be expected are read before they are requested.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "tests/kit/edit_script.h"
#include "tests/kit/temp_folder.h"
#include "tests/workspace/next_edit/many_calls.h"
#include "tests/workspace/workspace_fixture.h"

namespace redraft {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kOther = "file:///b.py";

// And lines that have nothing in common with the calls: one that stays is shown as an example.
std::string calls_and_others() {
  std::string text = many_calls();
  for (const char* word : {"apple", "birch", "cedar", "dogwood", "elder", "fir", "gorse", "hazel"})
    text += std::string("    ") + word + "_tree = describe_" + word + "('" + word + "')\n";
  return text;
}

class ExpectedRequests : public WorkspaceTest {
 protected:
  ExpectedRequests() {
    script_.edits = {{"", "old(", "fresh("}};
    script_.fills.fills = {{"= ", "width"}};
    script_.record = (folder_.path() / "shown").string();
    start([this](const LoadControl&) {
      ++loads_;
      return as_engine(make_scripted_engine(script_));
    });
  }

  // The model is loaded by a first request.
  void load() {
    open("x = \n", kOther);
    complete(4, kOther);
    workspace_->close(kOther);
  }
  // A change is read by the third job: one waits for a pause, one comes back to the owner.
  void settle() {
    for (int i = 0; i < 3; ++i) finish();
  }
  void replace(const std::string& from, const std::string& to) {
    const std::size_t begin = workspace_->document(kUri)->text().find(from);
    ASSERT_NE(begin, std::string::npos);
    change(++version_, {{begin, begin + from.size()}, to});
  }
  NextEditAnswer next_edit() {
    std::optional<NextEditAnswer> answer;
    EXPECT_TRUE(workspace_->next_edit(kUri, false, [&](const NextEditAnswer& a) { answer = a; }));
    settle();
    EXPECT_TRUE(answer);
    return answer.value_or(NextEditAnswer());
  }
  CompletionAnswer complete(std::size_t offset, const char* uri = kUri) {
    std::optional<CompletionAnswer> answer;
    EXPECT_TRUE(workspace_->complete({.uri = uri, .offset = offset},
                                     [&](const CompletionAnswer& a) { answer = a; }));
    settle();
    EXPECT_TRUE(answer);
    return answer.value_or(CompletionAnswer());
  }
  static int unread(const DecodeStatistics& statistics) {
    return statistics.prompt_tokens - statistics.cached_prompt_tokens;
  }
  // All that the model was shown so far.
  std::string shown() const {
    std::ifstream file(script_.record);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TempFolder folder_;
  EditScript script_;
  int loads_ = 0;
  std::int64_t version_ = 1;
};

TEST_F(ExpectedRequests, ANextEditFindsItsPromptRead) {
  load();
  workspace_->expect_next_edits(true);
  open(calls_and_others());
  replace("old(x)", "fresh(x)");
  settle();
  const NextEditAnswer answer = next_edit();
  ASSERT_FALSE(answer.edits.empty());
  EXPECT_EQ(answer.edits[0].new_text, "    return 1 + fresh(x) + third\n");
  EXPECT_LE(unread(answer.statistics), 1) << "bytes are tokens here";
  EXPECT_GT(answer.statistics.prompt_tokens, 1000);
}

TEST_F(ExpectedRequests, ReadingMakesNoDifferenceToANextEdit) {
  std::vector<TextEdit> edits[2];
  for (const bool expected : {false, true}) {
    load();
    workspace_->expect_next_edits(expected);
    open(calls_and_others());
    replace("old(x)", "fr(x)");
    settle();
    replace("fr(x)", "fresh(x)");
    settle();
    const NextEditAnswer answer = next_edit();
    edits[expected ? 1 : 0] = answer.edits;
    if (expected) {
      EXPECT_LE(unread(answer.statistics), 1);
    } else {
      EXPECT_GT(unread(answer.statistics), 1000);
    }
    workspace_->close(kUri);
    version_ = 1;
  }
  EXPECT_FALSE(edits[0].empty());
  EXPECT_EQ(edits[0], edits[1]);
}

// The model sees nothing to do in the first place, and is asked about the second.
TEST_F(ExpectedRequests, BothPlacesOfANextEditAreRead) {
  script_.edits.clear();
  load();
  workspace_->expect_next_edits(true);
  open(calls_and_others());
  for (int round = 0; round < 3; ++round) {
    replace(round == 0 ? "old(x)" : "fresh" + std::to_string(round) + "(x)",
            "fresh" + std::to_string(round + 1) + "(x)");
    settle();
  }
  const NextEditAnswer answer = next_edit();
  EXPECT_TRUE(answer.edits.empty());
  EXPECT_GT(answer.statistics.prompt_tokens, 2000) << "of both";
  EXPECT_LE(unread(answer.statistics), 2);
}

// The model is shown the same quiet part, and the changes before the latest one.
TEST_F(ExpectedRequests, OnlyWhatAKeystrokeChangesIsReadAgain) {
  load();
  workspace_->expect_next_edits(true);
  open(calls_and_others());
  replace("old(x) + third\n\n\ndef function_1", "fresh(x) + third\n\n\ndef function_1");
  settle();
  replace("old(x) + third\n\n\ndef function_2", "fresher(x) + third\n\n\ndef function_2");
  settle();
  workspace_->expect_next_edits(false);
  replace("fresher(x) + third\n\n\ndef function_2", "freshest(x) + third\n\n\ndef function_2");
  const NextEditAnswer answer = next_edit();
  EXPECT_GT(answer.statistics.cached_prompt_tokens, 1200);
  EXPECT_LT(unread(answer.statistics), 600);
}

TEST_F(ExpectedRequests, NothingIsReadBeforeTheFirstRequestLoadsTheModel) {
  workspace_->expect_next_edits(true);
  open(calls_and_others());
  replace("old(x)", "fresh(x)");
  workspace_->expect_completion({.uri = kUri, .offset = 10});
  settle();
  EXPECT_EQ(loads_, 0);
}

TEST_F(ExpectedRequests, NothingIsReadWhereNoNextEditsAreExpected) {
  load();
  open(calls_and_others());
  replace("old(x)", "fresh(x)");
  settle();
  EXPECT_THAT(shown(), Not(HasSubstr("function_1")));
  workspace_->expect_next_edits(true);
  replace("fresh(x)", "fresher(x)");
  workspace_->expect_next_edits(false);
  settle();
  EXPECT_THAT(shown(), Not(HasSubstr("function_1")));
}

TEST_F(ExpectedRequests, NothingIsReadWhereNothingMayFollow) {
  load();
  workspace_->expect_next_edits(true);
  open(calls_and_others());
  replace("apple_tree = describe_apple('apple')", "unique_grove = 1  # so");
  settle();
  EXPECT_THAT(shown(), Not(HasSubstr("# so")));
}

TEST_F(ExpectedRequests, ReadsNothingOfSecrets) {
  load();
  workspace_->expect_next_edits(true);
  const char* secret = "file:///home/me/.env";
  open("TOKEN=abcdefgh\nOTHER=abcdefgh\n", secret);
  ASSERT_TRUE(workspace_->change(secret, 2, {TextEdit{{6, 8}, "zz"}}));
  workspace_->expect_completion({.uri = secret, .offset = 10});
  settle();
  EXPECT_THAT(shown(), Not(HasSubstr("TOKEN")));
}

TEST_F(ExpectedRequests, AClosedDocumentIsNotRead) {
  load();
  workspace_->expect_next_edits(true);
  open(calls_and_others());
  replace("old(x)", "fresh(x)");
  workspace_->close(kUri);
  settle();
  EXPECT_THAT(shown(), Not(HasSubstr("function_1")));
}

TEST_F(ExpectedRequests, ACompletionFindsItsPromptRead) {
  load();
  const std::string before = calls_and_others();
  open(before + "x = \n");
  const std::size_t offset = before.size() + 4;
  workspace_->expect_completion({.uri = kUri, .offset = offset});
  settle();
  EXPECT_THAT(shown(), HasSubstr("function_11"));
  const CompletionAnswer answer = complete(offset);
  EXPECT_THAT(answer.texts, testing::ElementsAre("width"));
  EXPECT_LE(unread(*answer.statistics), 1);
  EXPECT_GT(answer.statistics->prompt_tokens, 500);
}

TEST_F(ExpectedRequests, ACompletionAFewKeysLaterReadsWhatIsBehindThem) {
  load();
  const std::string before = calls_and_others();
  open(before + "x\n");
  workspace_->expect_completion({.uri = kUri, .offset = before.size() + 1});
  settle();
  change(2, {{before.size() + 1, before.size() + 1}, " = "});
  const CompletionAnswer answer = complete(before.size() + 4);
  EXPECT_THAT(answer.texts, testing::ElementsAre("width"));
  EXPECT_LT(unread(*answer.statistics), 20);
}

// The snippets of other files are those of the place that was expected, whether or not the model
// had time to read them.
TEST_F(ExpectedRequests, ReadingChangesNoPromptOfACompletion) {
  std::string prompts[2];
  for (const bool is_read : {false, true}) {
    start([&](const LoadControl&) -> Result<std::unique_ptr<Engine>> {
      Result<std::unique_ptr<LocalEngine>> engine = make_scripted_engine(script_);
      const Tokenizer* tokenizer = &(*engine)->tokenizer();
      (*engine)->observe(
          {.on_begin =
               [&, tokenizer](Purpose, const DecoderName&, const DecodeRequest& request) {
                 prompts[is_read ? 1 : 0] = tokenizer->decode(request.prompt);
               },
           .on_emitted = {},
           .on_end = [](const DecodeResult&) {}});
      return as_engine(std::move(engine));
    });
    load();
    open("def measure(shape):\n    return shape\n\n\ndef colour(shape):\n    return 1\n", kOther);
    const std::string first = "measure(";
    const std::string text = first + std::string(30, '\n') + "colour(y)\nx = \n";
    open(text);
    workspace_->expect_completion({.uri = kUri, .offset = first.size()});
    if (is_read) settle();
    complete(text.size() - 1);
    EXPECT_THAT(prompts[is_read ? 1 : 0], HasSubstr("def measure(shape):"));
  }
  EXPECT_EQ(prompts[0], prompts[1]);
}

// Otherwise it would wait for them.
TEST_F(ExpectedRequests, AnAnnouncedEditEndsTheReadingOfGuesses) {
  load();
  workspace_->expect_next_edits(true);
  open(calls_and_others());
  replace("old(x)", "fresh(x)");
  workspace_->expect_completion({.uri = kUri, .offset = 10});
  EditRequest edit;
  edit.range = ByteRange{0, 0};
  edit.decoder = *parse_decoder_name("ar");
  std::string read;
  ASSERT_TRUE(workspace_->announce(kUri, version_, edit,
                                   {.on_end = [&](const std::string&) { read = shown(); }}));
  settle();
  EXPECT_THAT(read, HasSubstr("precise code editor"));
  EXPECT_THAT(shown(), Not(HasSubstr("You help"))) << "the system prompt of next edits";
}

TEST_F(ExpectedRequests, APlaceOutsideTheTextIsNotRead) {
  load();
  open("x = \n");
  workspace_->expect_completion({.uri = kUri, .offset = 99});
  workspace_->expect_completion({.uri = "file:///none.py", .offset = 0});
  settle();
  EXPECT_EQ(complete(4).texts, std::vector<std::string>{"width"});
}

}  // namespace
}  // namespace redraft
