#include "tests/indexing/syntax/samples.h"

namespace redraft {
namespace {

const Sample kMarkup[] = {
    {"css",
     R"(body { margin: 0; }

«/* On phones. */
@media (max-width: 600px) {
  ¦
  .menu { display: none; }
}»
)",
     {"entry body", "entry (max-width: 600px)", "  entry .menu"}},
    {"html",
     R"(<!DOCTYPE html>
<html>
  <body>
    «<ul>
      <li>one <b>t¦wo</b></li>
    </ul>»
  </body>
</html>
)",
     {"entry html", "  entry body", "    entry ul"}},
    {"json",
     R"({
  "name": "redraft",
  «"scripts": {
    "build": ¦"make",
    "all": ["build"]
  }»
}
)",
     {"entry scripts"}},
    {"markdown",
     R"(Before any heading.

# Title

Text.

«## Details

- one¦
- two»

# Other
)",
     {"section Title", "  section Details", "section Other"}},
    {"toml",
     R"(title = "redraft"

[package]
name = "x"

«# Only for tests.
[dependencies.dev]
gtest = "1.¦11"»

[[bin]]
name = "y"
)",
     {"entry package", "entry dependencies.dev", "entry bin"}},
    {"yaml",
     R"(name: check
on: [push]
jobs:
  «# On every push.
  test:
    runs-on: linux
    steps: [¦a, b]»
  other: x
)",
     {"entry jobs", "  entry test"}},
};

}  // namespace

std::span<const Sample> markup_samples() { return kMarkup; }

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = [] {
    std::vector<Sample> both(code_samples().begin(), code_samples().end());
    both.insert(both.end(), markup_samples().begin(), markup_samples().end());
    return both;
  }();
  return all;
}

}  // namespace redraft
