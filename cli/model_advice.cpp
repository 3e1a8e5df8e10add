#include "cli/model_advice.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "cli/common/engine_loader.h"
#include "decoding/kernels/fixed_point.h"
#include "text/strings/lower_case.h"
#include "workspace/engine/local_engine.h"

namespace redraft::cli {
namespace {

// Sizes and licences as the publishers state them (October 2026). Qwen2.5-Coder-1.5B is the
// default. Layers with a sliding window count by their state, not by attention_layers, and those
// that share keys and values not at all.
constexpr std::array kAdvised{
    AdvisedModel{.name = "Qwen2.5-Coder-1.5B",
                 .source = "qwen2.5-coder-1.5b",
                 .machine_gigabytes = 4,
                 .file_gigabytes = 1.12,
                 .pass_gigabytes = 1.12,
                 .licence = "Apache-2.0",
                 .attention_layers = 28,
                 .kv_heads = 2,
                 .head_dim = 128,
                 .state_mebibytes = 0,
                 .completes = true,
                 .evidence = Evidence::kRun},
    AdvisedModel{.name = "Gemma-4-E4B",
                 .source = "unsloth/gemma-4-E4B-it-GGUF:Q4_K_M",
                 .machine_gigabytes = 8,
                 .file_gigabytes = 5.3,
                 .pass_gigabytes = 2.9,
                 .disk_gigabytes = 2.3,
                 .licence = "Apache-2.0",
                 .attention_layers = 4,
                 .kv_heads = 2,
                 .head_dim = 512,
                 .state_mebibytes = 20.1,
                 .completes = false,
                 .evidence = Evidence::kNeverRun},
    AdvisedModel{.name = "Qwen3.5-4B",
                 .source = "unsloth/Qwen3.5-4B-GGUF:Q4_K_M",
                 .machine_gigabytes = 8,
                 .file_gigabytes = 2.7,
                 .pass_gigabytes = 2.7,
                 .licence = "Apache-2.0",
                 .attention_layers = 8,
                 .kv_heads = 4,
                 .head_dim = 256,
                 .state_mebibytes = 50.2,
                 .completes = false,
                 .evidence = Evidence::kNeverRun},
    AdvisedModel{.name = "Qwen2.5-Coder-7B",
                 .source = "Qwen/Qwen2.5-Coder-7B-Instruct-GGUF:q4_k_m",
                 .machine_gigabytes = 16,
                 .file_gigabytes = 4.7,
                 .pass_gigabytes = 4.4,
                 .licence = "Apache-2.0",
                 .attention_layers = 28,
                 .kv_heads = 4,
                 .head_dim = 128,
                 .state_mebibytes = 0,
                 .completes = true,
                 .evidence = Evidence::kSmallerOnes},
    AdvisedModel{.name = "gpt-oss-20b",
                 .source = "ggml-org/gpt-oss-20b-GGUF:MXFP4",
                 .machine_gigabytes = 16,
                 .file_gigabytes = 12.1,
                 .pass_gigabytes = 2.6,
                 .licence = "Apache-2.0",
                 .attention_layers = 12,
                 .kv_heads = 8,
                 .head_dim = 64,
                 .state_mebibytes = 3.1,
                 .completes = false,
                 .evidence = Evidence::kNeverRun},
    AdvisedModel{.name = "Gemma-4-12B",
                 .source = "bartowski/gemma-4-12B-it-GGUF:Q4_K_M",
                 .machine_gigabytes = 16,
                 .file_gigabytes = 7.5,
                 .pass_gigabytes = 7.3,
                 .licence = "Apache-2.0",
                 .attention_layers = 8,
                 .kv_heads = 1,
                 .head_dim = 512,
                 .state_mebibytes = 322,
                 .completes = false,
                 .evidence = Evidence::kNeverRun},
    AdvisedModel{.name = "Qwen3.5-9B",
                 .source = "unsloth/Qwen3.5-9B-GGUF:Q4_K_M",
                 .machine_gigabytes = 16,
                 .file_gigabytes = 5.63,
                 .pass_gigabytes = 5.0,
                 .licence = "Apache-2.0",
                 .attention_layers = 8,
                 .kv_heads = 4,
                 .head_dim = 256,
                 .state_mebibytes = 50.2,
                 .completes = false,
                 .evidence = Evidence::kNeverRun},
    AdvisedModel{.name = "Qwen3-Coder-30B-A3B",
                 .source = "unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF:Q4_K_M",
                 .machine_gigabytes = 32,
                 .file_gigabytes = 18.6,
                 .pass_gigabytes = 1.9,
                 .licence = "Apache-2.0",
                 .attention_layers = 48,
                 .kv_heads = 4,
                 .head_dim = 128,
                 .state_mebibytes = 0,
                 .completes = true,
                 .evidence = Evidence::kNeverRun},
    AdvisedModel{.name = "Gemma-4-26B-A4B",
                 .source = "ggml-org/gemma-4-26B-A4B-it-GGUF:Q4_K_M",
                 .machine_gigabytes = 32,
                 .file_gigabytes = 18.0,
                 .pass_gigabytes = 2.4,
                 .licence = "Apache-2.0",
                 .attention_layers = 5,
                 .kv_heads = 2,
                 .head_dim = 512,
                 .state_mebibytes = 201,
                 .completes = false,
                 .evidence = Evidence::kNeverRun},
    AdvisedModel{.name = "Qwen3.6-35B-A3B",
                 .source = "unsloth/Qwen3.6-35B-A3B-GGUF:Q4_K_M",
                 .machine_gigabytes = 32,
                 .file_gigabytes = 21.3,
                 .pass_gigabytes = 1.8,
                 .licence = "Apache-2.0",
                 .attention_layers = 10,
                 .kv_heads = 2,
                 .head_dim = 256,
                 .state_mebibytes = 62.8,
                 .completes = false,
                 .evidence = Evidence::kNeverRun},
};

constexpr double kGigabyte = 1e9;
constexpr double kMebibyte = 1 << 20;
constexpr double kGibibyte = 1 << 30;
// What the system and an editor take on a machine of its size.
constexpr double kOtherPrograms = 1.5 * kGibibyte;
// The memory that machines report is smaller than what is sold, by what the firmware keeps.
constexpr double kReported = 0.92;

// What memory_needed() says of any model covers the default size of the caches.
std::uint64_t memory_needed_by(const AdvisedModel& model) {
  const EngineOptions defaults;
  const double token = 2.0 * sizeof(std::int16_t) * model.attention_layers * model.kv_heads *
                       (model.head_dim + kernels::kScaleInts);
  const double caches = token * defaults.context_limit +
                        static_cast<double>(kStatesOfACache) * model.state_mebibytes * kMebibyte;
  const double more = std::max(0.0, caches - static_cast<double>(defaults.cache_bytes));
  const Result<std::uint64_t> program = memory_needed({});
  const double weights = (model.file_gigabytes - model.disk_gigabytes) * kGigabyte;
  return static_cast<std::uint64_t>(weights + more) + (program ? *program : 0);
}

// The weights, and the states, which are read and written.
std::uint64_t pass_bytes(const AdvisedModel& model) {
  return static_cast<std::uint64_t>(model.pass_gigabytes * kGigabyte +
                                    2 * model.state_mebibytes * kMebibyte);
}

bool is_named(const ModelOverview& model, const AdvisedModel& advised) {
  return model.present && model.runs() &&
         lower_case(model.name).starts_with(lower_case(advised.name));
}

bool fits(const AdvisedModel& model, std::uint64_t needed, const Machine& machine) {
  const auto total = static_cast<double>(machine.memory.total_bytes);
  if (total == 0) return true;
  return static_cast<double>(needed) + kOtherPrograms <= total &&
         total >= kReported * model.machine_gigabytes * kGigabyte;
}

std::string evidence_of(const AdvisedModel& model) {
  switch (model.evidence) {
    case Evidence::kRun:
      return "tested with these weights";
    case Evidence::kSmallerOnes:
      return "tested with the weights of smaller models of its kind only";
    case Evidence::kNeverRun:
      break;
  }
  return "never run by redraft's authors with published weights";
}

std::string number(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string facts_of(const Advice& advice) {
  const AdvisedModel& model = *advice.model;
  return number(model.file_gigabytes, 1) + " GB, " + model.licence + "; needs " +
         number(static_cast<double>(advice.memory_needed) / kGibibyte, 1) + " GiB; " +
         speed_text(advice.speed);
}

std::string how_to_get(const Advice& advice) {
  if (!advice.present_as.empty()) return "present: `--target " + advice.present_as + "`";
  return "`redraft models pull " + std::string(advice.model->source) + "`";
}

std::string completions_of(const AdvisedModel& model) {
  if (model.completes) return "completions too";
  return std::string("completions need `--completion-model ") + kAdvised.front().source + "`";
}

}  // namespace

bool AdvisedModel::needs_no_account() const {
  return std::string_view(source).find('/') == std::string_view::npos;
}

std::span<const AdvisedModel> advised_models() { return kAdvised; }

std::vector<Advice> advice_for(const std::vector<ModelOverview>& models, const Machine& machine) {
  std::vector<Advice> all;
  Advice* best = nullptr;
  all.reserve(kAdvised.size());
  for (const AdvisedModel& model : kAdvised) {
    Advice& advice = all.emplace_back(Advice{.model = &model});
    advice.memory_needed = memory_needed_by(model);
    advice.speed = estimated_speed(pass_bytes(model), models, machine);
    advice.fits = fits(model, advice.memory_needed, machine);
    const auto there = std::ranges::find_if(
        models, [&](const ModelOverview& each) { return is_named(each, model); });
    if (there != models.end()) {
      advice.present_as = there->name;
      advice.speed = there->speed;
    }
    if (advice.fits && advice.speed.is_fluent()) best = &advice;
  }
  if (best) best->is_best = true;
  return all;
}

std::vector<std::string> advice_lines(const std::vector<Advice>& all, const Machine& machine) {
  std::vector<std::string> lines;
  const std::string memory =
      machine.memory.total_bytes == 0
          ? ""
          : " (this machine has " +
                number(static_cast<double>(machine.memory.total_bytes) / kGibibyte, 1) + " GiB)";
  lines.push_back("recommended by memory" + memory + ":");
  for (const Advice& advice : all) {
    const AdvisedModel& model = *advice.model;
    const char* const why_not = !advice.fits                ? "  (too large here)"
                                : !advice.speed.is_fluent() ? "  (too slow here)"
                                : advice.is_best            ? "  <- for edits on this machine"
                                                            : "";
    lines.push_back("  from " + std::to_string(model.machine_gigabytes) + " GB: " + model.name +
                    why_not);
    lines.push_back("    " + how_to_get(advice) +
                    (model.needs_no_account() ? " (the default; no account is needed)" : ""));
    lines.push_back("    " + facts_of(advice));
    lines.push_back("    " + completions_of(model) + "; " + evidence_of(model));
  }
  return lines;
}

std::string best_advice(const std::vector<Advice>& all) {
  const auto best = std::ranges::find(all, true, &Advice::is_best);
  if (best == all.end()) return {};
  const AdvisedModel& model = *best->model;
  return std::string(model.name) + " (" + facts_of(*best) + "): " + how_to_get(*best) + "; " +
         completions_of(model) + "; " + evidence_of(model);
}

}  // namespace redraft::cli
