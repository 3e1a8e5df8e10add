#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/cost_cache.h"
#include "support/result.h"
#include "workspace/engine/prompt_size.h"

namespace redraft::cli {

// Which size prompts have on a machine with a model. It decides what answers say, so it is chosen
// once, by the speed at that time, and kept: a machine that is busy later, or a new build of
// redraft, does not change it.
struct KeptPromptSize {
  // The machine: a processor, its number of threads, and the kernels that run on it.
  std::string cpu;
  int threads = 0;
  std::string instructions;
  // The model. (Not its date: a copy of a file is the same model.)
  std::string model;
  std::uint64_t model_bytes = 0;
  std::string adapter = {};
  PromptSize size = kDefaultPromptSize;
  std::int64_t chosen_at = 0;  // seconds since 1970

  bool is_for(const CostKey& key) const { return is_machine_of(key) && is_model_of(key); }
  bool is_machine_of(const CostKey& key) const;
  bool is_model_of(const CostKey& key) const;
  bool operator==(const KeptPromptSize&) const = default;
};

// The sizes that were chosen, in a small JSON file beside the cost curves. Any number of processes
// may read and write concurrently; of two choices at the same moment one may have to be made again.
class PromptSizeStore {
 public:
  // Default: $XDG_CACHE_HOME/redraft/cost/prompt-sizes.json. Without a cache folder nothing is
  // kept.
  PromptSizeStore();
  explicit PromptSizeStore(std::filesystem::path file) : file_(std::move(file)) {}

  const std::filesystem::path& file() const { return file_; }
  // The newest last. Empty if there are none, or the file is damaged.
  std::vector<KeptPromptSize> load() const;
  std::optional<PromptSize> find(const CostKey& key) const;
  // The kept size or, if there is none, the one for the `speed` in tokens per second, which is then
  // kept. `notice` (may be empty) is told if that differs from the last choice, because the machine
  // or the model changed.
  PromptSize find_or_choose(const CostKey& key, const std::function<int()>& speed,
                            const std::function<void(const std::string&)>& notice) const;

 private:
  Result<void> store(const std::vector<KeptPromptSize>& kept) const;

  std::filesystem::path file_;
};

// Converts to and from the text of the file. `text` is untrusted: the error begins with `name`.
std::string to_text(const std::vector<KeptPromptSize>& kept);
Result<std::vector<KeptPromptSize>> parse_prompt_sizes(const std::string& name,
                                                       const std::string& text);

// What was chosen before for the target of these options; nothing: no choice was needed so far.
std::optional<PromptSize> kept_prompt_size(const CommonOptions& options);

// --prompt-size. `auto` is nothing: the choice for this machine.
void add_prompt_size_option(CommandLine command, std::optional<PromptSize>& size);

}  // namespace redraft::cli
