#include "lsp/status/model_status.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "lsp/wire/version.h"
#include "support/log/log.h"

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

// "2.2 GB"
std::string memory_text(std::uint64_t bytes) {
  char text[32];
  const double megabytes = static_cast<double>(bytes) / 1e6;
  if (megabytes < 1000) {
    std::snprintf(text, sizeof text, "%.0f MB", megabytes);
  } else {
    std::snprintf(text, sizeof text, "%.1f GB", megabytes / 1e3);
  }
  return text;
}

std::string why_unloaded(const EngineStatus& status) {
  if (status.at_rest)
    return "redraft unloaded the model because it was idle "
           "(redraft.unloadAfter). The next request loads it again.";
  std::string when = "The model is not loaded yet. The first request loads it.";
  if (!status.lacks_memory) return when;
  return when + " It takes about " + memory_text(status.memory_bytes) +
         " of memory, more than is free.";
}

// `model` is "model" or a longer name: "model for completions".
std::string what_is_loaded(const std::string& model, std::uint64_t memory_bytes) {
  if (memory_bytes == 0) return "The " + model + " is being loaded.";
  return "The " + model + " is being loaded; it takes about " + memory_text(memory_bytes) +
         " of memory.";
}

std::string title_of_loading(const std::string& model, std::uint64_t memory_bytes) {
  const std::string title = "redraft: loading the " + model;
  return memory_bytes == 0 ? title : title + ", " + memory_text(memory_bytes) + " of memory";
}

// Why the model is probably not what its makers meant; empty: no fault is known.
std::string fault_text(const std::string& which, const std::string& model,
                       const std::string& fault) {
  if (fault.empty()) return {};
  return "The " + which + ", " + model + ", is probably loaded wrongly. " + fault +
         " `redraft models check " + model + "` says what to do.";
}

std::string fault_text(const EngineStatus& status) {
  return fault_text("model", status.target, status.fault);
}

std::string fault_text(const EngineStatus::Beside& beside) {
  return fault_text("model for " + beside.what, beside.model, beside.fault);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json bytes_or_null(std::uint64_t bytes) { return bytes > 0 ? Json(bytes) : Json(); }

}  // namespace

void ModelStatus::on_engine(const EngineStatus& status) {
  if (status == status_) return;
  const bool beside_changed = follow_beside(status.beside);
  if (status == status_) {
    if (beside_changed) on_change_();
    return;
  }
  const State before = status_.state;
  const bool goes_on = status.state == State::kLoading && before == State::kLoading;
  status_ = status;
  show_notice(status.notice);
  if (status.fault_is_new) show_fault(fault_text(status), told_fault_);
  if (goes_on) {
    if (progress_) progress_->report(status.loaded, {});
    return;
  }
  progress_.reset();
  told_failure_ = false;
  if (status.state == State::kLoading && capabilities_.work_done_progress) {
    progress_ = WorkDoneProgress::create(
        connection_,
        {.text = title_of_loading("model", status.memory_bytes), .has_fraction = true});
  } else if (status.state == State::kReady && before != State::kReady) {
    logging::info("model ready: target {}, draft {}, on {}", status.target,
                  status.draft.empty() ? "none" : status.draft,
                  status.device ? status.device->text() : "");
    last_failure_.clear();
  } else if (status.state == State::kFailed) {
    logging::error("cannot load the model: {}", status.error);
    told_failure_ = std::exchange(last_failure_, status.error) != status.error;
    if (told_failure_) {
      connection_->show_message(MessageType::kError,
                                "redraft cannot load its model: " + status.error);
    }
  }
  on_change_();
}

// Whether anything but the loading progress changed.
bool ModelStatus::follow_beside(const std::vector<EngineStatus::Beside>& now) {
  status_.beside.resize(now.size());
  beside_.resize(now.size());
  bool changed = false;
  for (std::size_t i = 0; i < now.size(); ++i) {
    EngineStatus::Beside before = status_.beside[i];
    follow_beside(before, now[i], beside_[i]);
    before.loaded = now[i].loaded;
    changed = changed || before != now[i];
  }
  status_.beside = now;
  return changed;
}

