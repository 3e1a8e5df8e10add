#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>

#include "decoding/load_control.h"
#include "support/result.h"
#include "workspace/decode_queue.h"
#include "workspace/engine.h"
#include "workspace/owner_post.h"

namespace redraft {

// The models behind the edits: loaded on the decode thread when they are first needed.
struct EngineStatus {
  enum class State { kUnloaded, kLoading, kReady, kFailed };
  State state = State::kUnloaded;
  double loaded = 0;        // the part that is, while loading
  std::string target = {};  // names, once ready
  std::string draft = {};   // empty: none
  std::string error = {};   // why loading failed; the next request tries again
};

// The models of a process and the one thread that works with them, for all workspaces that it
// serves. Called on its owner's thread, but for engine().
class EngineHost {
 public:
  // Stopped when the host goes.
  using Factory = std::function<Result<std::unique_ptr<Engine>>(const LoadControl&)>;
  using OnStatus = std::function<void(const EngineStatus&)>;  // on the owner's thread
  using ObserverId = int;

  // `post` leads to the owner's thread.
  EngineHost(Factory make, Post post);
  ~EngineHost();  // stops what runs and joins the decode thread
  EngineHost(const EngineHost&) = delete;
  EngineHost& operator=(const EngineHost&) = delete;

  DecodeQueue& queue() { return queue_; }
  const EngineStatus& status() const { return status_; }
  // `on_status` is called whenever the status changed, or more of the model is loaded.
  ObserverId observe(OnStatus on_status);
  void forget(ObserverId id) { observers_.erase(id); }

  // On the decode thread: the engine, loaded now if it is not yet.
  Result<Engine*> engine();

 private:
  void set_status(EngineStatus status);
  void tell();

  Factory make_;
  std::unique_ptr<Engine> engine_;  // of the decode thread
  EngineStatus status_;
  std::map<ObserverId, OnStatus> observers_;
  ObserverId last_observer_ = 0;
  std::stop_source closing_;
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  OwnerPost call_;
  DecodeQueue queue_;  // last: its thread uses the others
};

// On the decode thread: what `run` makes of the host's Engine&, a Result; loading the models may
// fail first. An exception becomes an error that begins with `what`: nothing leaves the thread.
template <typename Run>
std::invoke_result_t<Run, Engine&> run_on_engine(EngineHost& host, const std::string& what,
                                                 const Run& run) {
  try {
    const Result<Engine*> engine = host.engine();
    if (!engine) return engine.error();
    return run(**engine);
  } catch (const std::exception& exception) {
    return Error(what + ": " + exception.what());
  }
}

}  // namespace redraft
