#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "indexing/workspace_index.h"

namespace redraft {

// Both have texts with the same names and give the same answers for these contexts and names.
inline void expect_equal(WorkspaceIndex& a, WorkspaceIndex& b, const Tokenizer& tokenizer,
                         const std::vector<std::string>& contexts) {
  std::vector<std::string> names = a.store().names();
  std::vector<std::string> expected = b.store().names();
  std::ranges::sort(names);
  std::ranges::sort(expected);
  ASSERT_EQ(names, expected);
  const auto definitions = [](const IndexSnapshot& snapshot, const std::string& name) {
    std::set<std::pair<std::string, std::size_t>> places;
    for (const auto& [text, range] : snapshot.definitions(name, 1 << 20))
      places.emplace(snapshot.name(text), range.begin);
    return places;
  };
  for (const std::string& text : contexts) {
    const std::vector<TokenId> context = tokenizer.encode(text);
    const auto found = a.snapshot()->continuations(context, {.length = 30});
    const auto wanted = b.snapshot()->continuations(context, {.length = 30});
    ASSERT_EQ(found.matched, wanted.matched);
    ASSERT_EQ(found.tokens.size(), wanted.tokens.size());
    for (std::size_t i = 0; i < found.tokens.size(); ++i)
      ASSERT_TRUE(std::ranges::equal(found.tokens[i], wanted.tokens[i]));
    ASSERT_EQ(definitions(*a.snapshot(), text), definitions(*b.snapshot(), text));
  }
}

}  // namespace redraft
