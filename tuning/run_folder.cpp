#include "tuning/run_folder.h"

#include <cstdio>
#include <utility>

#include "support/files/private_folder.h"
#include "support/files/whole_file.h"
#include "tuning/loss_curve.h"

namespace redraft {
namespace {

constexpr const char* kCheckpoint = "checkpoint";

Result<void> write_text(const std::filesystem::path& file, const std::string& text) {
  return write_whole_file(file, {std::as_bytes(std::span(text.data(), text.size()))});
}

}  // namespace

RunFolder::RunFolder(std::filesystem::path folder, RunIdentity identity, bool restart,
                     LockFile lock)
    : folder_(std::move(folder)),
      identity_(std::move(identity)),
      restart_(restart),
      lock_(std::move(lock)) {}

Result<RunFolder> RunFolder::open(const std::filesystem::path& folder, RunIdentity identity,
                                  const Product& product, bool restart) {
  if (Result<void> made = make_folders(folder); !made) return made.error();
  Result<std::optional<LockFile>> lock = LockFile::take(folder / ".lock");
  if (!lock) return lock.error();
  if (!*lock)
    return Error(folder.string() + ": another run is writing to this folder; choose another --out");
  std::error_code ignored;
  if (!restart && !std::filesystem::exists(folder / kCheckpoint, ignored) &&
      std::filesystem::exists(folder / product.file, ignored)) {
    return Error(folder.string() + ": has " + product.name +
                 " without a checkpoint, which a run would replace; choose another "
                 "--out, or use --restart");
  }
  return RunFolder(folder, std::move(identity), restart, std::move(**lock));
}

Result<std::optional<TrainingState>> RunFolder::checkpoint(std::size_t parameters) const {
  std::error_code ignored;
  if (restart_ || !std::filesystem::exists(folder_ / kCheckpoint, ignored))
    return std::optional<TrainingState>();
  Result<TrainingState> state = load_checkpoint(folder_ / kCheckpoint, identity_, parameters);
  if (!state) return state.error();
  return std::optional(std::move(*state));
}

Result<void> RunFolder::save(const TrainingState& state, const std::string& title,
                             const std::function<Result<void>()>& write) const {
  if (auto saved = save_checkpoint(folder_ / kCheckpoint, identity_, state); !saved) return saved;
  if (auto saved = write(); !saved) return saved;
  if (auto saved = write_text(folder_ / "losses.csv", loss_table(state.steps)); !saved)
    return saved;
  return write_text(folder_ / "loss.svg", loss_curve(state.steps, title));
}

std::string loss_table(std::span<const StepRecord> steps) {
  std::string out = "step,loss,accuracy,rate,gradient,tokens,seconds,held_out\n";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const StepRecord& step = steps[i];
    char line[256];
    std::snprintf(line, sizeof(line), "%zu,%.6f,%.4f,%.4g,%.4g,%lld,%.2f,", i + 1, step.loss,
                  step.accuracy, step.rate, step.length, static_cast<long long>(step.tokens),
                  step.seconds);
    out += line;
    if (step.held_out) {
      std::snprintf(line, sizeof(line), "%.6f", *step.held_out);
      out += line;
    }
    out += '\n';
  }
  return out;
}

}  // namespace redraft
