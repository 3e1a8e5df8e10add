#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "support/files/shared_log.h"

// The log of this process, on stderr. Any thread may log. Nothing but log.cpp includes the library
// that writes it, which takes three seconds to compile in each file that does.
namespace redraft::logging {

enum class Level { kDebug, kInfo, kWarning, kError, kCritical };

// A text or a number in a message. Text has to live until the call returns.
class Argument {
 public:
  Argument(std::string_view text) : value_(text) {}                                   // NOLINT
  Argument(const char* text) : value_(std::string_view(text)) {}                      // NOLINT
  Argument(const std::string& text) : value_(std::string_view(text)) {}               // NOLINT
  Argument(std::integral auto number) : value_(static_cast<long long>(number)) {}     // NOLINT
  Argument(std::floating_point auto number) : value_(static_cast<double>(number)) {}  // NOLINT
  const std::variant<std::string_view, long long, double>& value() const { return value_; }

 private:
  std::variant<std::string_view, long long, double> value_;
};

// Each {} of `format` becomes one argument, in order.
void write(Level level, std::string_view format, std::initializer_list<Argument> arguments = {});

// A format for so many arguments: with another number of {} it does not compile.
template <std::size_t count>
class Format {
 public:
  consteval Format(const char* text) : text_(text) {  // NOLINT(google-explicit-constructor)
    std::size_t places = 0;
    for (std::size_t at = text_.find("{}"); at != text_.npos; at = text_.find("{}", at + 2))
      ++places;
    if (places != count) throw "a message needs one {} for each argument";
  }
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};
template <typename... Arguments>
using FormatFor = Format<sizeof...(Arguments)>;

template <typename... Arguments>
void debug(FormatFor<Arguments...> format, const Arguments&... arguments) {
  write(Level::kDebug, format.text(), {Argument(arguments)...});
}
template <typename... Arguments>
void info(FormatFor<Arguments...> format, const Arguments&... arguments) {
  write(Level::kInfo, format.text(), {Argument(arguments)...});
}
template <typename... Arguments>
void warn(FormatFor<Arguments...> format, const Arguments&... arguments) {
  write(Level::kWarning, format.text(), {Argument(arguments)...});
}
template <typename... Arguments>
void error(FormatFor<Arguments...> format, const Arguments&... arguments) {
  write(Level::kError, format.text(), {Argument(arguments)...});
}
template <typename... Arguments>
void critical(FormatFor<Arguments...> format, const Arguments&... arguments) {
  write(Level::kCritical, format.text(), {Argument(arguments)...});
}

// Which messages are written: the names of --log-level ("trace" to "off").
void set_level(std::string_view name);
// Warnings and worse, in colour on a terminal. The functions that choose where the log goes are
// called before other threads log.
void to_stderr();
// For a server: each line begins with the time or, in a log of several processes, with the date and
// the process.
enum class Lines { kOfOneProcess, kOfSeveral };
// `file` is the file that stderr is, kept from growing without bound (SharedLog), if it is known.
void to_stderr_of_server(Lines lines, std::optional<SharedLog> file);

}  // namespace redraft::logging
