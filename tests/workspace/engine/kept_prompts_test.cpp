#include "workspace/engine/kept_prompts.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <random>

#include "tests/kit/byte_tokenizer.h"
#include "tests/kit/scripted_model.h"
#include "tests/kit/temp_folder.h"
#include "tests/workspace/workspace_fixture.h"
#include "workspace/engine/local_engine.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// Reads a hundred tokens a second: five are read in the time for which the disk is not asked.
const CostCurve& hundred_a_second() {
  static const CostCurve curve({{1, 0.01}, {64, 0.64}});
  return curve;
}

const KvArchive::Key kKey = {.model = "scripted", .build = "1"};
constexpr const char* kSource = "/project/a.py";

std::string letters(int count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0; i < count; ++i) text += static_cast<char>('a' + random() % 26);
  return text;
}

DecodeRequest request(const std::string& prompt) {
  DecodeRequest request;
  request.prompt = byte_tokenizer()->encode(prompt);
  request.max_new_tokens = 8;
  return request;
}

// Decodes, and what the model writes depends on every token of the prompt.
struct Process {
  explicit Process(const fs::path& folder, std::size_t cache_bytes = std::size_t{1} << 20) {
    const auto tokenizer = byte_tokenizer();
    LocalEngine::Model target{"t",
                              std::make_unique<ScriptedModel>(ScriptedModel::random(
                                  1, {.vocabulary = tokenizer->vocabulary_size()})),
                              tokenizer};
    target.find_cost = [](LanguageModel&) { return hundred_a_second(); };
    engine = *LocalEngine::make(std::move(target), {}, {.cache_bytes = cache_bytes});
    if (!folder.empty()) engine->set_archive(*KvArchive::open(folder, kKey));
  }
  DecodeResult decode(const std::string& prompt, Purpose purpose = Purpose::kEdit,
                      Remembering remembering = Remembering::kShared) {
    const auto result =
        engine->decode(purpose, *parse_decoder_name("ar"), request(prompt), {}, {}, remembering);
    EXPECT_TRUE(result);
    return *result;
  }
  int cached(const std::string& prompt, Purpose purpose = Purpose::kEdit,
             Remembering remembering = Remembering::kShared) {
    return decode(prompt, purpose, remembering).statistics.cached_prompt_tokens;
  }
  void save_all(const std::function<bool()>& go_on = [] { return true; }) {
    for (const auto& prompt : engine->take_read_prompts()) engine->save(prompt, kSource, go_on);
  }

  std::unique_ptr<LocalEngine> engine;
};

class KeptPromptsTest : public testing::Test {
 protected:
  // In a process that ends then.
  void read_and_save(const std::string& prompt) const {
    Process process(folder_);
    process.decode(prompt);
    process.save_all();
  }
  std::vector<KvArchive::Listed> entries() const { return KvArchive::list(folder_); }

  TempFolder temporary_;
  fs::path folder_ = temporary_ / "kv";
  std::string text_ = letters(300, 1);
};

TEST_F(KeptPromptsTest, AfterARestartAPromptIsNotReadAgain) {
  read_and_save(text_ + "first");
  EXPECT_THAT(entries(), SizeIs(1));
  EXPECT_EQ(entries().front().source, kSource);
  Process process(folder_);
  Process without("");
  const DecodeResult again = process.decode(text_ + "second");
  const DecodeResult read = without.decode(text_ + "second");
  EXPECT_EQ(again.statistics.cached_prompt_tokens, 300);
  EXPECT_EQ(read.statistics.cached_prompt_tokens, 0);
  EXPECT_EQ(again.tokens, read.tokens);
}

TEST_F(KeptPromptsTest, ReadAheadRestoresFromDisk) {
  read_and_save(text_);
  Process process(folder_);
  const std::vector<TokenId> prompt = byte_tokenizer()->encode(text_ + letters(40, 2));
  EXPECT_EQ(process.engine->known_tokens(prompt, {}), 300);
  std::vector<int> known;
  EXPECT_TRUE(process.engine->read_ahead(prompt, 64, [&](int n) { known.push_back(n); }, {}));
  EXPECT_EQ(known.back(), 340);
  EXPECT_GT(known.front(), 300);
  EXPECT_EQ(process.cached(text_ + letters(40, 2) + "x"), 340);
}

TEST_F(KeptPromptsTest, OnlyEditsThatMayBeRememberedAreKeptAndRestored) {
  Process process(folder_);
  process.decode(text_, Purpose::kCompletion);
  process.decode(text_, Purpose::kNextEdit);
  process.decode(text_, Purpose::kEdit, Remembering::kNothing);
  EXPECT_THAT(process.engine->take_read_prompts(), IsEmpty());
  read_and_save(text_);
  EXPECT_EQ(Process(folder_).cached(text_ + "x", Purpose::kCompletion), 0);
  EXPECT_EQ(Process(folder_).cached(text_ + "x", Purpose::kEdit, Remembering::kNothing), 0);
  EXPECT_EQ(Process(folder_).cached(text_ + "x"), 300);
}

TEST_F(KeptPromptsTest, DoesNotKeepPromptsReadInASecond) {
  read_and_save(text_.substr(0, 100));
  EXPECT_THAT(entries(), IsEmpty());
  read_and_save(text_.substr(0, 101));
  EXPECT_THAT(entries(), SizeIs(1));
}

TEST_F(KeptPromptsTest, TheDiskIsAskedOnlyForMoreThanIsReadMeanwhile) {
  read_and_save(text_);
  Process process(folder_);
  EXPECT_EQ(process.cached(text_.substr(0, 5) + letters(50, 2)), 0);
  EXPECT_EQ(process.cached(text_.substr(0, 290) + "-"), 290);
  EXPECT_EQ(process.cached(text_.substr(0, 295) + letters(9, 3)), 290) << "five more, no more";
  EXPECT_EQ(Process(folder_).cached(text_), 299) << "the last token has to be read";
}

