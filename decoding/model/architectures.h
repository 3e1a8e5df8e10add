#pragma once

#include <span>
#include <string_view>

namespace redraft {

// Those of the models that run here, by GGUF's names; refuse_architecture() refuses the others.
std::span<const std::string_view> supported_architectures();

}  // namespace redraft
