#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/model_overview.h"

namespace redraft::cli {

// Whether published weights of a model were run when redraft was tested.
enum class Evidence : std::uint8_t {
  kRun,          // these were
  kSmallerOnes,  // those of a smaller model of the same architecture were
  kNeverRun      // only models of random weights of its architecture were, see docs/models.md
};

// A model for machines with so much memory, as its publishers describe it.
struct AdvisedModel {
  const char* name;
  const char* source;         // for `redraft models pull`: a known name, or OWNER/NAME:QUANTISATION
  int machine_gigabytes;      // of the smallest machine that it is for
  double file_gigabytes;      // 10^9 bytes
  double pass_gigabytes;      // that a pass over one row reads, of a mixture its active experts
  double disk_gigabytes = 0;  // of the file: stays on disk (ModelSummary::disk_bytes)
  const char* licence;
  // What a request takes besides the weights.
  int attention_layers, kv_heads, head_dim;
  double state_mebibytes;  // of recurrent layers or sliding windows; 0: it has none
  bool completes;          // was trained to fill in
  Evidence evidence;

  bool needs_no_account() const;  // comes from where pip finds packages
};

// By the size of the machine, the better ones last.
std::span<const AdvisedModel> advised_models();

// An advised model on a machine.
struct Advice {
  const AdvisedModel* model;
  std::uint64_t memory_needed = 0;  // bytes: weights, keys and values of a context, states, program
  SpeedEstimate speed = {};
  bool fits = false;            // the machine has the memory, if no other program takes much
  bool is_best = false;         // the one that is recommended for edits here
  std::string present_as = {};  // its name in the store; empty: it is not there
};

// All advised models on this machine. The speed of one that is not in the store follows from the
// measured models, by the bytes that a pass reads. Pure.
std::vector<Advice> advice_for(const std::vector<ModelOverview>& models, const Machine& machine);

// The lines of `redraft models list` about the advised models.
std::vector<std::string> advice_lines(const std::vector<Advice>& all, const Machine& machine);

// One line about the best model for edits, with what to run to get it; empty: none fits.
std::string best_advice(const std::vector<Advice>& all);

}  // namespace redraft::cli
