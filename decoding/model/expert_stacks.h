#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "decoding/model/stored_tensor.h"
#include "decoding/model/transformer_shape.h"

namespace redraft {

// The experts of a layer as files stack them: a matrix of every expert in one tensor,
// "blk.3.ffn_down_exps.weight" [columns, rows, experts], or gate and up of each expert together,
// "blk.3.ffn_gate_up_exps.weight". Each expert's part is found by its role (expert_roles.h).
class ExpertStacks {
 public:
  // Null: the file has no tensor of that name.
  using Find = std::function<const StoredTensor*(std::string_view name)>;
  struct Problem {
    std::string name;  // of the stack
    std::string reason;
  };

  // Why the stacks of the layers from `first` on, an MTP block included, are not those of a mixture
  // of this shape; none if they are.
  static std::optional<Problem> find_problem(const TransformerShape& shape, const Find& find,
                                             int first = 0);
  // Cuts the stacks that there are. Those must be free of problems; views of the stacks' bytes.
  static ExpertStacks cut(const TransformerShape& shape, const Find& find, int first = 0);

  // Null: no stack holds the matrix of that role.
  const StoredTensor* find(std::string_view role) const;
  // The stack that holds it, and which expert it is there, as errors name them.
  struct Place {
    std::string_view stack;
    int expert;
  };
  std::optional<Place> place(std::string_view role) const;

 private:
  struct Part {
    StoredTensor matrix;
    std::string stack;
    int expert;
  };
  std::map<std::string, Part, std::less<>> parts_;  // by role
};

}  // namespace redraft
