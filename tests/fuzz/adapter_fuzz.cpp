// An adapter for a small model. The first byte says what the rest is: an adapter_config.json,
// beside tensors that are right; or an adapter_model.safetensors as the header of one up to a zero
// byte followed by its data, beside a configuration that is right. Checks that whatever is accepted
// fits the model and is finite.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "decoding/model/adapter.h"
#include "tests/decoding/model/adapter_seeds.h"
#include "tests/decoding/model/shaped_model.h"
#include "tests/fuzz/safetensors_bytes.h"

namespace redraft {
namespace {

constexpr int kInputs = 4;
constexpr int kOutputs = 3;
constexpr const char* kRoles[] = {"blk.0.attn_q.weight", "blk.1.ffn_down.weight", "output.weight"};

void read(const std::string& config_text, std::span<const std::uint8_t> bytes) {
  const ShapedModel model({{kRoles[0], {kInputs, kOutputs}},
                           {kRoles[1], {kInputs, kOutputs}},
                           {kRoles[2], {kInputs, kOutputs}},
                           {"token_embd.weight", {kInputs, kOutputs}},
                           {"output_norm.weight", {kInputs}}});
  const Result<JsonDocument> config = JsonDocument::parse("config", config_text);
  const Result<SafetensorsFile> weights = SafetensorsFile::parse("weights", bytes);
  if (!config || !weights) return;
  const Result<Adapter> adapter = Adapter::parse(*config, *weights, model);
  if (!adapter) return;
  std::size_t found = 0;
  for (const char* role : kRoles) {
    const LowRankDelta* delta = adapter->find(role);
    if (!delta) continue;
    ++found;
    std::vector<float> row(kInputs);
    delta->add_row(kOutputs - 1, row.data());
    for (const auto* numbers : {&delta->a, &delta->b}) {
      for (const float number : *numbers)
        if (!std::isfinite(number)) std::abort();
    }
  }
  if (found == 0 || found != adapter->size()) std::abort();  // a layer that is none was accepted
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> rest(data + 1, size - 1);
  if (data[0] % 2 == 0)
    read({reinterpret_cast<const char*>(rest.data()), rest.size()}, adapter_seed_weights().bytes());
  else
    read(kAdapterSeedConfig, with_length(rest));
  return 0;
}

}  // namespace redraft
