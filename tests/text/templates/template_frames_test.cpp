#include "text/templates/template_frames.h"

#include <gtest/gtest.h>

namespace redraft {
namespace {

using Kind = TemplateFrame::Kind;

TEST(TemplateFrames, ArriveInPiecesOfAnySize) {
  const std::vector<TemplateFrame> sent = {{Kind::kMessages, {"user", "", std::string("a\0b", 3)}},
                                           {Kind::kText, {}},
                                           {Kind::kText, {std::string(70000, 'x')}}};
  std::string bytes;
  for (const TemplateFrame& frame : sent) bytes += to_bytes(frame);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
    TemplateFrameReader reader;
    std::vector<TemplateFrame> received;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      reader.add(std::string_view(bytes).substr(at, piece));
      while (true) {
        auto frame = reader.next();
        ASSERT_TRUE(frame);
        if (!*frame) break;
        received.push_back(**std::move(frame));
      }
    }
    ASSERT_EQ(received.size(), sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i) {
      EXPECT_EQ(received[i].kind, sent[i].kind);
      EXPECT_EQ(received[i].texts, sent[i].texts);
    }
  }
}

bool is_refused(std::string_view bytes) {
  TemplateFrameReader reader;
  reader.add(bytes);
  return !reader.next();
}

TEST(TemplateFrames, RefusesWhatIsNoFrame) {
  using namespace std::string_view_literals;
  EXPECT_TRUE(is_refused("\5\0\0\0\0"sv));          // an unknown kind
  EXPECT_TRUE(is_refused("\2\xff\xff\xff\xff"sv));  // too long
  EXPECT_TRUE(is_refused("\2\4\0\0\0\1\0\0\0"sv));  // a text beyond the frame
  EXPECT_TRUE(is_refused("\2\3\0\0\0\0\0\0"sv));    // half a size
  EXPECT_FALSE(is_refused("\2\4\0\0\0\0\0\0\0"sv));
}

TEST(TemplateFrames, BoundsTheNumberOfTexts) {
  const auto frame = [](Kind kind, std::size_t n_texts) {
    return to_bytes({kind, std::vector<std::string>(n_texts)});
  };
  for (const Kind answer : {Kind::kText, Kind::kRefusal, Kind::kEnd}) {
    EXPECT_FALSE(is_refused(frame(answer, 1)));
    EXPECT_TRUE(is_refused(frame(answer, 2)));
  }
  EXPECT_FALSE(is_refused(frame(Kind::kTemplate, 3)));
  EXPECT_TRUE(is_refused(frame(Kind::kTemplate, 4)));
  EXPECT_FALSE(is_refused(frame(Kind::kMessages, TemplateFrameReader::kMaxMessageTexts)));
  EXPECT_TRUE(is_refused(frame(Kind::kMessages, TemplateFrameReader::kMaxMessageTexts + 2)));
}

}  // namespace
}  // namespace redraft
