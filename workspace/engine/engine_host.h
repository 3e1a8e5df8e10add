#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "decoding/load_control.h"
#include "decoding/model_failure.h"
#include "support/owner_post.h"
#include "support/result.h"
#include "workspace/engine/decode_queue.h"
#include "workspace/engine/engine.h"

namespace redraft {

// The state of the models, which are loaded on the decode thread when first needed, or before that
// by load_early().
struct EngineStatus {
  enum class State { kUnloaded, kLoading, kReady, kFailed };
  State state = State::kUnloaded;
  double loaded = 0;        // the loaded part, while loading
  std::string target = {};  // names, once ready
  std::string draft = {};   // empty: none
  // What the engine is, once it is ready:
  std::optional<Device> device = {};
  std::optional<OwnDecoder> own_decoder = {};
  std::optional<PromptSize> prompt_size =
      {};                   // of requests that name none; nothing: not chosen yet
  int context_length = 0;   // tokens; 0: not known
  std::string error = {};   // why loading failed; the next request tries again
  std::string notice = {};  // what is not as requested, as sentences; empty: nothing
  // Why the model is probably not loaded as its makers meant it (Engine::known_fault); and whether
  // that was found just now, so that the user does not know it.
  std::string fault = {};
  bool fault_is_new = false;
  // About how much the models take; 0: it is not known.
  std::uint64_t memory_bytes = 0;
  // Why they were not loaded early: so much is not free.
  bool lacks_memory = false;
  // They were loaded, and nothing was asked of them for a while (EngineHost::unload_after).
  bool at_rest = false;
  // A model beside these that serves some purposes instead.
  struct Beside {
    std::string what = {};  // "completions", "next edits", or both
    State state = State::kUnloaded;
    double loaded = 0;
    std::string model = {};  // its name, once ready
    std::uint64_t memory_bytes = 0;
    std::string error = {};
    std::string fault = {};
    bool fault_is_new = false;

    friend bool operator==(const Beside&, const Beside&) = default;
  };
  std::vector<Beside> beside = {};

  friend bool operator==(const EngineStatus&, const EngineStatus&) = default;
};

// The models of a process and the one thread that works with them, for all workspaces that the
// process serves. Called on its owner's thread, except for engine().
class EngineHost {
 public:
  // How the engine is made. The stop token is triggered when the host is destroyed.
  struct Factory {
    using Make = std::function<Result<std::unique_ptr<Engine>>(const LoadControl&)>;

    Factory() = default;
    // Implicit: any function that makes an engine is a factory.
    template <typename Function>
    requires std::constructible_from<Make, Function>
    Factory(  // NOLINT(google-explicit-constructor)
        Function function, bool makes_draft = false, std::function<std::uint64_t()> needs = {})
        : make(std::move(function)), has_draft(makes_draft), memory(std::move(needs)) {}

    Make make;
    bool has_draft = false;  // whether the engine will have a draft model: known before it is made
    // How many bytes of the machine's memory it will take, about; 0, or empty: not known.
    std::function<std::uint64_t()> memory;
    // By purpose, engines that do it instead, loaded when they are first needed; null: the one that
    // `make` makes. Two purposes may have the same.
    PerPurpose<std::shared_ptr<const Factory>> own = {};
    // The size of prompts that its engine will have, if that was chosen before; may be empty.
    std::function<std::optional<PromptSize>()> prompt_size = {};
  };
  using OnStatus = std::function<void(const EngineStatus&)>;  // on the owner's thread
  using ObserverId = int;

  // `post` leads to the owner's thread.
  EngineHost(Factory make, Post post);
  ~EngineHost();  // stops the running job and joins the decode thread
  EngineHost(const EngineHost&) = delete;
  EngineHost& operator=(const EngineHost&) = delete;

  DecodeQueue& queue() { return shared_queue_ != nullptr ? *shared_queue_ : *own_queue_; }
  // The host of the engine for this purpose: this one or, if the factory says so, one beside it
  // with the same queue.
  EngineHost& of(Purpose purpose) { return *of_[purpose]; }
  const EngineStatus& status() const { return status_; }
  // What its caches took when it was last used, without hosts beside. On any thread.
  CacheMemory cache_memory() const { return {cache_bytes_, cache_limit_}; }
  // The size of prompts that the engine has or will have; nothing: no engine was loaded so far. On
  // any thread.
  std::optional<PromptSize> kept_prompt_size() const {
    return make_.prompt_size ? make_.prompt_size() : std::nullopt;
  }
  // Whether there is, or will be, a draft model.
  bool has_draft() const { return make_.has_draft; }
  // `on_status` is called whenever the status changes, or more of the model is loaded.
  ObserverId observe(OnStatus on_status);
  void forget(ObserverId id);
  // When nothing was asked for so long, the models are unloaded, with all that they have read; the
  // next request loads them again. The longest that an observer wishes counts; zero: never. Until
  // one says something: never.
  void unload_after(ObserverId id, DecodeQueue::Clock::duration idle);
  // What follows from that.
  DecodeQueue::Clock::duration unloads_after() const { return rest_; }

