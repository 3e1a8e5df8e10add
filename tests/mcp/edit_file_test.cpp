#include "mcp/tools/edit_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "mcp/tools/worker_tasks.h"
#include "tests/kit/temp_folder.h"
#include "tests/mcp/fake_call.h"

namespace redraft::mcp {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kText = "def first():\n    return 1\n\n\ndef second():\n    return 2\n";
const std::string kChange = "def first():\n    return 3\n";
const std::string kChanged = "def first():\n    return 3\n\n\ndef second():\n    return 2\n";

class EditFileTest : public testing::Test {
 protected:
  EditFileTest() {
    folder_.write("root/a.py", kText);
    folder_.write("root/b.py", kText);
    folder_.write("outside/a.py", kText);
    roots_ = roots("root");
  }
  std::shared_ptr<const RootFolders> roots(const std::string& name) const {
    std::vector<std::string> problems;
    const std::vector<fs::path> paths = {folder_ / name};
    return RootFolders::open(paths, problems);
  }
  FakeCall call(Json arguments) const { return {std::move(arguments), roots_}; }
  ToolAnswer run(FakeCall& call) const { return tool_.run(call); }
  ToolAnswer run(Json arguments) const {
    FakeCall made = call(std::move(arguments));
    return run(made);
  }
  std::string text(const std::string& below) const {
    std::ifstream file(folder_ / below);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::vector<std::string> statuses(const ToolAnswer& answer) {
    std::vector<std::string> all;
    for (const Json& file : answer.structured["files"]) all.push_back(file["status"]);
    return all;
  }

  TempFolder folder_;
  std::shared_ptr<const RootFolders> roots_;
  Tool tool_ =
      edit_file_tool(std::make_shared<Worker>(answer_request), std::make_shared<FileWriter>());
};

TEST_F(EditFileTest, WritesAndAnswersWithTheDiff) {
  const ToolAnswer answer = run({{"path", "a.py"}, {"changes", kChange}});
  EXPECT_FALSE(answer.is_error);
  EXPECT_THAT(answer.text, HasSubstr("a.py: written, 1 change\n"));
  EXPECT_THAT(answer.text, HasSubstr("-    return 1\n+    return 3\n"));
  EXPECT_EQ(answer.structured["files"][0]["changes"][0]["placed_by"], "tree");
  EXPECT_EQ(text("root/a.py"), kChanged);
  EXPECT_THAT(statuses(run({{"path", "a.py"}, {"changes", kChange}})),
              testing::ElementsAre("unchanged"));
}

TEST_F(EditFileTest, ADryRunWritesNothing) {
  const ToolAnswer answer = run({{"path", "a.py"}, {"changes", kChange}, {"dry_run", true}});
  EXPECT_FALSE(answer.is_error);
  EXPECT_THAT(statuses(answer), testing::ElementsAre("would_write"));
  EXPECT_THAT(answer.text, HasSubstr("+    return 3"));
  EXPECT_EQ(text("root/a.py"), kText);
}

TEST_F(EditFileTest, EachFileIsWrittenAsAWholeOrNotAtAll) {
  FakeCall several =
      call({{"path", "a.py"},
            {"changes",
             kChange + "\n<<<<<<< SEARCH\n    return 7\n=======\n    return 8\n>>>>>>> REPLACE\n"},
            {"more_files", Json::array({{{"path", "b.py"}, {"changes", kChange}},
                                        {{"path", "c.py"}, {"changes", kChange}}})}});
  const ToolAnswer answer = run(several);
  EXPECT_TRUE(answer.is_error);
  EXPECT_THAT(statuses(answer), testing::ElementsAre("failed", "written", "failed"));
  EXPECT_EQ(text("root/a.py"), kText);
  EXPECT_EQ(text("root/b.py"), kChanged);
  EXPECT_THAT(answer.text, HasSubstr("c.py: no such file"));
  EXPECT_THAT(several.reported,
              testing::ElementsAre(std::pair(0.0, 3.0), std::pair(1.0, 3.0), std::pair(2.0, 3.0)));
}

TEST_F(EditFileTest, DoubtsAreReturnedUnwrittenUnlessTheyAreAccepted) {
  const Json doubtful = {{"path", "a.py"}, {"changes", "def first():\n    return none()\n"}};
  const ToolAnswer answer = run(doubtful);
  EXPECT_TRUE(answer.is_error);
  EXPECT_THAT(statuses(answer), testing::ElementsAre("not_written"));
  EXPECT_THAT(answer.text, HasSubstr("accept_doubts"));
  EXPECT_THAT(answer.text, HasSubstr("doubt: "));
  EXPECT_THAT(answer.text, HasSubstr("+    return none()"));
  EXPECT_EQ(text("root/a.py"), kText);
  Json accepted = doubtful;
  accepted["accept_doubts"] = true;
  EXPECT_THAT(statuses(run(accepted)), testing::ElementsAre("written"));
  EXPECT_THAT(text("root/a.py"), HasSubstr("none()"));
}

TEST_F(EditFileTest, ALinkThatIsSwappedBeforeWritingIsNotFollowed) {
  FakeCall swapping = call({{"path", "a.py"}, {"changes", kChange}});
  swapping.on_roots = [&](int number) {
    if (number != 2) return;
    fs::remove(folder_ / "root/a.py");
    fs::create_symlink(folder_ / "outside/a.py", folder_ / "root/a.py");
  };
  EXPECT_THAT(statuses(run(swapping)), testing::ElementsAre("failed"));
  EXPECT_EQ(text("outside/a.py"), kText);
}

TEST_F(EditFileTest, RootsThatChangeBeforeWritingCount) {
  FakeCall changing = call({{"path", folder_ / "root/a.py"}, {"changes", kChange}});
  changing.on_roots = [&](int number) {
    if (number == 2) changing.folders = roots("outside");
  };
  const ToolAnswer answer = run(changing);
  EXPECT_THAT(statuses(answer), testing::ElementsAre("failed"));
  EXPECT_THAT(answer.text, HasSubstr("outside of the folders"));
  EXPECT_EQ(text("root/a.py"), kText);
}

TEST_F(EditFileTest, ACancelledCallWritesNothing) {
  FakeCall cancelled = call({{"path", "a.py"}, {"changes", kChange}});
  cancelled.on_roots = [&](int number) { cancelled.cancelled = number == 2; };
  EXPECT_TRUE(run(cancelled).is_error);
  EXPECT_EQ(text("root/a.py"), kText);
}

TEST_F(EditFileTest, OneFileTwiceIsRefused) {
  fs::create_symlink("a.py", folder_ / "root/link.py");
  const Json more = Json::array({{{"path", "link.py"}, {"changes", kChange}}});
  const ToolAnswer answer = run({{"path", "a.py"}, {"changes", kChange}, {"more_files", more}});
  EXPECT_THAT(statuses(answer), testing::ElementsAre("written", "failed"));
}

TEST_F(EditFileTest, WrongArgumentsAreNamed) {
  const std::pair<Json, const char*> cases[] = {
      {{{"path", "a.py"}}, "`changes` is missing"},
      {{{"path", 7}, {"changes", kChange}}, "`path` must be a text"},
      {{{"path", "a.py"}, {"changes", kChange}, {"dryRun", true}}, "unknown argument `dryRun`"},
      {{{"path", "a.py"}, {"changes", kChange}, {"dry_run", "yes"}}, "true or false"},
      {{{"path", "a.py"}, {"changes", kChange}, {"more_files", "b.py"}}, "must be a list"},
      {{{"path", "a.py"}, {"changes", " "}}, "the change is empty"},
      {{{"path", "a.py"}, {"changes", std::string(std::size_t{2} << 20, 'x')}}, "the limit is"},
  };
  for (const auto& [arguments, why] : cases) {
    const ToolAnswer answer = run(arguments);
    EXPECT_TRUE(answer.is_error);
    EXPECT_THAT(answer.text, HasSubstr(why));
  }
  EXPECT_EQ(text("root/a.py"), kText);
}

}  // namespace
}  // namespace redraft::mcp
