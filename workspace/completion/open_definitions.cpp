#include "workspace/completion/open_definitions.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "workspace/completion/recent_snippets.h"
#include "workspace/snippets/name_ranking.h"

namespace redraft {
namespace {

constexpr std::size_t kMaxNames = 48;
constexpr std::size_t kMaxDocuments = 16;
// Larger documents are not parsed for this.
constexpr std::size_t kMaxParsedBytes = std::size_t{256} << 10;
// If a name has more definitions, it is unclear which one is meant.
constexpr int kMaxDefinitions = 3;

// The definition of a name: in the most recently used document that defines it.
struct Found {
  const Document* document = nullptr;
  ByteRange range;
  int count = 0;
};

using Definitions = std::unordered_map<std::string_view, Found>;

void look_in(const Document& document, Definitions& wanted) {
  if (document.text().size() > kMaxParsedBytes) return;
  const SyntaxTree* tree = document.syntax();
  if (tree == nullptr) return;
  for (const Definition& definition : tree->definitions()) {
    const std::string_view text = document.text();
    const auto found = wanted.find(text.substr(definition.name.begin, definition.name.size()));
    if (found == wanted.end() || definition.is_value) continue;
    if (found->second.count++ == 0)
      found->second = {.document = &document, .range = definition.range, .count = 1};
  }
}

}  // namespace

std::vector<Snippet> open_definitions(std::span<const std::shared_ptr<const Document>> open,
                                      const Tokenizer& tokenizer, const SnippetQuery& query) {
  if (query.tree == nullptr || open.empty()) return {};
  const std::vector<RankedName> names = ranked_names(*query.tree, query.offset, kMaxNames);
  Definitions definitions;
  for (const RankedName& name : names) definitions.emplace(name.name, Found());
  for (const auto& document : open.first(std::min(open.size(), kMaxDocuments)))
    look_in(*document, definitions);
  std::vector<Snippet> chosen;
  std::size_t tokens = 0;
  for (const RankedName& name : names) {
    const Found& found = definitions[name.name];
    if (found.document == nullptr || found.count > kMaxDefinitions) continue;
    Snippet snippet{.file = file_of(found.document->uri()),
                    .text = std::string(beginning_of_definition(
                        std::string_view(found.document->text())
                            .substr(found.range.begin, found.range.size())))};
    if (!snippet.text.ends_with('\n')) snippet.text += '\n';
    snippet.tokens = tokenizer.encode(snippet.text).size();
    if (tokens + snippet.tokens > query.max_tokens) continue;
    tokens += snippet.tokens;
    chosen.push_back(std::move(snippet));
  }
  std::ranges::reverse(chosen);
  return chosen;
}

}  // namespace redraft
