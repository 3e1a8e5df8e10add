#pragma once

#include <cstddef>

#include "workspace/engine/decode_queue.h"

namespace redraft {

// Sees to it that what closed documents took goes back to the system. A syntax tree takes thirty
// times its text, in many small pieces, and the allocator keeps them in each thread's heap: without
// this a server would stay as large as it was when most documents were open. One thread.
class FreedMemory {
 public:
  // The queue outlives it.
  explicit FreedMemory(DecodeQueue& queue) : queue_(queue) {}

  // A text of so many bytes, and what belongs to it, is freed now or soon. Once these are many, a
  // job of the least urgency returns the memory, when they have been freed and nothing else runs.
  void add(std::size_t bytes);
  // The same without counting: everything is freed.
  void return_soon();

 private:
  DecodeQueue& queue_;
  DecodeQueue::JobId job_ = 0;  // the last one
  std::size_t bytes_ = 0;       // not returned yet
};

}  // namespace redraft
