#include "decoding/model/weight_overflow.h"

#include <cstdio>
#include <string>
#include <utility>

namespace redraft {
namespace {

std::string gibibytes(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

}  // namespace

Result<std::shared_ptr<const ScratchMemory>> weight_overflow(std::size_t bytes, std::size_t beside,
                                                             const LoadControl& control) {
  using Found = std::shared_ptr<const ScratchMemory>;
  const std::optional<WeightOverflow>& overflow = control.overflow;
  if (!overflow || bytes + beside <= overflow->free_memory) return Found();
  const std::string lacking = "weights of " + gibibytes(bytes + beside) + " do not fit into the " +
                              gibibytes(overflow->free_memory) + " of memory that are free";
  Result<ScratchMemory> made = ScratchMemory::make(overflow->folder, bytes);
  if (!made) return Error(lacking + ", and cannot be kept on disk: " + made.error().message());
  if (overflow->is_used != nullptr) *overflow->is_used = true;
  if (control.notice) {
    control.notice(lacking + "; they are kept in a file without a name in " +
                   overflow->folder.string() +
                   " and read from there when they are asked, which takes longer.");
  }
  return Found(std::make_shared<const ScratchMemory>(std::move(*made)));
}

std::shared_ptr<const ScratchMemory> disk_for_rows(std::size_t bytes, const LoadControl& control) {
  if (!control.overflow) return nullptr;
  Result<ScratchMemory> made = ScratchMemory::make(control.overflow->folder, bytes);
  if (!made) return nullptr;
  return std::make_shared<const ScratchMemory>(std::move(*made));
}

}  // namespace redraft
