// tokenize_frames ids MODEL: for each text on standard input (four bytes of length, little
// endian, then the text) writes the number of its tokens and their ids, four bytes each. Decoding
// the ids must give the text again. Reports bytes, tokens and speed on standard error.
//
// tokenize_frames words PRE: the same with the ends of the words into which the pre-tokenizer PRE
// splits each text.
//
// sweep_tokenizers.py runs it.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decoding/model/tokenizer_json.h"
#include "decoding/model/tokenizer_loader.h"
#include "support/seconds_since.h"
#include "text/pre_tokenizer.h"
#include "text/tokenizer.h"

namespace redraft {
namespace {

using Clock = std::chrono::steady_clock;
// Calls `encode` for each text on standard input and writes what it returns.
template <typename Encode>
int for_each_text(const Encode& encode) {
  std::size_t n_bytes = 0;
  std::size_t n_tokens = 0;
  double seconds = 0;
  std::uint32_t size = 0;
  while (std::fread(&size, sizeof size, 1, stdin) == 1) {
    std::string text(size, '\0');
    if (std::fread(text.data(), 1, size, stdin) != size) {
      return std::fprintf(stderr, "the last text is cut short\n"), 1;
    }
    const Clock::time_point start = Clock::now();
    const std::optional<std::vector<std::int32_t>> numbers = encode(text);
    seconds += seconds_since(start);
    if (!numbers) return std::fprintf(stderr, "a text of %u bytes does not come back\n", size), 1;
    const auto count = static_cast<std::uint32_t>(numbers->size());
    std::fwrite(&count, sizeof count, 1, stdout);
    std::fwrite(numbers->data(), sizeof(std::int32_t), numbers->size(), stdout);
    n_bytes += size;
    n_tokens += numbers->size();
  }
  std::fprintf(stderr, "%zu bytes, %zu tokens or words, %.1f MB/s there and back\n", n_bytes,
               n_tokens, static_cast<double>(n_bytes) / 1e6 / seconds);
  return 0;
}

// `model` is a model's file, or a folder that need not have more than tokenizer.json.
Result<std::shared_ptr<const Tokenizer>> tokenizer_of(const std::filesystem::path& model) {
  if (!is_directory(model)) return load_tokenizer(model);
  Result<TokenizerSpec> spec = read_tokenizer_folder(model);
  if (!spec) return spec.error();
  return Tokenizer::make(std::move(*spec));
}

int write_ids(const char* model) {
  const auto tokenizer = tokenizer_of(model);
  if (!tokenizer) return std::fprintf(stderr, "%s\n", tokenizer.error().message().c_str()), 1;
  return for_each_text([&](const std::string& text) -> std::optional<std::vector<TokenId>> {
    std::vector<TokenId> ids = (*tokenizer)->encode(text);
    if ((*tokenizer)->covers(text) && (*tokenizer)->decode(ids) != text) return std::nullopt;
    return ids;
  });
}

int write_words(const char* name) {
  const auto pre_tokenizer = find_pre_tokenizer(name);
  if (!pre_tokenizer)
    return std::fprintf(stderr, "%s\n", pre_tokenizer.error().message().c_str()), 1;
  return for_each_text([&](const std::string& text) -> std::optional<std::vector<std::int32_t>> {
    std::vector<std::int32_t> ends;
    for (std::size_t end = 0; end < text.size();) {
      end = word_end(*pre_tokenizer, text, end);
      ends.push_back(static_cast<std::int32_t>(end));
    }
    return ends;
  });
}

}  // namespace
}  // namespace redraft

int main(int argc, char** argv) {
  const std::string_view command = argc == 3 ? argv[1] : "";
  if (command == "ids") return redraft::write_ids(argv[2]);
  if (command == "words") return redraft::write_words(argv[2]);
  return std::fprintf(stderr, "usage: tokenize_frames ids MODEL | words PRE\n"), 2;
}
