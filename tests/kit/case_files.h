#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace redraft {

// One of a file's cases: "=== TITLE", the input, "--->", the expected result.
struct FileCase {
  std::string title;
  std::string given = {};
  std::string expected = {};
};

inline std::vector<FileCase> cases_in(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<FileCase> cases;
  bool is_expected = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("=== ")) {
      cases.push_back({.title = line.substr(4)});
      is_expected = false;
    } else if (line == "--->") {
      is_expected = true;
    } else {
      (is_expected ? cases.back().expected : cases.back().given) += line + "\n";
    }
  }
  return cases;
}

// The files in `folder`, for testing::ValuesIn.
inline std::vector<std::filesystem::path> case_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// Expects the result `outcome(case)` for each case in `file`. With REDRAFT_UPDATE_CASES=1 the
// results are written to the file instead: read the difference before committing it.
template <typename Outcome>
void expect_cases(const std::filesystem::path& file, const Outcome& outcome) {
  const bool updates = std::getenv("REDRAFT_UPDATE_CASES") != nullptr;
  const std::vector<FileCase> cases = cases_in(file);
  EXPECT_FALSE(cases.empty()) << file;
  std::string anew;
  for (const FileCase& each : cases) {
    const std::string found = outcome(each);
    anew += "=== " + each.title + "\n" + each.given + "--->\n" + found;
    if (updates) continue;
    EXPECT_EQ(found, each.expected) << file.stem() << ": " << each.title;
  }
  if (updates) std::ofstream(file, std::ios::binary) << anew;
}

}  // namespace redraft