  // A request is to be expected: loads the models once nothing else is to be done, unless they are
  // loaded, or were tried, or the machine has too little free memory, in which case the next call
  // looks again. A request that comes meanwhile waits for that load instead of its own.
  void load_early();

  // On the decode thread: the engine, loaded now if there is none, or if the files of its models
  // are not any more what was loaded and nothing else uses it. The caller holds a Use.
  Result<Engine*> engine();
  // On the decode thread: the engine if it is loaded, else null. The caller holds a Use.
  Engine* loaded_engine() { return failed_ ? nullptr : engine_.get(); }
  // The engine is kept while one of these exists. On the decode thread.
  class Use {
   public:
    explicit Use(EngineHost& host) : host_(host) { ++host_.uses_; }
    ~Use() { host_.end_use(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    EngineHost& host_;
  };
  // On the decode thread: a check has ended with this fault of the loaded model; empty: none.
  void report_fault(const std::string& fault);
  // On the decode thread: the device failed, so the engine must not be used again. The next request
  // loads another.
  void give_up(const ModelFailure& failure);

 private:
  // One beside another, with the queue of that.
  EngineHost(Factory make, Post post, DecodeQueue& queue);
  void make_hosts_beside(const Post& post);
  void follow_beside(std::size_t index, const EngineStatus& status);
  void end_use();
  void note_cache_memory();
  void note_prompt_size();
  void choose_rest();
  void unload();                                 // on the decode thread
  Result<Engine*> load(const std::string& why);  // `why` is for the user; may be empty
  void load_if_there_is_room(const DecodeQueue::Control& control);
  bool has_room();  // for the models, as far as is known; if not, the status says so
  std::uint64_t memory_bytes() const { return make_.memory ? make_.memory() : 0; }
  void add_notice(const std::string& notice);
  void drop_notice(const std::string& notice);
  void set_status(EngineStatus status);
  void tell();

  Factory make_;
  // Of the decode thread:
  std::unique_ptr<Engine> engine_;
  int uses_ = 0;         // a completion runs between two passes of an edit
  bool failed_ = false;  // engine_ is destroyed once nothing uses it
  std::string failure_;  // of the previous engine
  std::string notice_;   // about that failure
  std::atomic<std::uint64_t> cache_bytes_ = 0, cache_limit_ = 0;  // written by the decode thread
  // Called while the models are loaded; may be empty.
  std::function<void()> between_pieces_;
  // Of the owner's thread:
  EngineStatus status_;
  std::map<ObserverId, OnStatus> observers_;
  ObserverId last_observer_ = 0;
  std::map<ObserverId, DecodeQueue::Clock::duration> rests_;
  DecodeQueue::Clock::duration rest_ = {};
  bool loading_early_ = false;  // a job of load_early() waits or runs
  std::stop_source closing_;
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  OwnerPost call_;
  std::vector<std::unique_ptr<EngineHost>> beside_;
  PerPurpose<EngineHost*> of_ = {};
  DecodeQueue* shared_queue_ = nullptr;
  std::optional<DecodeQueue> own_queue_;  // last: its thread uses the other members
};

// A factory whose engines have this size of prompts instead of the one that they would choose.
EngineHost::Factory with_prompt_size(EngineHost::Factory factory, PromptSize size);

// Calls `run` with the host's engine, which is loaded first if necessary. A ModelFailure becomes an
// error that begins with `what`, and the host gives up its engine. Other exceptions end the job,
// see DecodeQueue. On the decode thread.
template <typename Run>
std::invoke_result_t<Run, Engine&> run_on_engine(EngineHost& host, const std::string& what,
                                                 const Run& run) {
  const EngineHost::Use use(host);
  try {
    const Result<Engine*> engine = host.engine();
    if (!engine) return engine.error();
    return run(**engine);
  } catch (const ModelFailure& failure) {
    host.give_up(failure);
    return Error(what + ": " + failure.what());
  }
}

// The same with the engine if it is loaded, else with null: loads nothing.
template <typename Run>
std::invoke_result_t<Run, Engine*> run_on_loaded_engine(EngineHost& host, const std::string& what,
                                                        const Run& run) {
  const EngineHost::Use use(host);
  try {
    return run(host.loaded_engine());
  } catch (const ModelFailure& failure) {
    host.give_up(failure);
    return Error(what + ": " + failure.what());
  }
}

}  // namespace redraft
