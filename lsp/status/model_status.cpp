#include "lsp/status/model_status.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "lsp/wire/version.h"

namespace redraft::lsp {
namespace {

using State = EngineStatus::State;

const char* to_string(State state) {
  switch (state) {
    case State::kUnloaded:
      return "unloaded";
    case State::kLoading:
      return "loading";
    case State::kReady:
      return "ready";
    case State::kFailed:
      return "failed";
  }
  return "";
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

void ModelStatus::on_engine(const EngineStatus& status) {
  const bool goes_on = status.state == State::kLoading && status_.state == State::kLoading;
  status_ = status;
  show_notice(status.notice);
  if (goes_on) {
    if (progress_) progress_->report(status.loaded, {});
    return;
  }
  progress_.reset();
  told_failure_ = false;
  if (status.state == State::kLoading && capabilities_.work_done_progress) {
    progress_ = WorkDoneProgress::create(
        connection_, {.text = "redraft: loading the model", .has_fraction = true});
  } else if (status.state == State::kReady) {
    spdlog::info("model ready: target {}, draft {}, on {}", status.target,
                 status.draft.empty() ? "none" : status.draft, status.device);
    last_failure_.clear();
  } else if (status.state == State::kFailed) {
    spdlog::error("the model could not be loaded: {}", status.error);
    told_failure_ = std::exchange(last_failure_, status.error) != status.error;
    if (told_failure_) {
      connection_->show_message(MessageType::kError,
                                "redraft cannot load its model: " + status.error);
    }
  }
  on_change_();
}

// Shows what has been added since the last message.
void ModelStatus::show_notice(const std::string& notice) {
  std::string_view news = notice;
  if (news.starts_with(told_notice_)) news.remove_prefix(told_notice_.size());
  news.remove_prefix(std::min(news.find_first_not_of(' '), news.size()));
  told_notice_ = notice;
  if (news.empty()) return;
  spdlog::warn("{}", news);
  connection_->show_message(MessageType::kWarning, "redraft: " + std::string(news));
}

std::vector<std::string> ModelStatus::reasons() const {
  std::vector<std::string> reasons;
  switch (status_.state) {
    case State::kUnloaded:
      reasons.push_back("The model is not loaded yet: it is with the first request.");
      break;
    case State::kLoading:
      reasons.push_back("The model is being loaded.");
      break;
    case State::kReady:
      break;
    case State::kFailed:
      reasons.push_back("The model could not be loaded: " + status_.error);
      break;
  }
  if (!status_.notice.empty()) reasons.push_back(status_.notice);
  return reasons;
}

Json ModelStatus::json() const {
  return {{"version", kServerVersion},
          {"state", to_string(status_.state)},
          {"target", text_or_null(status_.target)},
          {"draft", text_or_null(status_.draft)},
          {"device", text_or_null(status_.device)},
          {"error", text_or_null(status_.error)}};
}

}  // namespace redraft::lsp