TEST_F(KeptPromptsTest, AnArchiveThatKnowsThePromptIsNotWrittenAgain) {
  read_and_save(text_);
  const fs::path file = entries().front().file;
  const auto inode = [&] {
    struct stat status {};
    return ::stat(file.c_str(), &status) == 0 ? status.st_ino : 0;
  };
  const auto before = inode();
  read_and_save(text_ + letters(20, 3));
  EXPECT_EQ(inode(), before) << "a quarter of a second is 25 tokens";
  EXPECT_THAT(entries(), SizeIs(1));
  read_and_save(text_ + letters(40, 3));
  EXPECT_FALSE(fs::exists(file)) << "replaced by the longer one";
  EXPECT_THAT(entries(), SizeIs(1));
}

TEST_F(KeptPromptsTest, DoesNotRestoreWhatThePoolHasNoRoomFor) {
  read_and_save(text_);
  Process process(folder_, 200 * ScriptedModel::kSlotBytes);
  EXPECT_EQ(process.cached(text_ + "x"), 0);
}

TEST_F(KeptPromptsTest, ADamagedFileIsReadAgainAsIfItWereNotThere) {
  read_and_save(text_);
  const fs::path file = entries().front().file;
  fs::resize_file(file, fs::file_size(file) - 1);
  Process process(folder_);
  EXPECT_EQ(process.cached(text_ + "x"), 0);
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(KeptPromptsTest, SavingEndsWhenItIsToldToOrTheCacheIsGone) {
  Process process(folder_);
  process.decode(text_);
  process.save_all([] { return false; });
  EXPECT_THAT(entries(), IsEmpty());
  process.decode(text_);
  int blocks = 0;
  process.save_all([&] {
    if (++blocks == 3) process.engine->clear_caches();
    return true;
  });
  EXPECT_EQ(blocks, 3);
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(KeptPromptsTest, AnEditMayRunBetweenTwoBlocks) {
  Process process(folder_);
  process.decode(text_ + "one");
  int blocks = 0;
  process.save_all([&] {
    if (++blocks == 3) {
      EXPECT_EQ(process.cached(text_ + "two, and more of it"), 300);
    }
    return true;
  });
  // The three tokens that the other edit cut off are missing, so this file was given up.
  EXPECT_THAT(entries(), IsEmpty());
  process.save_all();
  EXPECT_THAT(entries(), SizeIs(1));
}

TEST_F(KeptPromptsTest, AFewPromptsAreRemembered) {
  Process process(folder_);
  for (std::uint32_t i = 0; i < 9; ++i) process.decode(letters(200, i));
  EXPECT_THAT(process.engine->take_read_prompts(), SizeIs(4));
  EXPECT_THAT(process.engine->take_read_prompts(), IsEmpty());
}

TEST_F(KeptPromptsTest, ADiskThatFailsIsReported) {
  Process process("");
  std::string told;
  process.engine->set_archive(*KvArchive::open(folder_, kKey),
                              [&](const Error& error) { told = error.message(); });
  process.decode(text_);
  fs::remove(folder_);
  temporary_.write("kv", "a file");
  process.save_all();
  EXPECT_THAT(told, testing::HasSubstr("kv"));
}

// Long enough to be kept: reading it takes some seconds.
std::string long_text() {
  std::string text = kText;
  for (int i = 0; i < 60; ++i) text += "\n\ndef more_" + std::to_string(i) + "(value):\n    pass\n";
  return text;
}

// The edits of a workspace.
class KeepingWorkspaceTest : public WorkspaceTest {
 protected:
  void start_keeping() {
    start([this](const LoadControl&) -> Result<std::unique_ptr<Engine>> {
      auto engine =
          scripted_engine([](const ScriptedPrompt& prompt) { return kOneTwoThree + prompt.fence; });
      engine->set_archive(*KvArchive::open(folder_, kKey));
      return as_engine(std::move(engine));
    });
  }
  void edit_in(const char* uri, const std::string& text = long_text()) {
    open(text, uri);
    edit(1, uri);
    finish();
  }
  std::vector<std::string> sources() const {
    std::vector<std::string> all;
    for (const KvArchive::Listed& entry : KvArchive::list(folder_)) all.push_back(entry.source);
    return all;
  }

  TempFolder temporary_;
  fs::path folder_ = temporary_ / "kv";
};

TEST_F(KeepingWorkspaceTest, KeepsFilesButNothingThatIsWithheldOrHasNoFile) {
  start_keeping();
  edit_in("file:///project/.env");
  edit_in("file:///project/notes.md", "-----BEGIN OPENSSH PRIVATE KEY-----\n" + long_text());
  edit_in("untitled:Untitled-1");
  EXPECT_THAT(sources(), IsEmpty());
  edit_in("file:///project/a.py");
  EXPECT_THAT(sources(), ElementsAre("/project/a.py"));
  edit_in("file:///project/b.py", "import os\n\n" + long_text());
  EXPECT_THAT(sources(), UnorderedElementsAre("/project/a.py", "/project/b.py"));
}

TEST_F(KeepingWorkspaceTest, KeepsNothingIfTheUserDoesNotWantIt) {
  start_keeping();
  workspace_->keep_on_disk(false);
  edit_in("file:///project/a.py");
  EXPECT_THAT(sources(), IsEmpty());
  workspace_->keep_on_disk(true);
  edit_in("file:///project/a.py", "import os\n\n" + long_text());
  EXPECT_THAT(sources(), ElementsAre("/project/a.py"));
}

}  // namespace
}  // namespace redraft
