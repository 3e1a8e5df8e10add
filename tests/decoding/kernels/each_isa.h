#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "decoding/kernels/linear.h"

namespace redraft::kernels {

// A gate that every instruction set has to pass, with one test for each that redraft knows. If this
// processor lacks it, the test is skipped by name, so that a run shows what it left out.
class EachIsa : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!is_available(GetParam()))
      GTEST_SKIP() << "this processor or system does without " << to_string(GetParam());
  }
};

inline auto all_isas() { return testing::ValuesIn(kIsas); }

inline std::string name_of_isa(const testing::TestParamInfo<Isa>& info) {
  std::string name = to_string(info.param);
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace redraft::kernels
