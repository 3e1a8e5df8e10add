#include "lsp/features/unread_messages.h"

#include "support/log/log.h"
#include "support/utf8/utf8.h"

namespace redraft::lsp {
namespace {

// Each entry stands for a message of megabytes. No editor sends this many.
constexpr std::size_t kMaxTold = 1000;
// The client chooses the names, which may be of any length.
constexpr std::size_t kMaxNameBytes = 300;

std::string megabytes(std::size_t bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MB";
}

std::string why_unread(const UnreadMessage& message) {
  const std::string what = "the editor's message of " + megabytes(message.bytes);
  if (message.has_too_many_values)
    return what + " has more than " + std::to_string(kValueLimit) + " values";
  return what + " exceeds the limit of " + megabytes(kMessageLimit);
}

// Without such a message the server does not know the document's text.
bool loses_text(const std::string& method) {
  return method == "textDocument/didOpen" || method == "textDocument/didChange";
}

}  // namespace

void UnreadMessages::take(const UnreadMessage& message, bool serving) {
  const MessageOutline& about = message.outline;
  const std::string why = why_unread(message);
  logging::warn("{}", why);
  // This is a response. The requester sees null, which means an error.
  if (!about.id.is_null() && about.method.empty()) {
    connection_->receive_response({{"id", about.id}, {"error", {{"message", why}}}});
  } else if (!about.id.is_null()) {
    connection_->respond_error(about.id, ErrorCode::kRequestFailed, why);
  } else if (serving) {
    take_notification(message);
  }
}

void UnreadMessages::take_notification(const UnreadMessage& message) {
  const MessageOutline& about = message.outline;
  const bool about_text = loses_text(about.method) && !about.uri.empty();
  if (about_text) {
    const Error error(why_unread(message));
    workspace_.refuse(about.uri, error.in(about.uri));
  }
  if (told_.size() >= kMaxTold) told_.clear();
  if (!told_.insert(about_text ? about.uri : std::string()).second) return;
  std::string text = "redraft: ";
  if (about_text) {
    text += "cannot edit " + shortened(about.uri, kMaxNameBytes) + ": ";
  } else if (!about.method.empty()) {
    text += shortened(about.method, kMaxNameBytes) + ": ";
  }
  connection_->show_message(MessageType::kWarning,
                            text + why_unread(message) + ". Other files are not affected.");
}

}  // namespace redraft::lsp
