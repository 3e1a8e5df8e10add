#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace redraft {

// What the matrices of a mixture's experts are called. Each has a role of its own,
// "blk.3.ffn_gate.5.weight" for expert 5 of layer 3; GGUF files stack those of a layer in one
// tensor, "blk.3.ffn_gate_exps.weight".

enum class ExpertMatrix { kGate, kUp, kDown };
inline constexpr std::array kExpertMatrices = {ExpertMatrix::kGate, ExpertMatrix::kUp,
                                               ExpertMatrix::kDown};

struct ExpertPlace {
  int layer = 0;
  ExpertMatrix matrix = ExpertMatrix::kGate;
  int expert = 0;
};

std::string expert_role(const ExpertPlace& place);
// None if the role is no expert's.
std::optional<ExpertPlace> parse_expert_role(std::string_view role);

// The tensor of a GGUF file with that matrix of all experts.
std::string stacked_experts_name(int layer, ExpertMatrix matrix);
// The one with gate and up of all experts, which some files have in place of two.
std::string joined_experts_name(int layer);
// The layer of a tensor with one of those names; none for any other name.
std::optional<int> parse_stacked_experts_name(std::string_view name);

}  // namespace redraft
