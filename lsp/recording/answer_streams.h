// What a server says, cut into streams in which order and content are settled by what the client
// said: the answers to one request, the notifications of one kind, the news of one edit. Between
// streams the order is the scheduler's, so a replay is compared stream by stream.
//
// Left out are messages that come by the clock (progress, traces, the log), and of the others what
// says when, how fast, or under which number of ours: see comparable() in the source.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lsp/wire/json.h"

namespace redraft::lsp {

class AnswerStreams {
 public:
  struct Answer {
    Json message;  // what of it has to be the same
    int line = 0;  // of the recording; 0: of none
  };
  using Stream = std::vector<Answer>;

  // Messages in the order in which they came and went.
  void client_said(const Json& message);
  // It went away without `shutdown`. How much more it would have been told by then is chance.
  void client_went() { cut_short_ = !asked_shutdown_; }
  bool cut_short() const { return cut_short_; }
  // The stream that it belongs to; none: it may come or not.
  std::optional<std::string> server_said(const Json& message, int line = 0);

  const std::map<std::string, Stream>& streams() const { return streams_; }

  // Requests of the server to the client are numbered by the server. The place of one among those
  // of its method stays the same, its id may not.
  struct RequestPlace {
    std::string method;
    std::size_t index = 0;
  };
  std::optional<RequestPlace> place_of(const Json& id) const;
  std::optional<Json> id_at(const RequestPlace& place) const;  // none: there is none yet

 private:
  bool asked_shutdown_ = false;
  bool cut_short_ = false;
  std::map<std::string, Stream> streams_;
  std::map<Json, std::string> asked_;                  // methods of the client's requests, by id
  std::map<std::string, std::vector<Json>> requests_;  // ids of the server's, by method
  std::map<Json, RequestPlace> places_;                // the same, by id
};

// The first few places where two values differ, each as "/a/0/b was 1, is 2".
std::vector<std::string> differing_places(const Json& was, const Json& is);

}  // namespace redraft::lsp
