#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lsp/wire/connection.h"
#include "lsp/wire/json.h"

namespace redraft::lsp {

// One work-done progress that the client shows: begin, reports and end, always in that order. It
// ends when its last owner is destroyed. Main thread.
class WorkDoneProgress : public std::enable_shared_from_this<WorkDoneProgress> {
 public:
  struct Title {
    std::string text;
    bool cancellable = false;
    // If false, the client shows that work is going on, but not how far it is.
    bool has_fraction = false;
  };
  // Uses a token from the client's request and begins at once.
  static std::shared_ptr<WorkDoneProgress> on_token(std::shared_ptr<Connection> connection,
                                                    Json token, const Title& title);
  // Uses a token of the server and begins once the client has accepted it. Only for clients that
  // announce window.workDoneProgress.
  static std::shared_ptr<WorkDoneProgress> create(std::shared_ptr<Connection> connection,
                                                  const Title& title);
  ~WorkDoneProgress();

  const Json& token() const { return token_; }
  // An empty message keeps the previous one.
  void report(double fraction, std::string_view message);
  void end();

 private:
  WorkDoneProgress(std::shared_ptr<Connection> connection, Json token)
      : connection_(std::move(connection)), token_(std::move(token)) {}
  void begin(const Title& title);
  void send(Json value);

  std::shared_ptr<Connection> connection_;
  Json token_;
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace redraft::lsp
