#include "lsp/wire/progress.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace redraft::lsp {

std::shared_ptr<WorkDoneProgress> WorkDoneProgress::on_token(std::shared_ptr<Connection> connection,
                                                             Json token, const Title& title) {
  std::shared_ptr<WorkDoneProgress> progress(
      new WorkDoneProgress(std::move(connection), std::move(token)));
  progress->begin(title);
  return progress;
}

std::shared_ptr<WorkDoneProgress> WorkDoneProgress::create(std::shared_ptr<Connection> connection,
                                                           const Title& title) {
  static std::atomic<int> count = 0;
  Json token = "redraft-" + std::to_string(count++);
  std::shared_ptr<WorkDoneProgress> progress(
      new WorkDoneProgress(std::move(connection), std::move(token)));
  progress->connection_->request("window/workDoneProgress/create", {{"token", progress->token_}},
                                 [weak = std::weak_ptr(progress), title](const Json* result) {
                                   const auto self = weak.lock();
                                   if (self && result != nullptr && !self->ended_)
                                     self->begin(title);
                                 });
  return progress;
}

WorkDoneProgress::~WorkDoneProgress() { end(); }

void WorkDoneProgress::begin(const Title& title) {
  begun_ = true;
  Json value = {{"kind", "begin"}, {"title", title.text}, {"cancellable", title.cancellable}};
  if (title.has_fraction) value["percentage"] = 0;
  send(std::move(value));
}

void WorkDoneProgress::report(double fraction, std::string_view message) {
  if (!begun_ || ended_) return;
  const long percentage = std::lround(100 * std::clamp(fraction, 0.0, 1.0));
  Json value = {{"kind", "report"}, {"percentage", percentage}};
  if (!message.empty()) value["message"] = message;
  send(std::move(value));
}

void WorkDoneProgress::end() {
  if (ended_) return;
  ended_ = true;
  if (begun_) send({{"kind", "end"}});
}

void WorkDoneProgress::send(Json value) {
  connection_->notify("$/progress", {{"token", token_}, {"value", std::move(value)}});
}

}  // namespace redraft::lsp
