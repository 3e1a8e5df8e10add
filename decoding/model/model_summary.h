#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace redraft {

// What the headers of a model's files say. The weights themselves are not read.
struct ModelSummary {
  std::string architecture;  // "qwen2"; empty: the files do not say it in a way that can be read
  std::string quantisation;  // as its file names it, "Q4_K_M", else the format of most weights
  std::uint64_t parameters = 0;
  std::uint64_t weight_bytes = 0;
  std::uint64_t disk_bytes = 0;  // of them: kept on disk, if it has room (bytes_looked_up())
  // Of weights, that a pass over one row reads: of the experts of a mixture only those that a row
  // asks, of the embedding nothing unless it is the output matrix too.
  std::uint64_t pass_bytes = 0;
  std::uint64_t kv_bytes_per_token = 0;  // of keys and values on the CPU; 0: it does not run
  // The state of one sequence: a hybrid's, or the rows in the sliding windows; else 0.
  std::uint64_t state_bytes = 0;
  int context_length = 0;  // in tokens; 0: it does not run
  std::string why_not;     // why redraft cannot run it; empty: it can
};

// Of a GGUF file or a Hugging Face folder. Never an error: what cannot be read is in `why_not`,
// which does not begin with the path. Any thread; maps the file and reads some megabytes of it.
ModelSummary summarise_model(const std::filesystem::path& path);

// The bytes of a model's weights of which a pass reads a few rows only, so that they stay on disk;
// 0 if it has none, or cannot be read.
std::uint64_t bytes_looked_up(const std::filesystem::path& path);

// "1.5 B", "135 M", "71 k"
std::string parameters_text(std::uint64_t parameters);

}  // namespace redraft
