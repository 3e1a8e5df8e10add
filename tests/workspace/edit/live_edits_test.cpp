#include "workspace/edit/live_edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace redraft {
namespace {

using State = LiveEdit::State;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kUri = "file:///a.py";

// Lines "line 0", "line 1"... of 10 bytes.
std::string numbered(int n_lines) {
  std::string text;
  for (int i = 0; i < n_lines; ++i) {
    std::string line = "line " + std::to_string(i);
    line.resize(9, ' ');
    text += line + "\n";
  }
  return text;
}

ByteRange lines(std::size_t first, std::size_t last) { return {10 * first, 10 * last}; }

Hunk hunk(int id, ByteRange range, std::string new_text = "new\n") {
  return {id, {range, std::move(new_text)}, numbered(100).substr(range.begin, range.size())};
}

BufferChange insertion(std::size_t offset, const std::string& inserted) {
  ChangingText text(numbered(100));
  return apply_change(text, {{offset, offset}, inserted});
}

class LiveEditsTest : public testing::Test {
 protected:
  EditId ask(ByteRange region) {
    const EditId id = edits_.add(kUri);
    then_ = edits_.set_region(id, region);
    return id;
  }
  void end(EditId id) {
    EXPECT_TRUE(edits_.end(id));
    then_ = edits_.settle();
  }

