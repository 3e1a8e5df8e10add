// The device of `redraft_unfaithful`'s models: the CPU, except that with REDRAFT_UNFAITHFUL=1 a row
// depends on the other rows of its pass. Every pass with a draft predicts a wrong token at its
// first row, so a decoder writes the output of plain decoding only as long as it drafts nothing.
#include <cstdlib>
#include <string_view>
#include <utility>

#include "cli/common/device.h"
#include "decoding/kernels/linear.h"

namespace redraft::cli {
namespace {

class UnfaithfulModel : public LanguageModel {
 public:
  explicit UnfaithfulModel(std::unique_ptr<LanguageModel> model) : model_(std::move(model)) {}

  std::string name() const override { return model_->name(); }
  int vocabulary_size() const override { return model_->vocabulary_size(); }
  int context_length() const override { return model_->context_length(); }
  double compute_seconds() const override { return model_->compute_seconds(); }
  std::unique_ptr<KvCache> new_cache(int capacity) const override {
    return model_->new_cache(capacity);
  }
  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    Predictions predictions = model_->forward(context, draft, cache, needs);
    if (draft.size() > 0)
      predictions.argmax[0] = (predictions.argmax[0] + 1) % model_->vocabulary_size();
    return predictions;
  }

 private:
  std::unique_ptr<LanguageModel> model_;
};

bool is_unfaithful() {
  const char* chosen = std::getenv("REDRAFT_UNFAITHFUL");
  return chosen != nullptr && std::string_view(chosen) == "1";
}

}  // namespace

Result<void> check_device(const Device& device) {
  return device == Device::cuda() ? Error("this is a test's program, for the CPU") : Result<void>();
}

Device chosen_device(const DeviceChoice& /*choice*/) { return Device::cpu(); }

Result<LoadedModel> load_model_on(const Device& /*device*/, const ModelLocation& location,
                                  ThreadPool& pool, const LoadControl& control) {
  Result<LoadedModel> loaded = load_model(location, pool, control);
  if (loaded && is_unfaithful())
    loaded->model = std::make_unique<UnfaithfulModel>(std::move(loaded->model));
  return loaded;
}

std::size_t free_gpu_memory() { return 0; }

std::unique_ptr<kernels::MachineProbe> make_probe(const Device& /*device*/, ThreadPool& pool) {
  return std::make_unique<kernels::PeakProbe>(kernels::best_isa(), pool);
}

std::string kernels_on(const Device& /*device*/) { return kernels::to_string(kernels::best_isa()); }

std::string describe_gpu() { return "none"; }

}  // namespace redraft::cli
