#include "lsp/model_status.h"

#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

#include "lsp/version.h"

namespace redraft::lsp {
namespace {

const char* to_string(ModelStatus::State state) {
  switch (state) {
    case ModelStatus::State::kUnloaded:
      return "unloaded";
    case ModelStatus::State::kLoading:
      return "loading";
    case ModelStatus::State::kReady:
      return "ready";
    case ModelStatus::State::kFailed:
      return "failed";
  }
  return "";
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Result<std::unique_ptr<Engine>> make_or_error(const Workspace::EngineFactory& make_engine) {
  try {
    return make_engine();
  } catch (const std::exception& failure) {
    return Error(std::string("loading the model: ") + failure.what());
  }
}

}  // namespace

Workspace::EngineFactory ModelStatus::watch(Workspace::EngineFactory make_engine) {
  return [this, make_engine = std::move(make_engine)]() -> Result<std::unique_ptr<Engine>> {
    post_([this] { loading(); });
    Result<std::unique_ptr<Engine>> engine = make_or_error(make_engine);
    if (engine) {
      post_([this, target = (*engine)->target_name(), draft = (*engine)->draft_name()] {
        ready(target, draft);
      });
    } else {
      post_([this, error = engine.error().message()] { failed(error); });
    }
    return engine;
  };
}

Json ModelStatus::json() const {
  return {{"version", kServerVersion},
          {"state", to_string(state_)},
          {"target", text_or_null(target_)},
          {"draft", text_or_null(draft_)},
          {"error", text_or_null(error_)}};
}

void ModelStatus::loading() {
  error_.clear();
  if (capabilities_.work_done_progress) {
    progress_ = WorkDoneProgress::create(connection_, {.text = "redraft: loading the model"});
  }
  changed(State::kLoading);
}

void ModelStatus::ready(std::string target, std::string draft) {
  target_ = std::move(target);
  draft_ = std::move(draft);
  spdlog::info("model ready: target {}, draft {}", target_, draft_.empty() ? "none" : draft_);
  changed(State::kReady);
}

void ModelStatus::failed(std::string error) {
  error_ = std::move(error);
  spdlog::error("the model could not be loaded: {}", error_);
  connection_->show_message(MessageType::kError, "redraft cannot load its model: " + error_);
  changed(State::kFailed);
}

void ModelStatus::changed(State state) {
  state_ = state;
  if (state_ != State::kLoading) progress_.reset();
  if (capabilities_.streamed_edits) connection_->notify("$/redraft/status", json());
}

}  // namespace redraft::lsp
