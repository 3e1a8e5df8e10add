// Runs a fuzz target as a plain test: on every file of a folder, then on each file truncated and
// with a byte changed. Fails by crashing, or if there is no file.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kVariants = 16;  // of each file and kind

void run(const std::vector<std::uint8_t>& bytes) {
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

void run_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(stream), {}};
  run(bytes);
  for (std::size_t i = 0; i < std::min(kVariants, bytes.size()); ++i) {
    const std::size_t at = bytes.size() * i / kVariants;
    run({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at)});
    std::vector<std::uint8_t> changed = bytes;
    changed[at] ^= static_cast<std::uint8_t>(1U << (i % 8));
    run(changed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      run_file(entry.path());
      ++files;
    }
  }
  std::printf("%d inputs\n", files);
  return files > 0 ? 0 : 1;
}
