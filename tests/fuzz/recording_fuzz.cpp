// A recording of a session. Whatever can be read stays the same when it is written and read again,
// and a session does not differ from itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lsp/recording/answer_streams.h"
#include "lsp/recording/recording.h"
#include "lsp/recording/replay_report.h"

namespace {

using redraft::Result;
using redraft::lsp::AnswerStreams;
using redraft::lsp::RecordedMessage;
using redraft::lsp::Recording;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string written(const Recording& recording) {
  std::string text = to_line(recording.header);
  for (const RecordedMessage& each : recording.messages) text += to_line(each);
  return text;
}

AnswerStreams streams(const Recording& recording) {
  AnswerStreams streams;
  for (const RecordedMessage& each : recording.messages) {
    if (each.from == RecordedMessage::From::kServer) {
      streams.server_said(each.message, each.line);
    } else {
      streams.client_said(each.message);
    }
  }
  return streams;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Recording> recording = redraft::lsp::parse_recording(text);
  if (!recording) {
    require(!recording.error().message().empty());
    return 0;
  }
  const Result<Recording> again = redraft::lsp::parse_recording(written(*recording));
  require(static_cast<bool>(again) && again->messages.size() == recording->messages.size());
  require(written(*again) == written(*recording));
  const AnswerStreams one = streams(*recording);
  require(redraft::lsp::differences(one, streams(*again)).empty());
  require(redraft::lsp::differences(one, one).empty());
  return 0;
}