  LiveEdits edits_;
  LiveEdits::Consequences then_;  // of the last request or end
};

TEST_F(LiveEditsTest, EditsOfOtherLinesStay) {
  const EditId first = ask(lines(0, 10));
  edits_.receive(first, hunk(0, lines(2, 3)), 1);
  const EditId second = ask(lines(10, 20));
  EXPECT_THAT(then_.to_stop, IsEmpty());
  EXPECT_THAT(edits_.receive(second, hunk(0, lines(10, 11)), 1).then.news, IsEmpty());
  EXPECT_THAT(edits_.find(first)->hunks, SizeIs(1));
}

TEST_F(LiveEditsTest, TheSameLinesAskedForAnewAreReplaced) {
  const EditId running = ask(lines(2, 8));
  edits_.receive(running, hunk(0, lines(2, 3)), 1);
  const EditId ended = edits_.add(kUri);
  edits_.set_region(ended, lines(4, 5));
  edits_.receive(ended, hunk(0, lines(4, 5)), 1);
  end(ended);
  const EditId newest = ask(lines(2, 8));
  EXPECT_THAT(then_.to_stop, ElementsAre(running));
  ASSERT_THAT(then_.news, SizeIs(2));
  EXPECT_THAT(then_.news[0].hunks[0].reason, HasSubstr("newer edit"));
  EXPECT_THAT(then_.over, ElementsAre(ended));
  EXPECT_EQ(edits_.find(ended), nullptr);
  // A hunk that was under way when the edit was replaced.
  EXPECT_TRUE(edits_.receive(running, hunk(1, lines(5, 6)), 1).hunk.dropped);
  EXPECT_FALSE(edits_.receive(newest, hunk(0, lines(5, 6)), 1).hunk.dropped);
}

TEST_F(LiveEditsTest, RegionsMayBecomeKnownInAnyOrder) {
  const EditId first = edits_.add(kUri);
  const EditId second = ask(lines(0, 9));
  EXPECT_THAT(then_.to_stop, IsEmpty());
  EXPECT_THAT(edits_.set_region(first, lines(3, 4)).to_stop, ElementsAre(first));
  EXPECT_EQ(edits_.find(second)->state, State::kRunning);
}

TEST_F(LiveEditsTest, ARegionFollowsWhatIsTyped) {
  const EditId first = ask(lines(3, 6));
  const EditId second = edits_.add(kUri);
  const std::vector<BufferChange> typed = {insertion(40, "more"), insertion(10, "\n")};
  edits_.change(kUri, 2, typed);
  EXPECT_THAT(edits_.find(first)->regions, ElementsAre(ByteRange{31, 65}));
  edits_.set_region(second, lines(10, 20));  // it was requested before
  EXPECT_THAT(edits_.find(second)->regions, ElementsAre(ByteRange{105, 205}));
  ask({31, 65});
  EXPECT_THAT(then_.to_stop, ElementsAre(first));
}

TEST_F(LiveEditsTest, OneThatIsToEndReplacesNothing) {
  const EditId first = ask(lines(3, 6));
  const EditId second = edits_.add(kUri);
  edits_.stop(second);
  EXPECT_THAT(edits_.set_region(second, lines(0, 9)).to_stop, IsEmpty());
  EXPECT_EQ(edits_.find(first)->state, State::kRunning);
}

TEST_F(LiveEditsTest, AHunkTakesThePlaceOfOlderOnesThatItOverlaps) {
  const EditId first = ask(lines(0, 10));
  for (int i = 0; i < 5; ++i) {
    const std::size_t line = 2 * static_cast<std::size_t>(i);
    edits_.receive(first, hunk(i, lines(line, line + 1)), 1);
  }
  edits_.receive(first, hunk(5, lines(10, 10)), 1);  // an insertion
  end(first);
  const EditId second = ask(lines(2, 20));
  const LiveEdits::Received received = edits_.receive(second, hunk(0, lines(3, 7)), 1);
  ASSERT_THAT(received.then.news, SizeIs(1));
  EXPECT_EQ(received.then.news[0].id, first);
  const std::vector<LiveHunk>& dropped = received.then.news[0].hunks;
  ASSERT_THAT(dropped, SizeIs(2));
  EXPECT_EQ(dropped[0].hunk.id, 2);
  EXPECT_EQ(dropped[1].hunk.id, 3);
  EXPECT_THAT(dropped[1].reason, HasSubstr("newer edit"));
  // A place next to an insertion is not the same place.
  EXPECT_THAT(edits_.receive(second, hunk(1, lines(10, 11)), 1).then.news, IsEmpty());
  EXPECT_THAT(edits_.receive(second, hunk(2, lines(10, 10)), 1).then.news, SizeIs(1));
  // Late, and older: it yields.
  const EditId third = ask(lines(19, 30));
  edits_.receive(third, hunk(0, lines(19, 20)), 1);
  const LiveHunk late = edits_.receive(second, hunk(3, lines(18, 20)), 1).hunk;
  EXPECT_TRUE(late.dropped);
  EXPECT_THAT(late.reason, HasSubstr("newer edit"));
}

TEST_F(LiveEditsTest, ThereIsNoRoomForAnyNumber) {
  for (int i = 0; i < LiveEdits::kMaxDocumentPart; ++i) {
    EXPECT_TRUE(edits_.check_room(kUri));
    edits_.add(kUri);
  }
  EXPECT_THAT(edits_.check_room(kUri).error().message(), HasSubstr("accept, reject or cancel"));
  EXPECT_TRUE(edits_.check_room("file:///b.py"));
  EXPECT_THAT(edits_.forget(kUri, "closed").to_stop, SizeIs(LiveEdits::kMaxDocumentPart));
  EXPECT_TRUE(edits_.check_room(kUri));
}

// A text whose bytes are numbered, so that any piece of it can be traced.
struct TracedText {
  std::string text;
  std::vector<int> bytes;  // their numbers
  int last = 0;

  BufferChange apply(const TextEdit& edit) {
    ChangingText changing(text);
    text = apply_edits(text, {edit});
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(edit.range.begin);
    const auto at = bytes.erase(begin, begin + static_cast<std::ptrdiff_t>(edit.range.size()));
    std::vector<int> fresh(edit.new_text.size());
    for (int& byte : fresh) byte = ++last;
    bytes.insert(at, fresh.begin(), fresh.end());
    return apply_change(changing, edit);
  }
};

// Several edits are requested, write, are accepted hunk by hunk and end, all at random, while the
// document changes at random.
class RandomEdits {
 public:
  explicit RandomEdits(unsigned seed) : random_(seed) { type({{0, 0}, numbered(60)}); }

  void step() {
    switch (below(6)) {
      case 0:
        if (edits_.check_room(kUri) && asked_.size() < 6) ask();
        break;
      case 1:
        type_anywhere();
        break;
      case 2:
        accept();
        break;
      default:
        hear();
    }
    check();
  }
  int heard() const { return heard_; }
  int stood() const { return stood_; }

 private:
  struct Asked {
    EditId id;
    TracedText text;  // at the time of the request
    std::vector<Hunk> to_come;
  };

  std::size_t below(std::size_t n) { return random_() % n; }

