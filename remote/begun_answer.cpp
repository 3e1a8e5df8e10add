#include "remote/begun_answer.h"

#include <cstddef>
#include <utility>

#include "text/strings/blank_text.h"

namespace redraft {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::size_t kLook = 1000;  // bytes; any text before the code is shorter

}  // namespace

BegunAnswer::BegunAnswer(std::string_view opened)
    : looking_(opened.find(kFence) != std::string_view::npos) {}

std::string BegunAnswer::add(std::string_view piece) {
  if (!looking_) return std::string(piece);
  held_ += piece;
  for (std::size_t begin = 0; begin < held_.size();) {
    const std::size_t end = held_.find('\n', begin);
    if (end == std::string::npos) break;
    const std::string_view line(held_.data() + begin, end - begin);
    if (line.starts_with(kFence)) {
      looking_ = false;
      // A bare fence after other lines closes a code block that had no opening.
      const bool opens = is_blank_text(std::string_view(held_).substr(0, begin)) ||
                         !is_blank_text(line.substr(line.find_last_of('`') + 1));
      std::string held = std::exchange(held_, {});
      return opens ? held.substr(end + 1) : held;
    }
    begin = end + 1;
  }
  return held_.size() > kLook ? end() : std::string();
}

std::string BegunAnswer::end() {
  looking_ = false;
  return std::exchange(held_, {});
}

}  // namespace redraft
