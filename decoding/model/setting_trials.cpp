#include "decoding/model/setting_trials.h"

#include <algorithm>
#include <utility>

namespace redraft {
namespace {

constexpr int kStep = 8;              // between the usual bases, and between the usual windows
constexpr double kUsualBase = 10000;  // of layers with a window
constexpr float kNoSink = -1e30F;     // a score that takes no part in a softmax

class Trials {
 public:
  explicit Trials(const TransformerShape& shape) : shape_(shape) {
    add("", [](auto&) {});
  }

  template <typename Change>
  void add(std::string change, const Change& apply) {
    SettingTrial trial{.change = std::move(change), .shape = shape_};
    apply(trial);
    trials_.push_back(std::move(trial));
  }
  std::vector<SettingTrial> take() { return std::move(trials_); }

 private:
  const TransformerShape& shape_;
  std::vector<SettingTrial> trials_;
};

void add_bases(Trials& trials, const std::string& of_layers) {
  trials.add("a base of the rope" + of_layers + " that is 8 times as large",
             [](SettingTrial& trial) { trial.shape.rope_base *= kStep; });
  trials.add("a base of the rope" + of_layers + " that is an eighth as large",
             [](SettingTrial& trial) { trial.shape.rope_base /= kStep; });
}

void add_window_ropes(Trials& trials, const TransformerShape& shape) {
  if (shape.window_rope_base != shape.rope_base) {
    trials.add("the rope of layers with and without a window exchanged", [](SettingTrial& trial) {
      std::swap(trial.shape.rope_base, trial.shape.window_rope_base);
      std::swap(trial.shape.rope_scaling, trial.shape.window_rope_scaling);
    });
  }
  if (shape.window_rope_base != kUsualBase) {
    trials.add("a base of the rope in layers with a window of 10000",
               [](SettingTrial& trial) { trial.shape.window_rope_base = kUsualBase; });
  }
}

void add_windows(Trials& trials, const TransformerShape& shape, int tokens) {
  const auto add = [&trials](int window) {
    trials.add("a window of " + std::to_string(window) + " tokens",
               [window](SettingTrial& trial) { trial.shape.window = window; });
  };
  if (shape.window < tokens) add(shape.window * kStep);
  if (const int shorter = std::min(shape.window, tokens) / kStep; shorter > 0) add(shorter);
}

}  // namespace

std::vector<SettingTrial> setting_trials(const TransformerShape& shape, int tokens) {
  Trials trials(shape);
  const bool has_windows = std::ranges::count(shape.windowed, true) > 0;
  add_bases(trials, has_windows ? " in layers without a window" : "");
  if (has_windows) {
    add_window_ropes(trials, shape);
    add_windows(trials, shape, tokens);
  }
  if (shape.architecture->has_sinks) {
    trials.add("no sinks", [](SettingTrial& trial) { trial.sink = kNoSink; });
    trials.add("sinks of 0", [](SettingTrial& trial) { trial.sink = 0; });
  }
  return trials.take();
}

}  // namespace redraft