void ModelStatus::follow_beside(const EngineStatus::Beside& before, const EngineStatus::Beside& now,
                                Beside& shown) {
  const std::string which = "model for " + now.what;
  if (now.state == State::kLoading && before.state == State::kLoading) {
    if (shown.progress) shown.progress->report(now.loaded, {});
    return;
  }
  if (now.fault_is_new) show_fault(fault_text(now), shown.told_fault);
  if (now.state == before.state) return;
  shown.progress.reset();
  if (now.state == State::kLoading) {
    logging::info("{}", what_is_loaded(which, now.memory_bytes));
    if (capabilities_.work_done_progress)
      shown.progress = WorkDoneProgress::create(
          connection_, {.text = title_of_loading(which, now.memory_bytes), .has_fraction = true});
  } else if (now.state == State::kReady) {
    logging::info("{} ready: {}", which, now.model);
    shown.told_error.clear();
  } else if (now.state == State::kFailed && shown.told_error != now.error) {
    shown.told_error = now.error;
    logging::error("cannot load the {}: {}", which, now.error);
    connection_->show_message(MessageType::kError,
                              "redraft cannot load its " + which + ": " + now.error);
  }
}

// Shows what has been added since the last message.
void ModelStatus::show_notice(const std::string& notice) {
  std::string_view news = notice;
  if (news.starts_with(told_notice_)) news.remove_prefix(told_notice_.size());
  news.remove_prefix(std::min(news.find_first_not_of(' '), news.size()));
  told_notice_ = notice;
  if (news.empty()) return;
  logging::warn("{}", news);
  connection_->show_message(MessageType::kWarning, "redraft: " + std::string(news));
}

// A fault of a model is told once, in the session in which a check finds it.
void ModelStatus::show_fault(const std::string& text, std::string& told) {
  if (std::exchange(told, text) == text) return;
  logging::warn("{}", text);
  connection_->show_message(MessageType::kWarning, "redraft: " + text);
}

std::vector<std::string> ModelStatus::reasons() const {
  std::vector<std::string> reasons;
  switch (status_.state) {
    case State::kUnloaded:
      reasons.push_back(why_unloaded(status_));
      break;
    case State::kLoading:
      reasons.push_back(what_is_loaded("model", status_.memory_bytes));
      break;
    case State::kReady:
      break;
    case State::kFailed:
      reasons.push_back("redraft cannot load the model: " + status_.error);
      break;
  }
  if (!status_.notice.empty()) reasons.push_back(status_.notice);
  if (!status_.fault.empty()) reasons.push_back(fault_text(status_));
  for (const EngineStatus::Beside& beside : status_.beside) {
    const std::string which = "model for " + beside.what;
    if (beside.state == State::kLoading)
      reasons.push_back(what_is_loaded(which, beside.memory_bytes));
    if (beside.state == State::kFailed)
      reasons.push_back("redraft cannot load the " + which + ": " + beside.error);
    if (!beside.fault.empty()) reasons.push_back(fault_text(beside));
  }
  return reasons;
}

Json ModelStatus::json() const {
  Json beside = Json::array();
  for (const EngineStatus::Beside& model : status_.beside) {
    beside.push_back({{"for", model.what},
                      {"state", to_string(model.state)},
                      {"model", text_or_null(model.model)},
                      {"memoryBytes", bytes_or_null(model.memory_bytes)},
                      {"error", text_or_null(model.error)}});
  }
  return {{"version", kServerVersion},
          {"state", to_string(status_.state)},
          {"target", text_or_null(status_.target)},
          {"draft", text_or_null(status_.draft)},
          {"device", status_.device ? Json(status_.device->text()) : Json()},
          {"memoryBytes", bytes_or_null(status_.memory_bytes)},
          {"error", text_or_null(status_.error)},
          {"beside", std::move(beside)}};
}

}  // namespace redraft::lsp