  void type(const TextEdit& edit) {
    const BufferChange change = text_.apply(edit);
    edits_.change(kUri, ++version_, {change});
  }
  void type_anywhere() {
    const std::size_t at = below(text_.text.size() + 1);
    const std::size_t end = std::min(text_.text.size(), at + below(3));
    if (below(2)) return type({{at, end}, ""});
    type({{at, at}, below(3) ? "x" : "\n"});
  }

  // Whole lines of one range, with at least one line between two hunks.
  void ask() {
    std::vector<std::size_t> starts = {0};
    for (std::size_t i = 0; i < text_.text.size(); ++i) {
      if (text_.text[i] == '\n') starts.push_back(i + 1);
    }
    const std::size_t first = below(starts.size()), last = first + below(starts.size() - first);
    Asked asked{edits_.add(kUri), text_, {}};
    for (std::size_t line = first; line < last; line += 1 + below(4)) {
      const std::size_t end = std::min(last, line + below(3));
      const ByteRange range{starts[line], starts[end]};
      asked.to_come.push_back({static_cast<int>(asked.to_come.size()),
                               {range, "new " + std::to_string(++n_hunks_) + "\n"},
                               text_.text.substr(range.begin, range.size())});
      line = end;
    }
    edits_.set_region(asked.id, {starts[first], starts[last]});
    asked_.push_back(std::move(asked));
  }

  // The next hunk or the end of the running edit; sometimes of another.
  void hear() {
    if (asked_.empty()) return;
    const auto asked =
        asked_.begin() + static_cast<std::ptrdiff_t>(below(8) ? 0 : below(asked_.size()));
    if (asked->to_come.empty()) {
      edits_.end(asked->id);
      edits_.settle();
      asked_.erase(asked);
      return;
    }
    const Hunk hunk = asked->to_come.front();
    asked->to_come.erase(asked->to_come.begin());
    const LiveHunk live = edits_.receive(asked->id, hunk, version_).hunk;
    ++heard_;
    if (live.dropped) {
      EXPECT_NE(live.reason, "");
      return;
    }
    ++stood_;
    const ByteRange& then = hunk.edit.range;
    const ByteRange& now = live.hunk.edit.range;
    if (then.empty()) return;
    EXPECT_EQ(asked->text.bytes[then.begin], text_.bytes[now.begin]) << "found its place";
  }

  void accept() {
    for (const auto& [id, edit] : edits_.all()) {
      if (edit.hunks.empty() || below(3)) continue;
      const int chosen = edit.hunks[below(edit.hunks.size())].hunk.id;
      const std::vector<TextEdit> taken = edits_.take(id, std::vector<int>{chosen}).edits;
      ASSERT_EQ(taken.size(), 1);
      type(taken.front());
      return;
    }
  }

  void check() {
    std::vector<TextEdit> all;
    for (const auto& [id, edit] : edits_.all()) {
      for (const LiveHunk& live : edit.hunks) {
        const ByteRange range = live.hunk.edit.range;
        ASSERT_LE(range.end, text_.text.size());
        ASSERT_EQ(text_.text.substr(range.begin, range.size()), live.hunk.old_text);
        all.push_back(live.hunk.edit);
      }
    }
    std::ranges::sort(
        all, {}, [](const TextEdit& edit) { return std::pair(edit.range.begin, edit.range.end); });
    for (std::size_t i = 1; i < all.size(); ++i) {
      ASSERT_LE(all[i - 1].range.end, all[i].range.begin) << "two hunks for one place";
      ASSERT_NE(all[i - 1].range, all[i].range) << "two insertions at one place";
    }
  }

  std::mt19937 random_;
  LiveEdits edits_;
  TracedText text_;
  std::int64_t version_ = 0;
  std::vector<Asked> asked_;  // those that run
  int n_hunks_ = 0;
  int heard_ = 0;
  int stood_ = 0;
};

TEST(LiveEdits, AnyNumberOfEditsLeavesEveryHunkWhereItBelongs) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    RandomEdits edits(seed);
    for (int step = 0; step < 400 && !testing::Test::HasFailure(); ++step) edits.step();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    EXPECT_GT(edits.heard(), 30);
    EXPECT_GT(3 * edits.stood(), edits.heard()) << "hardly any stands: the test tests nothing";
  }
}

}  // namespace
}  // namespace redraft
