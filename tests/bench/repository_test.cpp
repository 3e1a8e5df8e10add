#include "bench/repository.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/kit/byte_tokenizer.h"

namespace redraft {
namespace {

using testing::HasSubstr;

class RepositoryTest : public testing::Test {
 protected:
  RepositoryTest() {
    std::string name = (std::filesystem::temp_directory_path() / "redraft-repo-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    folder_ = name;
    std::ofstream(file()) << R"({"path": "a.py", "content": "one\ntwo\nthree\nfour\n"})"
                          << "\n\n"
                          << R"({"path": "b.py", "content": "other"})"
                          << "\n";
  }
  ~RepositoryTest() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path file() const { return folder_ / "repo.jsonl"; }
  // Whether and how the store continues `text`.
  std::string after(const Datastore& store, const std::string& text) const {
    const Continuations found = store.continuations(
        tokenizer_->encode(text), {.longest = 16, .shortest = static_cast<int>(text.size())});
    return found.tokens.empty() ? "" : tokenizer_->decode(found.tokens.front());
  }

  std::filesystem::path folder_;
  std::shared_ptr<const Tokenizer> tokenizer_ = byte_tokenizer();
};

TEST_F(RepositoryTest, ShowsEverythingButTheHiddenLines) {
  Repositories repositories(*tokenizer_);
  const auto view = repositories.without({file(), "a.py", 2, 3});
  ASSERT_TRUE(view) << view.error().message();
  const auto store = &view->all;
  EXPECT_EQ((*store)->token_count(), 4U + 5 + 5);
  EXPECT_EQ(after(**store, "on"), "e\n");
  EXPECT_EQ(after(**store, "tw"), "");
  EXPECT_EQ(after(**store, "e\n"), "") << "what stood around the hidden lines is not one text";
  EXPECT_EQ(after(**store, "fo"), "ur\n");
  EXPECT_EQ(after(**store, "ot"), "her");
  EXPECT_EQ(view->other_files->token_count(), 5U);
  EXPECT_EQ(after(*view->other_files, "on"), "");
  // Another task of the same repository.
  const auto first = repositories.without({file(), "a.py", 1, 1});
  ASSERT_TRUE(first);
  EXPECT_EQ(after(*first->all, "tw"), "o\nthree\nfo");
  EXPECT_TRUE(repositories.without({file(), "a.py", 4, 4}));
  EXPECT_TRUE(repositories.without({file(), "a.py", 1, 4}));
}

TEST_F(RepositoryTest, SaysWhatIsMissing) {
  Repositories repositories(*tokenizer_);
  const auto problem = [&](const HiddenLines& hidden) {
    const auto store = repositories.without(hidden);
    return store ? std::string("none") : store.error().message();
  };
  EXPECT_THAT(problem({folder_ / "none.jsonl", "a.py", 1, 1}), HasSubstr("cannot be read"));
  EXPECT_THAT(problem({file(), "c.py", 1, 1}), HasSubstr("holds no file c.py"));
  EXPECT_THAT(problem({file(), "a.py", 4, 6}), HasSubstr("has no lines 4 to 6"));
  EXPECT_THAT(problem({file(), "a.py", 3, 2}), HasSubstr("has no lines 3 to 2"));
  std::ofstream(file(), std::ios::app) << R"({"path": "a.py"})"
                                       << "\n";
  Repositories again(*tokenizer_);
  EXPECT_THAT(again.without({file(), "a.py", 1, 1}).error().message(),
              HasSubstr("repo.jsonl:4: has no content"));
}

TEST_F(RepositoryTest, ManyFilesAreOneStore) {
  const auto store = store_of({file(), file()}, *tokenizer_);
  ASSERT_TRUE(store);
  EXPECT_EQ((*store)->token_count(), 2U * (19 + 5));
}

}  // namespace
}  // namespace redraft
