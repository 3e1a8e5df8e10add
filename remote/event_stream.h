#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft {

// Reads server-sent events (HTML standard, section 9.2.6) from pieces of any size. Lines end with
// CR, LF or both; the `data` lines of an event are joined by LF; everything else (comments, names,
// ids) is skipped.
class EventStream {
 public:
  static constexpr std::size_t kMaxEvent = std::size_t{1} << 20;  // bytes

  // Calls `on_event` with the data of each complete event; stops reading if it returns false. An
  // error if an event is larger than kMaxEvent.
  Result<void> add(std::string_view piece, const std::function<bool(std::string_view)>& on_event);

 private:
  bool end_line(const std::function<bool(std::string_view)>& on_event);

  std::string line_;
  std::string data_;  // an LF follows each line
  bool after_cr_ = false;
  bool ended_ = false;
};

}  // namespace redraft
