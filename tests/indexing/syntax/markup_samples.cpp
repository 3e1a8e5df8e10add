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
    {"terraform",
     R"(terraform {
  required_version = ">= 1.5"
}

variable "name" { type = string }

locals {
  zones = [for z in data.aws_zones.all.names : upper(z) if z != ""]
  tags = {
    Name = var.name
  }
}

«# The network.
resource "aws_vpc" "main" {
  cidr_block¦ = var.enabled ? var.cidr : "${var.name}-x"
  user_data  = <<-EOT
    x ${var.name}
  EOT
}»
)",
     {"entry terraform", "entry variable \"name\"", "entry locals", "  entry tags",
      "entry resource \"aws_vpc\" \"main\"", "  entry user_data"}},
    {"vue",
     R"(<script setup lang="ts">
import { ref } from 'vue'
const n = ref(0)
function go() { n.value++ }
</script>

<template>
  <div>
    «<section v-if="n > 1" :class="{ a: n }">
      <button @click="go">{{ n¦ }}</button>
      <img src="x">
    </section>»
  </div>
</template>

<style scoped>
.a { color: red; }
</style>
)",
     {"entry script", "entry template", "  entry div", "    entry section", "entry style"}},
    {"svelte",
     R"(<script lang="ts">
  let n = $state(0);
  function go() { n += 1; }
</script>

{#if n > 1}
  «<p class:a={n}>
    {n¦}
  </p>»
{:else}
  <p>x</p>
{/if}
{#each items as item (item.id)}
  <button on:click={go}>{item.name}</button>
{/each}

<style>
  p { color: red; }
</style>
)",
     {"entry script", "entry p", "entry style"}},
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
