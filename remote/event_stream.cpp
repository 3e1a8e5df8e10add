#include "remote/event_stream.h"

#include <utility>

namespace redraft {

Result<void> EventStream::add(std::string_view piece,
                              const std::function<bool(std::string_view)>& on_event) {
  for (const char c : piece) {
    if (ended_) return {};
    const bool second_of_pair = after_cr_ && c == '\n';
    after_cr_ = c == '\r';
    if (second_of_pair) continue;
    if (c == '\n' || c == '\r') {
      ended_ = !end_line(on_event);
      continue;
    }
    if (line_.size() + data_.size() >= kMaxEvent)
      return Error("the server sent an event of more than a megabyte");
    line_ += c;
  }
  return {};
}

bool EventStream::end_line(const std::function<bool(std::string_view)>& on_event) {
  const std::string line = std::exchange(line_, {});
  if (line.empty()) {
    const std::string data = std::exchange(data_, {});
    return data.empty() || on_event(std::string_view(data).substr(0, data.size() - 1));
  }
  constexpr std::string_view kField = "data";
  if (!line.starts_with(kField)) return true;
  std::string_view value = std::string_view(line).substr(kField.size());
  if (!value.empty() && value.front() != ':') return true;  // another field
  if (!value.empty()) value.remove_prefix(1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  data_ += value;
  data_ += '\n';
  return true;
}

}  // namespace redraft
