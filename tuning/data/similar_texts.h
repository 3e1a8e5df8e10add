#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace redraft {

// Remembers texts to find the same and nearly the same texts again. A text is represented by its
// *shingles*: runs of three successive telling lines, without surrounding blanks. A line is telling
// if it has at least four letters or digits. A text with fewer such lines is one shingle. So
// indentation, blank lines and lone brackets do not hide a copy.
class SimilarTexts {
 public:
  // The share of the text's shingles that occur in texts added before, 0..1; 0 for a text without a
  // telling line.
  double share_known(std::string_view text) const;
  void add(std::string_view text);
  std::size_t size() const { return shingles_.size(); }

  // Hashes of the text's distinct shingles.
  static std::vector<std::uint64_t> shingles_of(std::string_view text);

 private:
  std::unordered_set<std::uint64_t> shingles_;
};

}  // namespace redraft
