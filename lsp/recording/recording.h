// A recording is a file of JSON lines: a header, then every message in the order in which the
// server saw it.
//
//   {"redraft_recording":1,"version":"0.1.0","build":"…","options":["lsp","--record","s.jsonl"],
//    "prompt_size":"medium"}
//   {"t":0.113,"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"initialize",…}}
//   {"t":2.481,"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{…}}}
//   {"t":9.021,"from":"client","malformed":"{\"jsonrpc\""}
//   {"t":9.377,"from":"client","gone":true}
//
// `t` is milliseconds since the recording began. Client input that was not a readable message has
// its own member, see RecordedMessage::Kind. Other members are ignored, so lines can carry
// comments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/wire/framing.h"
#include "lsp/wire/json.h"
#include "support/result.h"
#include "workspace/engine/prompt_size.h"

namespace redraft::lsp {

inline constexpr int kRecordingFormat = 1;

struct RecordingHeader {
  std::string version;               // of the server
  std::string build;                 // of the program; may be empty
  std::vector<std::string> options;  // of the command line
  // For requests of a client whose settings name none; nothing in recordings of older versions.
  std::optional<PromptSize> prompt_size = {};
};

struct RecordedMessage {
  enum class From { kClient, kServer };
  enum class Kind {
    kMessage,  // `message`
    // The others come from the client only:
    kMalformed,  // a message that is not JSON: `text`
    kUnread,     // a message that was too long to be read: `unread`
    kUnframed,   // bytes that are not a message: `text` says why
    kGone,       // the client left or sent `exit`; the server sends nothing further of interest
  };
  From from = From::kClient;
  Kind kind = Kind::kMessage;
  double milliseconds = 0;
  Json message = {};
  std::string text = {};
  UnreadMessage unread = {};
  int line = 0;  // of the file; 0 if none
};

// One message as received or sent.
RecordedMessage to_recorded(RecordedMessage::From from, std::string_view content);

struct Recording {
  RecordingHeader header;
  std::vector<RecordedMessage> messages;
  // The file ends within a line because the process was killed. That line is ignored.
  bool cut_off = false;
};

// Includes the line break.
std::string to_line(const RecordingHeader& header);
std::string to_line(const RecordedMessage& message);

// The file is untrusted. The error names the line.
Result<Recording> parse_recording(std::string_view text);

}  // namespace redraft::lsp
