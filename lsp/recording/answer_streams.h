// Divides a server's messages into streams. Within a stream, the client's messages determine order
// and content: the responses to one request, the notifications of one kind, the news of one edit.
// Across streams the scheduler decides the order, so a replay is compared stream by stream.
//
// An example: the client starts edits 1 and 2 and requests the status. Recording and replay may
// interleave differently and are still equal:
//
//   recorded: edit 1 hunk a, answer to 7, edit 2 hunk c, progress, edit 1 hunk b
//   replayed: answer to 7, edit 1 hunk a, edit 1 hunk b, edit 2 hunk c
//   streams:  "$/redraft/edit of edit 1" [a, b]   "$/redraft/edit of edit 2" [c]
//             "answer to redraft/status (7)" [{…}]
//
// If the replay sent b before a, that would be a difference. Messages that a timer triggers
// (progress, traces, the log) belong to no stream. Parts of others that depend on time, speed or
// numbers that the server chose are masked: see comparable() in the source.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lsp/wire/json.h"

namespace redraft::lsp {

class AnswerStreams {
 public:
  struct Answer {
    Json message;  // the parts that must be equal
    int line = 0;  // in the recording; 0 if none
  };
  using Stream = std::vector<Answer>;

  // Call these in the order in which the messages were received and sent.
  void client_said(const Json& message);
  // The client left without `shutdown`. How much of the server's output it still saw is random.
  void client_went() { cut_short_ = !asked_shutdown_; }
  bool cut_short() const { return cut_short_; }
  // Whether `stream` is the news of an edit that the client cancelled by command. Its end may have
  // been on its way by then.
  bool client_cancelled(const std::string& stream) const { return cancelled_.contains(stream); }
  // The stream of the message; nothing if the message is optional.
  std::optional<std::string> server_said(const Json& message, int line = 0);

  const std::map<std::string, Stream>& streams() const { return streams_; }

  // The server numbers its requests to the client. A replay keeps a request's position among those
  // with its method, but not necessarily its id.
  struct RequestPlace {
    std::string method;
    std::size_t index = 0;
  };
  std::optional<RequestPlace> place_of(const Json& id) const;
  // Nothing if there is no such request yet.
  std::optional<Json> id_at(const RequestPlace& place) const;

 private:
  bool asked_shutdown_ = false;
  bool cut_short_ = false;
  std::map<std::string, Stream> streams_;
  std::set<Json> cancels_;             // ids of the client's commands that cancel an edit
  std::set<std::string> cancelled_;    // the streams of these edits
  std::map<Json, std::string> asked_;  // methods of the client's requests, by id
  std::map<std::string, std::vector<Json>> requests_;  // ids of the server's requests, by method
  std::map<Json, RequestPlace> places_;                // of the server's requests, by id
};

// The first few places where two values differ, each as "/a/0/b was 1, is 2".
std::vector<std::string> differing_places(const Json& was, const Json& is);

}  // namespace redraft::lsp
