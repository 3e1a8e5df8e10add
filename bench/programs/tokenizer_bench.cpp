// The speed of the tokenizer on one text: encoding it as a whole, and again after a keystroke.
//   tokenizer_bench MODEL TEXT [PRE_TOKENIZER …]
// MODEL is a known name or a path, TEXT a file. If pre-tokenizers are named, each is used in place
// of the model's.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "bench/programs/stopwatch.h"
#include "decoding/model/model_files.h"
#include "decoding/model/model_store.h"
#include "text/encoded_text.h"
#include "text/tokenizer.h"

namespace redraft {
namespace {

constexpr int kEncodings = 5;
constexpr int kKeystrokes = 400;

void measure(const Tokenizer& tokenizer, const char* name, std::string text) {
  std::vector<TokenId> tokens;
  std::vector<double> whole;
  for (int i = 0; i < kEncodings; ++i) {
    whole.push_back(seconds([&] { tokens = tokenizer.encode(text); }));
  }
  const double encoding = quantile(whole, 0.5);
  std::printf("%s: %zu bytes, %zu tokens, whole %.1f ms (%.1f MB/s)", name, text.size(),
              tokens.size(), encoding * 1e3, static_cast<double>(text.size()) / 1e6 / encoding);

  EncodedText encoded(tokenizer, text);
  std::mt19937 random(1);
  std::vector<double> edits;
  std::size_t n_bytes = 0;
  for (int i = 0; i < kKeystrokes; ++i) {
    const std::size_t at = random() % (text.size() + 1);
    text.insert(at, 1, static_cast<char>('a' + random() % 26));
    edits.push_back(seconds([&] { n_bytes += encoded.update(text, {at, at, at + 1}); }));
  }
  std::printf(", keystroke %.1f us (99 %%: %.1f us), %.1f bytes encoded again\n",
              quantile(edits, 0.5) * 1e6, quantile(edits, 0.99) * 1e6,
              static_cast<double>(n_bytes) / kKeystrokes);
}

int run(const std::string& model, const char* text_file, const std::vector<std::string>& names) {
  const auto fail = [](const Error& error) {
    return std::fprintf(stderr, "%s\n", error.message().c_str()), 1;
  };
  const auto path = find_model(model);
  if (!path) return fail(path.error());
  const auto files = open_model_files(*path);
  if (!files) return fail(files.error());
  const auto spec = (*files)->tokenizer_spec();
  if (!spec) return fail(spec.error());
  std::ifstream stream(text_file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (text.empty()) return fail(Error(std::string(text_file) + ": empty or not there"));
  for (const std::string& name : names.empty() ? std::vector{spec->pre_tokenizer} : names) {
    TokenizerSpec changed = *spec;
    changed.pre_tokenizer = name;
    const auto tokenizer = Tokenizer::make(std::move(changed));
    if (!tokenizer) return fail(tokenizer.error());
    measure(**tokenizer, name.c_str(), text);
  }
  return 0;
}

}  // namespace
}  // namespace redraft

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: tokenizer_bench MODEL TEXT [PRE_TOKENIZER ...]\n");
    return 2;
  }
  return redraft::run(argv[1], argv[2], {argv + 3, argv + argc});
}
