#include "workspace/engine/engine_host.h"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "support/system/crash_notes.h"
#include "support/system/heap.h"
#include "support/system/machine.h"
#include "support/trace/trace.h"
#include "workspace/engine/check_when_idle.h"

namespace redraft {

EngineHost::EngineHost(Factory make, Post post) : make_(std::move(make)), call_(post, alive_) {
  of_.values.fill(this);
  own_queue_.emplace();
  make_hosts_beside(post);
}

EngineHost::EngineHost(Factory make, Post post, DecodeQueue& queue)
    : make_(std::move(make)), call_(std::move(post), alive_), shared_queue_(&queue) {
  of_.values.fill(this);
}

EngineHost::~EngineHost() {
  closing_.request_stop();
  for (const auto& host : beside_) host->closing_.request_stop();
}

void EngineHost::make_hosts_beside(const Post& post) {
  std::map<std::shared_ptr<const Factory>, std::size_t> made;
  for (const auto& [purpose, name] : kPurposes) {
    const std::shared_ptr<const Factory>& factory = make_.own[purpose];
    if (!factory) continue;
    const auto [entry, is_new] = made.emplace(factory, beside_.size());
    const std::size_t index = entry->second;
    if (is_new) {
      beside_.push_back(std::unique_ptr<EngineHost>(new EngineHost(*factory, post, *own_queue_)));
      beside_.back()->observe(
          [this, index](const EngineStatus& status) { follow_beside(index, status); });
      status_.beside.emplace_back();
    }
    of_[purpose] = beside_[index].get();
    std::string& what = status_.beside[index].what;
    what += (what.empty() ? "" : " and ") + std::string(name) + "s";
  }
}

void EngineHost::follow_beside(std::size_t index, const EngineStatus& status) {
  EngineStatus::Beside& beside = status_.beside[index];
  beside = {.what = beside.what,
            .state = status.state,
            .loaded = status.loaded,
            .model = status.target,
            .memory_bytes = status.memory_bytes,
            .error = status.error,
            .fault = status.fault,
            .fault_is_new = status.fault_is_new};
  tell();
}

EngineHost::ObserverId EngineHost::observe(OnStatus on_status) {
  observers_.emplace(++last_observer_, std::move(on_status));
  return last_observer_;
}

void EngineHost::forget(ObserverId id) {
  observers_.erase(id);
  if (rests_.erase(id) > 0) choose_rest();
}

void EngineHost::unload_after(ObserverId id, DecodeQueue::Clock::duration idle) {
  rests_[id] = idle;
  choose_rest();
}

void EngineHost::choose_rest() {
  rest_ = {};
  for (const auto& [id, idle] : rests_) {
    if (idle == DecodeQueue::Clock::duration::zero()) {
      rest_ = {};
      break;
    }
    rest_ = std::max(rest_, idle);
  }
  queue().set_rest(rest_, [this] { unload(); });
}

void EngineHost::unload() {
  for (const auto& host : beside_) host->unload();
  if (!engine_ || uses_ > 0 || failed_) return;
  engine_.reset();
  note_cache_memory();
  return_free_memory();
  set_status({.at_rest = true});
}

Result<Engine*> EngineHost::engine() {
  if (failed_) return Error(failure_);
  if (!engine_) return load({});
  if (uses_ > 1 || engine_->is_current()) return engine_.get();
  engine_.reset();  // with all keys and values of its weights
  return load("The files of the model changed, so it is loaded again.");
}

Result<Engine*> EngineHost::load(const std::string& why) {
  notice_ = failure_;
  if (!why.empty()) add_notice(why);
  const std::uint64_t memory = memory_bytes();
  set_status({.state = EngineStatus::State::kLoading, .memory_bytes = memory});
  Result<std::unique_ptr<Engine>> made = Error("not loaded");
  try {
    const Span span("load");
    const AtWork work({.document = AtWork::here().document, .kind = "loading the model"});
    made = make_.make({.stop = closing_.get_token(),
                       .progress =
                           [this](double fraction) {
                             call_([this, fraction] {
                               status_.loaded = fraction;
                               tell();
                             });
                             if (between_pieces_) between_pieces_();
                           },
                       .notice = [this](const std::string& notice) { add_notice(notice); },
                       .device_failed = !failure_.empty()});
  } catch (const std::exception& exception) {
    made = Error(std::string("loading the model failed: ") + exception.what());
  }
  drop_notice(why);  // that is over
  if (!made) {
    set_status({.state = EngineStatus::State::kFailed, .error = made.error().message()});
    return made.error();
  }
  engine_ = std::move(*made);
  set_status({.state = EngineStatus::State::kReady,
              .target = engine_->target_name(),
              .draft = engine_->draft_name(),
              .device = engine_->device(),
              .own_decoder = engine_->own_decoder(),
              .prompt_size = engine_->chosen_prompt_size(),
              .context_length = engine_->context_length(),
              .fault = engine_->known_fault(),
              .memory_bytes = memory});
  check_when_idle(*this, *engine_);
  return engine_.get();
}

void EngineHost::load_early() {
  if (loading_early_ || status_.state != EngineStatus::State::kUnloaded) return;
  loading_early_ = true;
  queue().add(
      [this](const DecodeQueue::Control& control) {
        load_if_there_is_room(control);
        call_([this] { loading_early_ = false; });
      },
      Urgency::kWarmUp, {},
      [this](const Error&) {  // a request will load the models, or report why it cannot
        between_pieces_ = {};
        call_([this] { loading_early_ = false; });
      });
}

// On the decode thread. A failure is in the status; the next request tries again.
void EngineHost::load_if_there_is_room(const DecodeQueue::Control& control) {
  if (engine_ || failed_ || !has_room()) return;
  between_pieces_ = control.let_in;
  static_cast<void>(run_on_engine(*this, "loading the model failed", [](Engine& engine) {
    engine.prepare();
    return Result<void>();
  }));
  between_pieces_ = {};
}

bool EngineHost::has_room() {
  const std::uint64_t needed = memory_bytes();
  const MachineMemory memory = machine_memory();
  const bool fits = memory.total_bytes == 0 || needed <= memory.available_bytes;
  if (!fits) set_status({.memory_bytes = needed, .lacks_memory = true});
  return fits;
}

void EngineHost::report_fault(const std::string& fault) {
  if (fault.empty()) return;
  call_([this, fault] {
    status_.fault = fault;
    status_.fault_is_new = true;
    tell();
    status_.fault_is_new = false;  // whoever comes later finds it in the status, without a message
    tell();
  });
}

void EngineHost::give_up(const ModelFailure& failure) {
  failed_ = true;
  failure_ = std::string("A request ended because ") + failure.what() + ".";
  notice_ = failure_;
  set_status({});
}

void EngineHost::end_use() {
  if (--uses_ > 0) return;
  if (failed_) {
    engine_.reset();
    failed_ = false;
  }
  note_cache_memory();
  note_prompt_size();
}

// A request has perhaps chosen it.
void EngineHost::note_prompt_size() {
  const auto size = engine_ ? engine_->chosen_prompt_size() : std::nullopt;
  if (!size) return;
  call_([this, size] {
    // Nobody waits for it: who wants to know asks.
    if (status_.state == EngineStatus::State::kReady) status_.prompt_size = size;
  });
}

void EngineHost::note_cache_memory() {
  const CacheMemory now =
      (engine_ ? engine_->cache_memory() : std::nullopt).value_or(CacheMemory{});
  cache_bytes_ = now.bytes;
  cache_limit_ = now.limit;
}

void EngineHost::add_notice(const std::string& notice) {
  notice_ += (notice_.empty() ? "" : " ") + notice;
  call_([this, all = notice_] {
    status_.notice = all;
    tell();
  });
}

void EngineHost::drop_notice(const std::string& notice) {
  const std::size_t at = notice.empty() ? std::string::npos : notice_.find(notice);
  if (at == std::string::npos) return;
  const std::size_t begin = at == 0 ? 0 : at - 1;  // with the space before it
  notice_.erase(begin, at + notice.size() - begin);
}

void EngineHost::set_status(EngineStatus status) {
  status.notice = notice_;
  call_([this, status = std::move(status)] {
    std::vector<EngineStatus::Beside> beside = std::move(status_.beside);
    status_ = status;
    status_.beside = std::move(beside);
    tell();
  });
}

// An observer may remove itself or others.
void EngineHost::tell() {
  std::vector<ObserverId> ids;
  for (const auto& [id, on_status] : observers_) ids.push_back(id);
  for (const ObserverId id : ids) {
    const auto found = observers_.find(id);
    if (found == observers_.end()) continue;
    const OnStatus on_status = found->second;
    on_status(status_);
  }
}

EngineHost::Factory with_prompt_size(EngineHost::Factory factory, PromptSize size) {
  using Factory = EngineHost::Factory;
  factory.make = [make = std::move(factory.make), size](const LoadControl& control) {
    Result<std::unique_ptr<Engine>> made = make(control);
    if (made) (*made)->set_prompt_size(size);
    return made;
  };
  factory.prompt_size = [size] { return std::optional(size); };
  // Purposes that share an engine still do.
  std::map<std::shared_ptr<const Factory>, std::shared_ptr<const Factory>> replaced;
  for (std::shared_ptr<const Factory>& own : factory.own.values) {
    if (!own) continue;
    std::shared_ptr<const Factory>& fixed = replaced[own];
    if (!fixed) fixed = std::make_shared<const Factory>(with_prompt_size(*own, size));
    own = fixed;
  }
  return factory;
}

}  // namespace redraft
