// redraft doctor: what this machine and installation can do, and why not.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>

#include "cli/build_info.h"
#include "cli/common/chat_templates.h"
#include "cli/common/command.h"
#include "cli/common/cost_cache.h"
#include "cli/common/device.h"
#include "cli/common/engine_check.h"
#include "cli/common/engine_loader.h"
#include "cli/common/prompt_size_store.h"
#include "cli/doctor_folders.h"
#include "cli/doctor_remote.h"
#include "cli/installation.h"
#include "cli/model_advice.h"
#include "cli/model_overview.h"
#include "decoding/kernels/linear.h"
#include "decoding/kernels/linear_rate.h"
#include "decoding/kernels/machine_peak.h"
#include "decoding/model/model_store.h"
#include "lsp/status/usage.h"
#include "support/confine/confinement.h"
#include "support/files/mains_power.h"
#include "support/files/user_folders.h"
#include "support/system/crash_notes.h"
#include "support/system/crash_report.h"
#include "support/system/machine.h"
#include "support/system/processor_cores.h"
#include "workspace/engine/prompt_size.h"

namespace redraft::cli {
namespace {

struct DoctorOptions {
  CommonOptions common;
  bool quick = false;
};

void print_row(const char* name, const std::string& value) {
  std::printf("%-10s%s\n", name, value.c_str());
}

std::string gibibytes(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

void print_machine(int threads) {
  const MachineMemory free = machine_memory();
  print_row("machine", cpu_name() + ", " + processor_cores().description() + "; " +
                           std::to_string(threads) + " threads used");
  print_row("memory", free.total_bytes == 0 ? "unknown"
                                            : gibibytes(free.total_bytes) + ", of which " +
                                                  gibibytes(free.available_bytes) + " are free");
}

constexpr int kMoreRounds = 20;  // of some ten milliseconds, to find the peak

// Returns the bandwidth of the memory, in bytes per second / 10^9.
double print_kernels(ThreadPool& pool) {
  const kernels::Isa best = kernels::best_isa();
  print_row("kernels", std::string(kernels::to_string(best)) + " (this machine runs " +
                           kernels::names_of_available_isas() + ")");
  kernels::PeakProbe probe(best, pool);
  const double reached = kernels::measure_linear_gmacs(best, pool);
  const double& most = probe.peak().int8_gmacs[code_width_index(4)];
  // On a busy machine the measured peak may be too low; it only rises with more rounds.
  for (int more = 0; more < kMoreRounds && reached > most; ++more) probe.is_quiet();
  char text[80];
  std::snprintf(text, sizeof text, "%.1f GB/s from memory, %.0f GMAC/s in int8 with 4-bit weights",
                probe.peak().bandwidth_gbps, most);
  char share[80] = " (measured now, on a busy machine)";
  if (reached <= most) {
    std::snprintf(share, sizeof share, ", of which linear layers reach %.0f %% (measured now)",
                  100 * reached / most);
  }
  print_row("speed", std::string(text) + share);
  return probe.peak().bandwidth_gbps;
}

void print_advice(int threads, double bandwidth_gbps) {
  Machine machine = this_machine();
  machine.threads = threads;
  machine.bandwidth_gbps = bandwidth_gbps;
  const std::vector<ModelOverview> models = overview_of_models(machine);
  print_row("advice", recommendation(models, machine));
  // That one counts the memory that is free now, and this one all of it.
  const std::vector<Advice> all = advice_for(models, machine);
  const auto best = std::ranges::find(all, true, &Advice::is_best);
  if (best == all.end()) return;
  print_row(best->present_as.empty() ? "to fetch" : "present",
            "the best recommended model for edits with all of this machine's memory, of which "
            "`advice` counts what is free now: " +
                best_advice(all));
}

// A sentence about one model. Clears `sound` if the model is damaged.
std::string state_of(const KnownModel& model, bool quick, bool& sound) {
  const std::filesystem::path file = model_store_directory() / model.file;
  std::error_code problem;
  const bool is_there = std::filesystem::exists(file, problem);
  if (problem) return "cannot be read: " + problem.message();
  if (!is_there) return "absent: `redraft models pull " + model.name + "`";
  if (quick) return "present, not verified (--quick)";
  const Result<void> verified = verify_model(model);
  if (verified) return "present, its SHA-256 matches";
  sound = false;
  return "damaged: " + verified.error().message();
}

bool print_models(bool quick) {
  bool sound = true;
  print_row("models", "in " + model_store_directory().string());
  for (const KnownModel& model : known_models()) {
    std::printf("          %-20s%s\n", model.name.c_str(), state_of(model, quick, sound).c_str());
    std::fflush(stdout);
  }
  return sound;
}

Result<void> check_target(const CommonOptions& options) {
  std::vector<std::string> models = {options.target};
  for (const std::string& own : own_models(options)) models.push_back(own);
  const Result<std::uint64_t> needed = memory_needed(models);
  if (!needed) return needed.error();
  const MachineMemory memory = machine_memory();
  if (memory.total_bytes > 0 && memory.available_bytes < *needed) {
    std::string names = models.front();
    for (std::size_t i = 1; i < models.size(); ++i) names += " and " + models[i];
    return Error(names + (models.size() == 1 ? " needs about " : " need about ") +
                 gibibytes(*needed) +
                 " of memory, more than is free. Its weights would stay on disk, and every "
                 "token would wait for the disk");
  }
  return {};
}

std::string age_of(std::int64_t time) {
  const std::int64_t hours = std::max<std::int64_t>(0, std::time(nullptr) - time) / 3600;
  if (hours < 1) return "within the hour";
  return hours < 48 ? std::to_string(hours) + " h ago" : std::to_string(hours / 24) + " days ago";
}

double tokens_per_second(const StoredCost& cost) {
  constexpr int kMaxTokens = 100'000;
  return cost.curve.tokens_read_in(1.0, kMaxTokens);
}

std::string cost_of_passes(const std::optional<StoredCost>& cost) {
  const std::string how = "`redraft bench cost` measures it in a few minutes";
  if (!cost) return "not measured yet: the first edit measures it in a second; " + how;
  constexpr int kMany = 64;
  const double one = cost->curve.seconds(1);
  const double further = (cost->curve.seconds(kMany) - one) / (kMany - 1);
  char text[200];
  std::snprintf(text, sizeof text,
                "one row %.1f ms, each further %.2f ms (B = %.1f); %.0f tokens read in a second",
                1e3 * one, 1e3 * further, one / further, tokens_per_second(*cost));
  const char* const moment = cost->curve.quiet() ? " in a second;\n          "
                                                 : " while the machine was busy;\n          ";
  return std::string(text) + ", measured " + age_of(cost->measured_at) +
         (cost->complete ? "" : moment + how);
}

// How much is read for a request, and how long that takes.
std::string reading_of(std::optional<PromptSize> kept, const std::optional<StoredCost>& cost) {
  std::string text = "prompts have no size yet: the first start of a language server chooses it";
  if (kept) {
    const PromptLimits& limits = prompt_limits(*kept);
    text = "prompt size " + std::string(to_string(*kept)) + ": up to " +
           std::to_string(limits.edit_context) + " tokens around an edit";
    if (cost) {
      char seconds[40];
      std::snprintf(seconds, sizeof seconds, " (%.1f s)",
                    limits.edit_context / tokens_per_second(*cost));
      text += seconds;
    }
    text += ", " + std::to_string(limits.completion) + " for a completion";
  }
  return text + "; with `redraft.readAhead: idle`, redraft\n          " +
         (on_mains_power() ? "reads wherever the cursor rests (mains power)"
                           : "reads only what `prompt` does (on battery)");
}

void print_costs(const std::string& target, const Device& device, int threads) {
  const Result<ModelLocation> model = locate_model(target);
  if (!model) return print_row("cost", "unknown: " + target + " is not in the store");
  const Result<CostKey> key = cost_key(*model, threads, kernels_on(device));
  if (!key) return print_row("cost", "unknown: " + key.error().message());
  const std::optional<StoredCost> cost = CostCache().load(*key);
  print_row("cost", cost_of_passes(cost));
  print_row("reading", reading_of(PromptSizeStore().find(*key), cost));
}

// What `redraft models check`, or the language server in an idle moment, found.
std::optional<CheckVerdict> stored_check(const std::string& model, const Device& device) {
  const Result<ModelLocation> location = locate_model(model);
  if (!location) return std::nullopt;
  const Result<CheckStore::Key> key = check_key(*location, device);
  return key ? CheckStore().load(*key) : std::nullopt;
}

// Whether the target is plausible, as far as is known; the error says what is wrong.
Result<void> check_plausible(const std::string& target, const Device& device) {
  const std::optional<CheckVerdict> found = stored_check(target, device);
  if (!found) {
    print_row("checked", "not yet: `redraft models check " + target + "`");
    return {};
  }
  if (!found->fault.empty())
    return Error(target + " is probably loaded wrongly. " + found->fault +
                 " `redraft models check " + target + "` says what to do");
  char text[80];
  std::snprintf(text, sizeof text, "plausible: perplexity %.2f on built-in code",
                found->perplexity);
  print_row("checked", text);
  return {};
}

// Only if the target itself cannot write them.
void print_completions(const CommonOptions& options) {
  const auto why_not = [](const std::string& model) {
    const Result<ModelLocation> location = locate_model(model);
    return location ? why_no_completions(location->file) : std::string();
  };
  const std::string of_target = why_not(options.target);
  if (of_target.empty()) return;
  const std::string& own = options.completion_model;
  if (own.empty()) return print_row("complete", "not with " + options.target + ": " + of_target);
  const std::string of_own = why_not(own);
  print_row("complete", of_own.empty() ? "with " + own + ", because " + options.target +
                                             " is not known to fill in"
                                       : "not with " + own + ": " + of_own);
}

std::string duration_of(std::int64_t milliseconds) {
  const std::int64_t seconds = (milliseconds + 500) / 1000;
  return seconds < 120 ? std::to_string(seconds) + " s" : std::to_string(seconds / 60) + " min";
}

std::string part_of(std::int64_t part, std::int64_t whole) {
  return std::to_string(part) + " of " + std::to_string(whole);
}

// The outcome of suggestions of earlier servers, and why the last one was missing.
void print_usage() {
  using lsp::UsageEvent;
  const std::filesystem::path file = lsp::default_usage_file();
  if (file.empty()) return;
  const Result<lsp::Usage> usage = lsp::read_usage(file);
  if (!usage) {
    print_row("usage", "unknown: " + usage.error().message());
    return;
  }
  // A suggestion that was changed back at once was no help.
  const auto taken = [&](UsageEvent accepted, UsageEvent taken_back, UsageEvent all) {
    return part_of(std::max<std::int64_t>(0, usage->of(accepted) - usage->of(taken_back)),
                   usage->of(all));
  };
  const std::int64_t taken_back = usage->of(UsageEvent::kCompletionTakenBack) +
                                  usage->of(UsageEvent::kHunkTakenBack) +
                                  usage->of(UsageEvent::kNextEditTakenBack);
  print_row(
      "usage",
      taken(UsageEvent::kCompletionAccepted, UsageEvent::kCompletionTakenBack,
            UsageEvent::kCompletionSuggested) +
          " completions accepted, " +
          taken(UsageEvent::kHunkAccepted, UsageEvent::kHunkTakenBack, UsageEvent::kHunkShown) +
          " hunks, " +
          taken(UsageEvent::kNextEditAccepted, UsageEvent::kNextEditTakenBack,
                UsageEvent::kNextEditShown) +
          " next edits;\n          " +
          (taken_back > 0 ? std::to_string(taken_back) +
                                " more were changed back within ten seconds;\n          "
                          : std::string()) +
          std::to_string(usage->of(UsageEvent::kReadAheadTokens)) + " tokens read ahead in " +
          duration_of(usage->of(UsageEvent::kReadAheadMilliseconds)) + " (counted in " +
          file.string() + ")");
  if (usage->none_at() > 0)
    print_row("", "the last request without a suggestion, " + age_of(usage->none_at()) + ": " +
                      usage->why_none());
}

// Where to look when a server has crashed.
void print_crashes() {
  const std::filesystem::path notes = default_crash_notes();
  if (notes.empty()) return;
  const std::vector<CrashReport> reports = crash_reports(notes.parent_path() / kCrashReports);
  if (reports.empty()) return;
  const CrashReport& newest = reports.front();
  print_row("crashes", std::to_string(reports.size()) + " reported; the newest: " + newest.time +
                           ", " + newest.signal + ", at work: " + newest.work);
  print_row("", newest.file.string());
  print_row("", "it contains no text and no file names; SECURITY.md says where to send it");
}

void print_all(const std::vector<Surrounding>& rows) {
  for (const Surrounding& each : rows) print_row(each.name.c_str(), each.state);
}

// The verdict if a remote server writes.
int report_remote(const CommonOptions& options) {
  std::fflush(stdout);
  const std::vector<Surrounding> rows = state_of_remote(options);
  for (const Surrounding& row : rows) {
    if (!row.sound) return fail(Error(row.state));
    print_row(row.name.c_str(), row.state);
  }
  print_row("verdict", "ready to edit with that server");
  return kSuccess;
}

int run_doctor(const DoctorOptions& options) {
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  const std::unique_ptr<ThreadPool> pool = make_pool(options.common);
  print_row("redraft",
            std::string(REDRAFT_VERSION ", commit ") + kCommit + "; " + build_description());
  print_machine(pool->threads());
  const double bandwidth = print_kernels(*pool);
  const Surrounding libtorch = state_of_libtorch();
  print_row(libtorch.name.c_str(), libtorch.state);
  print_row("confined", "`redraft lsp` " + possible_confinement().description());
  print_row("GPU", describe_gpu());
  const bool sound = print_models(options.quick);
  print_advice(pool->threads(), bandwidth);
  print_costs(options.common.target, chosen_device(options.common.device), pool->threads());
  print_usage();
  print_crashes();
  print_all(installation());
  print_all(surroundings());
  if (!options.common.remote.empty()) return report_remote(options.common);
  if (!libtorch.sound) return fail(Error("libtorch " + libtorch.state));
  const Result<void> target = check_target(options.common);
  if (!target) return fail(target.error());
  if (!sound) return fail(Error("a model file is damaged. Delete it and fetch it again"));
  const Result<void> plausible =
      check_plausible(options.common.target, chosen_device(options.common.device));
  if (!plausible) return fail(plausible.error());
  if (const std::string chat = state_of_chat_template(options.common.target); !chat.empty())
    print_row("chat", chat);
  print_completions(options.common);
  std::string beside;
  for (const std::string& own : own_models(options.common)) beside += " beside " + own;
  print_row("verdict", "ready to edit with " + options.common.target + beside);
  return kSuccess;
}

}  // namespace

void add_doctor(CommandLine app, Command& chosen) {
  const CommandLine doctor = app.add_subcommand("doctor", "Check this machine and installation");
  const auto options = std::make_shared<DoctorOptions>();
  doctor.add_flag("--quick", options->quick, "Do not hash the model files");
  add_target_options(doctor, options->common);
  add_remote_options(doctor, options->common);
  add_own_model_options(doctor, options->common);
  doctor.callback([&chosen, options] { chosen = [options] { return run_doctor(*options); }; });
}

}  // namespace redraft::cli
