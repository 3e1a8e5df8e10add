#include "decoding/model/expert_roles.h"

#include <charconv>
#include <cstddef>

namespace redraft {

namespace {

constexpr std::array<std::string_view, kExpertMatrices.size()> kNames = {"ffn_gate", "ffn_up",
                                                                         "ffn_down"};

std::string_view name_of(ExpertMatrix matrix) { return kNames[static_cast<std::size_t>(matrix)]; }

// Takes things off the front of a name; false: it begins otherwise.
bool take(std::string_view& name, std::string_view start) {
  if (!name.starts_with(start)) return false;
  name.remove_prefix(start.size());
  return true;
}

bool take_number(std::string_view& name, int& out) {
  const bool canonical = !name.empty() && name[0] >= '0' && name[0] <= '9' &&
                         (name[0] != '0' || name.size() == 1 || name[1] < '0' || name[1] > '9');
  if (!canonical) return false;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), out);
  if (error != std::errc()) return false;
  name.remove_prefix(static_cast<std::size_t>(end - name.data()));
  return true;
}

// "blk.3.ffn_gate"
bool take_start(std::string_view& name, int& layer, ExpertMatrix& matrix) {
  if (!take(name, "blk.") || !take_number(name, layer) || !take(name, ".")) return false;
  for (const ExpertMatrix each : kExpertMatrices) {
    matrix = each;
    if (take(name, name_of(each))) return true;
  }
  return false;
}

}  // namespace

std::string expert_role(const ExpertPlace& place) {
  return "blk." + std::to_string(place.layer) + "." + std::string(name_of(place.matrix)) + "." +
         std::to_string(place.expert) + ".weight";
}

std::optional<ExpertPlace> parse_expert_role(std::string_view role) {
  ExpertPlace place;
  const bool fits = take_start(role, place.layer, place.matrix) && take(role, ".") &&
                    take_number(role, place.expert) && role == ".weight";
  return fits ? std::optional(place) : std::nullopt;
}

std::string stacked_experts_name(int layer, ExpertMatrix matrix) {
  return "blk." + std::to_string(layer) + "." + std::string(name_of(matrix)) + "_exps.weight";
}

std::string joined_experts_name(int layer) {
  return "blk." + std::to_string(layer) + ".ffn_gate_up_exps.weight";
}

std::optional<int> parse_stacked_experts_name(std::string_view name) {
  std::string_view rest = name;
  int layer = 0;
  ExpertMatrix matrix{};
  if (!take_start(rest, layer, matrix)) return std::nullopt;
  const bool is_stack = rest == "_exps.weight" || name == joined_experts_name(layer);
  return is_stack ? std::optional(layer) : std::nullopt;
}

}  // namespace redraft
