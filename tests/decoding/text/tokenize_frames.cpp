// tokenize_frames MODEL.gguf: for each text on standard input (four bytes of length, little endian,
// then the text) writes the number of its tokens and their ids, four bytes each. What comes back
// from the ids must be the text. Reports the bytes, tokens and speed of encoding on standard error.
// sweep_tokenizers.py drives it.
#include <chrono>
#include <cstdio>
#include <string>

#include "decoding/model/model_loader.h"
#include "decoding/text/tokenizer.h"

namespace redraft {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int run(const char* model) {
  const Clock::time_point load_start = Clock::now();
  const auto tokenizer = load_tokenizer(model);
  if (!tokenizer) return std::fprintf(stderr, "%s\n", tokenizer.error().message().c_str()), 1;
  const double load_seconds = seconds_since(load_start);

  std::size_t n_bytes = 0;
  std::size_t n_tokens = 0;
  double encode_seconds = 0;
  std::uint32_t size = 0;
  while (std::fread(&size, sizeof size, 1, stdin) == 1) {
    std::string text(size, '\0');
    if (std::fread(text.data(), 1, size, stdin) != size) {
      return std::fprintf(stderr, "the last text is cut short\n"), 1;
    }
    const Clock::time_point start = Clock::now();
    const std::vector<TokenId> ids = (*tokenizer)->encode(text);
    encode_seconds += seconds_since(start);
    if ((*tokenizer)->covers(text) && (*tokenizer)->decode(ids) != text) {
      return std::fprintf(stderr, "a text of %u bytes does not come back\n", size), 1;
    }
    const auto count = static_cast<std::uint32_t>(ids.size());
    std::fwrite(&count, sizeof count, 1, stdout);
    std::fwrite(ids.data(), sizeof(TokenId), ids.size(), stdout);
    n_bytes += size;
    n_tokens += ids.size();
  }
  std::fprintf(stderr, "%zu bytes, %zu tokens, %.1f MB/s, loaded in %.0f ms\n", n_bytes, n_tokens,
               static_cast<double>(n_bytes) / 1e6 / encode_seconds, load_seconds * 1e3);
  return 0;
}

}  // namespace
}  // namespace redraft

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: tokenize_frames MODEL.gguf\n"), 2;
  return redraft::run(argv[1]);
}
