// redraft_failing_server FIRST COUNT: the language server with a scripted model, in which COUNT
// allocations fail from the FIRST on (counted from when it begins to serve, in all threads). Prints
// the number of allocations to standard error.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "lsp/host/server_process.h"
#include "tests/kit/edit_script.h"

namespace {

std::atomic<bool> serving = false;
std::atomic<long> allocations = 0;
long first_failure = 0;
long n_failures = 0;

bool must_fail() {
  if (!serving.load(std::memory_order_relaxed)) return false;
  const long number = allocations.fetch_add(1, std::memory_order_relaxed) + 1;
  return number >= first_failure && number < first_failure + n_failures;
}

}  // namespace

// Inlined, the pair would look mismatched to g++.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* memory = must_fail() ? nullptr : std::malloc(size > 0 ? size : 1);
  if (!memory) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  first_failure = std::atol(argv[1]);
  n_failures = std::atol(argv[2]);
  redraft::EditScript script;
  script.edits = {{"", "old", "fresh"}};
  script.fills.fills = {{"area = ", "width * height"}};
  redraft::lsp::ServerOptions options;
  options.log_level = "warn";
  options.exit_limit = std::chrono::milliseconds(500);
  options.make_engine = [script](const redraft::LoadControl&) {
    return redraft::as_engine(redraft::make_scripted_engine(script));
  };
  serving = true;
  const int code = redraft::lsp::serve_one_client(std::move(options), STDIN_FILENO, STDOUT_FILENO);
  serving = false;
  std::fprintf(stderr, "%ld allocations\n", allocations.load());
  return code;
}
