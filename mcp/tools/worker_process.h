#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft::mcp {

// Answers one request. Runs in the confined process; an exception ends that process.
using AnswerRequest = std::function<std::string(std::string_view request)>;

// Forks a process that answers requests with texts until the other end of the returned socket is
// closed. It can read and write that socket, take memory and end; every other system call fails, so
// it opens no file and reaches no process. It has no other descriptor. A request may take half a
// minute and 2 GiB of memory; then the process ends.
//
// This process must be single-threaded. Children are not waited for: call ignore_children() once.
// An error if the system cannot confine a process in this way.
Result<FileHandle> start_worker(const AnswerRequest& answer);
void ignore_children();

// A message between the two: its size (4 bytes, little endian) and its bytes.
std::string framed(std::string_view text);
inline constexpr std::size_t kFrameHead = 4;
inline constexpr std::size_t kMaxFrame = std::size_t{256} << 20;
// The size that a head announces.
std::size_t frame_size(std::string_view head);

}  // namespace redraft::mcp
