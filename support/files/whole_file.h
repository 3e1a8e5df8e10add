#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <span>

#include "support/result.h"

namespace redraft {

// Creates or replaces `file` (mode 0600) with these bytes, one piece after the other. Whoever reads
// it, and whoever starts after a crash or a loss of power, finds the old content or the new one and
// never a part. After an error (a full disk, say) the old file is as it was.
Result<void> write_whole_file(const std::filesystem::path& file,
                              std::initializer_list<std::span<const std::byte>> pieces);

}  // namespace redraft
