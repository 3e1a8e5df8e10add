#include "decoding/model/expert_stacks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "decoding/model/expert_roles.h"

namespace redraft {
namespace {

// A stack of a layer: which matrices each expert has in it, one below the other.
struct Stack {
  std::string name;
  std::vector<ExpertMatrix> matrices;
};

// As the file has them: gate and up together, or each by itself.
std::vector<Stack> stacks_of(int layer, const ExpertStacks::Find& find) {
  const Stack together{joined_experts_name(layer), {ExpertMatrix::kGate, ExpertMatrix::kUp}};
  std::vector<Stack> stacks;
  if (find(together.name)) {
    stacks.push_back(together);
  } else {
    for (const ExpertMatrix matrix : together.matrices)
      stacks.push_back({stacked_experts_name(layer, matrix), {matrix}});
  }
  stacks.push_back({stacked_experts_name(layer, ExpertMatrix::kDown), {ExpertMatrix::kDown}});
  return stacks;
}

std::vector<std::int64_t> expected_shape(const Stack& stack, const TransformerShape& shape) {
  const auto count = static_cast<std::int64_t>(stack.matrices.size());
  if (stack.matrices.front() == ExpertMatrix::kDown)
    return {shape.feed_forward, shape.hidden, shape.experts};
  return {shape.hidden, count * shape.feed_forward, shape.experts};
}

// With the MTP block that is loaded.
int stacked_layers(const TransformerShape& shape) {
  if (shape.experts == 0) return 0;
  return shape.layers + std::min(shape.mtp_blocks, 1);
}

}  // namespace

std::optional<ExpertStacks::Problem> ExpertStacks::find_problem(const TransformerShape& shape,
                                                                const Find& find, int first) {
  for (int layer = first; layer < stacked_layers(shape); ++layer) {
    for (const Stack& stack : stacks_of(layer, find)) {
      const StoredTensor* const found = find(stack.name);
      if (!found && layer >= shape.layers)
        continue;  // the plan knows whether there is such a block
      if (!found) return Problem{stack.name, "missing"};
      const std::vector<std::int64_t> expected = expected_shape(stack, shape);
      if (found->shape != expected)
        return Problem{stack.name, unexpected_shape(found->shape, expected)};
    }
  }
  return std::nullopt;
}

ExpertStacks ExpertStacks::cut(const TransformerShape& shape, const Find& find, int first) {
  ExpertStacks out;
  for (int layer = first; layer < stacked_layers(shape); ++layer) {
    for (const Stack& stack : stacks_of(layer, find)) {
      const StoredTensor* const tensor = find(stack.name);
      if (!tensor) continue;
      const std::size_t count = stack.matrices.size();
      const std::size_t bytes =
          tensor->data.size() / (count * static_cast<std::size_t>(shape.experts));
      for (int expert = 0; expert < shape.experts; ++expert) {
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t begin = (static_cast<std::size_t>(expert) * count + i) * bytes;
          const auto rows = tensor->shape[1] / static_cast<std::int64_t>(count);
          out.parts_.emplace(expert_role({layer, stack.matrices[i], expert}),
                             Part{{.name = tensor->name,
                                   .format = tensor->format,
                                   .shape = {tensor->shape[0], rows},
                                   .data = tensor->data.subspan(begin, bytes)},
                                  stack.name,
                                  expert});
        }
      }
    }
  }
  return out;
}

const StoredTensor* ExpertStacks::find(std::string_view role) const {
  const auto found = parts_.find(role);
  return found == parts_.end() ? nullptr : &found->second.matrix;
}

std::optional<ExpertStacks::Place> ExpertStacks::place(std::string_view role) const {
  const auto found = parts_.find(role);
  if (found == parts_.end()) return std::nullopt;
  return Place{found->second.stack, found->second.expert};
}

}  // namespace redraft
