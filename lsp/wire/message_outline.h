#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lsp/wire/json.h"

namespace redraft::lsp {

// What a message is about. Members that are missing or unusable are empty.
struct MessageOutline {
  Json id;             // an integer, a string, or null
  std::string method;  // of a request or notification
  std::string uri;     // params.textDocument.uri

  friend bool operator==(const MessageOutline&, const MessageOutline&) = default;
};

// Reads the outline of a message while its bytes pass by. It holds some kilobytes at most, whatever
// the input. From valid JSON it reads the same values as parse_json(), except for values longer
// than kMaxValueBytes. From anything else it reads some outline or none.
class OutlineReader {
 public:
  OutlineReader() = default;
  OutlineReader(const OutlineReader&) = delete;
  OutlineReader& operator=(const OutlineReader&) = delete;
  static constexpr std::size_t kMaxValueBytes = 4096;

  // The pieces may be of any size.
  void append(std::string_view bytes);
  // The outline of the bytes so far.
  MessageOutline outline() const;

 private:
  // A string or number, kept as the message spells it, without quotes.
  struct Captured {
    std::string raw;
    bool is_string = false;
    bool complete = false;
  };

  void take_outside_strings(char c);
  void begin_string();
  void end_string();
  void take_key();
  void open(bool is_object);
  void close();
  void end_scalar();
  void keep(std::string_view bytes);
  void capture(Captured* target, bool is_string);
  // Where to keep the value that begins here; null if it is not needed.
  Captured* place_of_value();
  // Whether the innermost open bracket is the message itself, its params or its textDocument.
  bool on_path() const { return brackets_.size() == matched_; }

  std::string brackets_;  // the open ones: '{' or '['
  // How many of them, from the outermost inwards, lead to the document's URI.
  std::size_t matched_ = 0;
  bool in_string_ = false, escaped_ = false, in_scalar_ = false;
  bool is_key_ = false, expects_key_ = false;
  bool done_ = false;           // the rest is not needed
  Captured* target_ = nullptr;  // null if the current value is not kept
  Captured key_, id_, method_, uri_;
};

}  // namespace redraft::lsp
