// redraft-attached CONNECTION: what a `redraft lsp` becomes once a shared server has its client.
// All it does is wait; with libtorch in memory it would take 60 MB for that.
#include <unistd.h>

#include <cstdlib>

#include "lsp/host/await_exit.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  return redraft::lsp::await_exit(std::atoi(argv[1]), STDIN_FILENO);
}
