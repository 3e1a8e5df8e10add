// Models in several GGUF files
//
// A large model may be split into parts, NAME-00001-of-00003.gguf and so on. Each part is a GGUF
// file with some of the tensors. Only the first one has the model's keys; all have split.no (from
// 0), split.count and split.tensors.count (of the whole model). A model is named by its first part,
// and GgufFile::open() reads the others too. Which files belong to a model follows from the names
// alone, so that stamps and sizes need not read them.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redraft {

// More parts than this are an error.
inline constexpr int kMaxGgufParts = 1000;

// The name of a part, apart from its folder.
struct GgufPartName {
  std::string model;  // "NAME" in NAME-00002-of-00003.gguf
  int number = 1;     // from 1
  int count = 1;      // at least `number`

  // The name of another part of the model.
  std::string other(int part) const;
};
// nullopt: the file has another name, or its numbers are impossible.
std::optional<GgufPartName> gguf_part_name(std::string_view file_name);

// The files of a model: all parts if the file has the name of a first part, else the file alone.
// Any of them may be missing.
std::vector<std::filesystem::path> gguf_files(const std::filesystem::path& file);

}  // namespace redraft
