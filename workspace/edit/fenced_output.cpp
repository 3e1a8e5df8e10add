#include "workspace/edit/fenced_output.h"

#include <algorithm>
#include <utility>

namespace redraft {
namespace {

constexpr std::size_t kShortestFence = 3;

}  // namespace

std::string fence_around(std::string_view text) {
  std::size_t longest = kShortestFence - 1;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

FenceLine read_fence(std::string_view line) {
  const std::size_t length = std::min(line.find_first_not_of('`'), line.size());
  const std::string_view info = line.substr(length);
  if (length < kShortestFence || info.find('`') != std::string_view::npos) return {};
  return {length, info.find_first_not_of(" \t") == std::string_view::npos};
}

FencedOutput::FencedOutput(std::string fence) : fence_(std::move(fence)) {}

std::vector<std::string> FencedOutput::add(std::string_view bytes) {
  std::vector<std::string> lines;
  while (!closed_ && !bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    line_ += bytes.substr(0, newline);
    if (newline == std::string_view::npos) break;
    bytes.remove_prefix(newline + 1);
    end_line(&lines);
  }
  return lines;
}

std::vector<std::string> FencedOutput::end() {
  std::vector<std::string> lines;
  if (!closed_ && !line_.empty()) end_line(&lines);
  closed_ = true;
  return lines;
}

void FencedOutput::end_line(std::vector<std::string>* lines) {
  std::string line = std::exchange(line_, {});
  if (line.ends_with('\r')) line.pop_back();
  if (!held_.empty()) give_out(std::exchange(held_, {}), lines);
  const FenceLine fence = read_fence(line);
  if (fence.bare && fence.length == fence_.size() && inner_ < fence_.size()) {
    closed_ = true;
  } else if (fence.bare && fence.length < fence_.size() && inner_ == 0) {
    held_ = std::move(line);
  } else {
    give_out(std::move(line), lines);
  }
}

void FencedOutput::give_out(std::string line, std::vector<std::string>* lines) {
  const FenceLine fence = read_fence(line);
  if (inner_ > 0) {
    if (fence.bare && fence.length >= inner_) inner_ = 0;
  } else if (fence.length > 0 && (!fence.bare || fence.length < fence_.size())) {
    inner_ = fence.length;
  }
  lines->push_back(std::move(line));
}

}  // namespace redraft
