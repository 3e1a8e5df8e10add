// redraft-attached CONNECTION: replaces a `redraft lsp` once a shared server serves its client. It
// only waits; with libtorch loaded, that would take 60 MB.
#include <unistd.h>

#include <cstdlib>

#include "lsp/host/await_exit.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  return redraft::lsp::await_exit(std::atoi(argv[1]), STDIN_FILENO);
}
