#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "tests/kit/fill_script.h"
#include "workspace/engine/engine.h"

namespace redraft::http {

// What a scripted model writes, and how far it may go: it counts its passes, and a test stops it
// before one of them.
class ScriptedPasses {
 public:
  FillScript answers;
  FillScript fills;

  // The model waits before this pass, counted from 1, until it is released or held before a later
  // one.
  void hold_before(int pass);
  void release();
  // Waits until it is held.
  void wait_until_held();
  int passes();

  void begin_pass();  // the model's

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int passes_ = 0;  // begun
  int hold_ = 0;    // 0: nowhere
  bool held_ = false;
};

// An engine whose model answers from the script, one token per byte.
Result<std::unique_ptr<Engine>> scripted_engine(const std::shared_ptr<ScriptedPasses>& passes);

}  // namespace redraft::http
