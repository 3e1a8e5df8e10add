// Parsing is bounded: tree-sitter asks every hundred steps whether to continue, and our allocator
// counts its memory. A tree may be freed by another thread than the one that parsed it, so the
// count is that of one parse, relative to its thread's count before.
//
// Time is the processor's, of the thread that parses. By the wall clock the load of the machine
// would decide whether a file gets a tree: a thread that runs only when the machine is otherwise
// idle may well wait for a second in the middle of a file that takes a millisecond. Steps are no
// measure either: a hundred take 8 microseconds or 12 milliseconds, and the slow ones have to end.
#include "indexing/syntax/parser.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>

#include "support/system/heap.h"
#include "support/thread_time.h"
#include "support/utf8/utf8.h"

namespace redraft {
namespace {

thread_local std::ptrdiff_t allocated_bytes = 0;

void* counted(void* block) {
  if (block == nullptr) std::abort();  // as tree-sitter itself does: it cannot continue without
  allocated_bytes += static_cast<std::ptrdiff_t>(allocated_size(block));
  return block;
}

void* counted_malloc(std::size_t size) {
  return counted(std::malloc(std::max<std::size_t>(size, 1)));
}

void* counted_calloc(std::size_t count, std::size_t size) {
  return counted(std::calloc(std::max<std::size_t>(count, 1), std::max<std::size_t>(size, 1)));
}

void* counted_realloc(void* block, std::size_t size) {
  allocated_bytes -= static_cast<std::ptrdiff_t>(allocated_size(block));
  return counted(std::realloc(block, std::max<std::size_t>(size, 1)));
}

void counted_free(void* block) {
  allocated_bytes -= static_cast<std::ptrdiff_t>(allocated_size(block));
  std::free(block);
}

void count_allocations() {
  static std::once_flag once;
  std::call_once(once, [] {
    ts_set_allocator(counted_malloc, counted_calloc, counted_realloc, counted_free);
  });
}

// When one parse has to end, on the thread that makes it.
class Budget {
 public:
  explicit Budget(const ParseLimits& limits)
      : allocated_(allocated_bytes +
                   static_cast<std::ptrdiff_t>(std::min(limits.memory_bytes, kMaxMemoryBytes))),
        end_(thread_time() + limits.time),
        look_at_(Clock::now() + limits.time),
        stop_(limits.stop) {}

  bool spent() { return allocated_bytes > allocated_ || stop_.stop_requested() || time_spent(); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMaxMemoryBytes = std::numeric_limits<std::ptrdiff_t>::max() / 2;

  // A thread never uses more time than passes, so the cheap clock tells when the dear one is worth
  // a look.
  bool time_spent() {
    const Clock::time_point now = Clock::now();
    if (now < look_at_) return false;
    const std::chrono::nanoseconds left = end_ - thread_time();
    look_at_ = now + left;
    return left.count() <= 0;
  }

  std::ptrdiff_t allocated_;
  std::chrono::nanoseconds end_;
  Clock::time_point look_at_;
  const std::stop_token& stop_;
};

const char* read_text(void* payload, std::uint32_t offset, TSPoint, std::uint32_t* size) {
  const std::string_view& text = *static_cast<const std::string_view*>(payload);
  *size = static_cast<std::uint32_t>(text.size() - std::min<std::size_t>(offset, text.size()));
  return *size == 0 ? "" : text.data() + offset;
}

bool is_spent(TSParseState* state) { return static_cast<Budget*>(state->payload)->spent(); }

struct ParserDeleter {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
};

TreePointer owned(TSTree* tree) {
  return {tree, [](const TSTree* each) { ts_tree_delete(const_cast<TSTree*>(each)); }};
}
TSPoint point_at(std::string_view text, std::size_t offset) {
  TSPoint point{0, 0};
  std::size_t line = 0;
  while (const void* found = std::memchr(text.data() + line, '\n', offset - line)) {
    line = static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + 1;
    ++point.row;
  }
  point.column = static_cast<std::uint32_t>(offset - line);
  return point;
}

}  // namespace

TreePointer parse_text(const TSLanguage* language, std::string_view text, const TSTree* old,
                       const ParseLimits& limits) {
  constexpr std::size_t kMaxBytes = std::numeric_limits<std::int32_t>::max();
  if (text.size() > std::min(limits.text_bytes, kMaxBytes)) return nullptr;
  count_allocations();
  const std::unique_ptr<TSParser, ParserDeleter> parser(ts_parser_new());
  if (!ts_parser_set_language(parser.get(), language)) return nullptr;
  Budget budget(limits);
  TSTree* tree = ts_parser_parse_with_options(
      parser.get(), old, {&text, read_text, TSInputEncodingUTF8, nullptr}, {&budget, is_spent});
  return tree == nullptr ? nullptr : owned(tree);
}

TreePointer move_tree(const TSTree& tree, std::string_view before, std::string_view after) {
  const auto same = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  auto begin = static_cast<std::size_t>(same.first - before.begin());
  while (begin > 0 && begin < before.size() && continues_character(before[begin])) --begin;
  const std::size_t longest = std::min(before.size(), after.size()) - begin;
  std::size_t n_same = 0;
  while (n_same < longest && before[before.size() - 1 - n_same] == after[after.size() - 1 - n_same])
    ++n_same;
  while (n_same > 0 && continues_character(before[before.size() - n_same])) --n_same;

  TreePointer moved = owned(ts_tree_copy(&tree));
  if (begin == before.size() && begin == after.size()) return moved;
  const std::size_t old_end = before.size() - n_same;
  const std::size_t new_end = after.size() - n_same;
  const TSInputEdit edit{static_cast<std::uint32_t>(begin),   static_cast<std::uint32_t>(old_end),
                         static_cast<std::uint32_t>(new_end), point_at(before, begin),
                         point_at(before, old_end),           point_at(after, new_end)};
  ts_tree_edit(const_cast<TSTree*>(moved.get()), &edit);
  return moved;
}

}  // namespace redraft
