// Registers the laboratory's decoders before the tests of a program run.
#include "bench/methods/lab_decoders.h"

namespace redraft {
namespace {

[[maybe_unused]] const bool kRegistered = [] {
  register_lab_decoders();
  return true;
}();

}  // namespace
}  // namespace redraft
