#include "lsp/recording/recording.h"

#include <cmath>
#include <utility>

#include "text/strings/trimmed.h"

namespace redraft::lsp {
namespace {

using From = RecordedMessage::From;
using Kind = RecordedMessage::Kind;

constexpr const char* kMark = "redraft_recording";
constexpr double kMaxMilliseconds = 1e12;  // thirty years

Error at_line(int line, const std::string& what) {
  return Error("line " + std::to_string(line) + ": " + what);
}

// Null if there is no such member.
const Json& member(const Json& object, const char* name) {
  static const Json kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

std::string text_or_none(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

Result<RecordingHeader> parse_header(const Json& line) {
  const Json& format = member(line, kMark);
  if (!format.is_number_integer())
    return at_line(1, "this is not a redraft recording: it does not begin with {\"" +
                          std::string(kMark) + "\": …}");
  if (format != kRecordingFormat) {
    return at_line(1, "the recording has format " + to_text(format) + ", but this redraft reads " +
                          std::to_string(kRecordingFormat) + ". Replay it with the redraft " +
                          text_or_none(member(line, "version")) + " that recorded it");
  }
  RecordingHeader header{.version = text_or_none(member(line, "version")),
                         .build = text_or_none(member(line, "build")),
                         .options = {}};
  header.prompt_size = parse_prompt_size(text_or_none(member(line, "prompt_size")));
  const Json& options = member(line, "options");
  if (!options.is_array()) return header;
  for (const Json& option : options) header.options.push_back(text_or_none(option));
  return header;
}

UnreadMessage parse_unread(const Json& json) {
  const Json& bytes = member(json, "bytes");
  const Json& id = member(json, "id");
  UnreadMessage unread;
  if (bytes.is_number_unsigned()) unread.bytes = bytes.get<std::size_t>();
  if (id.is_number_integer() || id.is_string()) unread.outline.id = id;
  unread.outline.method = text_or_none(member(json, "method"));
  unread.outline.uri = text_or_none(member(json, "uri"));
  return unread;
}

// Reads the member that holds the line's content.
bool parse_content(const Json& line, RecordedMessage& parsed) {
  const bool of_client = parsed.from == From::kClient;
  if (const Json& message = member(line, "message"); !message.is_null()) {
    parsed.message = message;
    return of_client || message.is_object();
  }
  if (!of_client) return false;
  if (const Json& malformed = member(line, "malformed"); malformed.is_string()) {
    const double time = parsed.milliseconds;
    const int number = parsed.line;
    parsed = to_recorded(From::kClient, malformed.get_ref<const std::string&>());
    parsed.milliseconds = time;
    parsed.line = number;
  } else if (const Json& unread = member(line, "unread"); unread.is_object()) {
    parsed.kind = Kind::kUnread;
    parsed.unread = parse_unread(unread);
  } else if (const Json& why = member(line, "unframed"); why.is_string()) {
    parsed.kind = Kind::kUnframed;
    parsed.text = why.get<std::string>();
  } else if (member(line, "gone") == true) {
    parsed.kind = Kind::kGone;
  } else {
    return false;
  }
  return true;
}

Result<RecordedMessage> parse_message(const Json& line, int number) {
  RecordedMessage parsed;
  parsed.line = number;
  const Json& time = member(line, "t");
  if (!time.is_number() || !(time.get<double>() >= 0 && time.get<double>() <= kMaxMilliseconds))
    return at_line(number, "\"t\" must be a number of milliseconds, 0 or more");
  parsed.milliseconds = time.get<double>();
  const Json& from = member(line, "from");
  if (from != "client" && from != "server")
    return at_line(number, R"("from" must be "client" or "server")");
  parsed.from = from == "client" ? From::kClient : From::kServer;
  if (!parse_content(line, parsed)) return at_line(number, "there is no \"message\"");
  return parsed;
}

// The name and the value of that member.
std::string content_of(const RecordedMessage& recorded) {
  switch (recorded.kind) {
    case Kind::kMessage:
      return "\"message\":" + to_text(recorded.message);
    case Kind::kMalformed:
      return "\"malformed\":" + to_text(Json(recorded.text));
    case Kind::kUnread: {
      const MessageOutline& about = recorded.unread.outline;
      return "\"unread\":" + to_text({{"bytes", recorded.unread.bytes},
                                      {"id", about.id},
                                      {"method", about.method},
                                      {"uri", about.uri}});
    }
    case Kind::kUnframed:
      return "\"unframed\":" + to_text(Json(recorded.text));
    case Kind::kGone:
      break;
  }
  return "\"gone\":true";
}

}  // namespace

std::string to_line(const RecordingHeader& header) {
  // Written without the JSON library, so that the format marker comes first.
  Json rest = {{"version", header.version}, {"build", header.build}, {"options", header.options}};
  if (header.prompt_size) rest["prompt_size"] = to_string(*header.prompt_size);
  return "{\"" + std::string(kMark) + "\":" + std::to_string(kRecordingFormat) + "," +
         to_text(rest).substr(1) + "\n";
}

std::string to_line(const RecordedMessage& message) {
  return "{\"t\":" + to_text(std::round(message.milliseconds * 1000) / 1000) + ",\"from\":\"" +
         (message.from == From::kClient ? "client" : "server") + "\"," + content_of(message) +
         "}\n";
}

RecordedMessage to_recorded(From from, std::string_view content) {
  RecordedMessage recorded;
  recorded.from = from;
  Result<Json> message = parse_json(content);
  // Null is valid JSON, but would read as a missing message.
  if (message && !message->is_null()) {
    recorded.message = std::move(*message);
  } else {
    recorded.kind = Kind::kMalformed;
    recorded.text = content;
  }
  return recorded;
}

Result<Recording> parse_recording(std::string_view text) {
  Recording recording;
  bool has_header = false;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool whole = end != std::string_view::npos;
    text.remove_prefix(whole ? end + 1 : text.size());
    if (trimmed(line).empty()) continue;
    const Result<Json> json = parse_json(line);
    if (!json && !whole && has_header) {
      recording.cut_off = true;
      break;
    }
    if (!json) return at_line(number, json.error().message());
    if (!json->is_object()) return at_line(number, "this is not a JSON object");
    if (!std::exchange(has_header, true)) {
      Result<RecordingHeader> header = parse_header(*json);
      if (!header) return header.error();
      recording.header = std::move(*header);
      continue;
    }
    Result<RecordedMessage> message = parse_message(*json, number);
    if (!message) return message.error();
    recording.messages.push_back(std::move(*message));
  }
  if (!has_header) return Error("the recording is empty");
  return recording;
}

}  // namespace redraft::lsp
