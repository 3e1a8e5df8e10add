// Where an index is stored, and how it is found again.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "indexing/kept_indexes.h"
#include "indexing/store/checksum.h"
#include "indexing/store/store_folder.h"
#include "indexing/store/store_format.h"
#include "indexing/workspace_index.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProbe =
    "def naïve_sum(xs):\n\treturn sum(x for x in xs)  # 12345\r\n\n\n    }\n";

std::string hexadecimal(std::uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; value >>= 4) text[i] = kDigits[value & 15];
  return text;
}

// Sorted: the order of a workspace's folders does not matter.
std::vector<std::string> canonical_names(std::span<const fs::path> roots) {
  std::vector<std::string> names;
  for (const fs::path& root : roots) {
    std::error_code problem;
    const fs::path found = fs::weakly_canonical(root, problem);
    names.push_back((problem ? root : found).string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::uint64_t index_key(const Tokenizer& tokenizer) {
  // The bytes of each token, and how a text is divided into tokens.
  std::string all;
  for (TokenId token = 0; token < tokenizer.vocabulary_size(); ++token) {
    all += tokenizer.bytes(token);
    all += '\n';
  }
  for (const TokenId token : tokenizer.encode(kProbe)) all += std::to_string(token) + " ";
  return checksum(std::as_bytes(std::span(all)));
}

Result<fs::path> index_folder(std::span<const fs::path> roots, std::uint64_t key) {
  const std::optional<fs::path> folder = indexes_folder();
  if (!folder) return Error("there is no folder for the index: set XDG_CACHE_HOME or HOME");
  std::string all;
  for (const std::string& name : canonical_names(roots)) all += name + '\0';
  const std::uint64_t workspace = checksum(std::as_bytes(std::span(all)));
  // Otherwise builds that cannot read each other's files would take turns replacing them.
  return *folder / (hexadecimal(workspace) + "-" + hexadecimal(key) + "-" + store_format());
}

std::unique_ptr<WorkspaceIndex> open_index(std::span<const fs::path> roots,
                                           std::shared_ptr<const Tokenizer> tokenizer,
                                           const IndexOptions& options, std::string& message) {
  const std::uint64_t key = index_key(*tokenizer);
  std::optional<StoreFolder> folder;
  const Result<fs::path> path = index_folder(roots, key);
  Result<StoreFolder> opened =
      path ? StoreFolder::open(*path, key, canonical_names(roots)) : path.error();
  message.clear();
  if (opened) {
    folder = std::move(*opened);
    prune_indexes(path->parent_path(), {}, *path);
  } else {
    message = "the index is kept in memory only: " + opened.error().message();
  }
  auto store = std::make_unique<TextStore>(std::move(folder));
  if (const Result<void> loaded = store->load(); !loaded)
    message = "the index is rebuilt: " + loaded.error().message();
  return std::make_unique<WorkspaceIndex>(roots, std::move(tokenizer), std::move(store), options);
}

}  // namespace redraft
