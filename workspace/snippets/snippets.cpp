#include "workspace/snippets/snippets.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>

#include "indexing/syntax/chunks.h"
#include "indexing/syntax/signatures.h"
#include "languages/languages.h"
#include "text/strings/text_lines.h"
#include "workspace/snippets/name_ranking.h"

namespace redraft {
namespace {

using TextPlace = IndexSnapshot::TextPlace;

constexpr std::size_t kMaxNames = 48;
// If a name has more definitions, it is unclear which one is meant.
constexpr std::size_t kMaxDefinitions = 3;
// A snippet shows the beginning of a definition: its signature and documentation.
constexpr std::size_t kMaxDefinitionLines = 12;
constexpr std::size_t kMaxDefinitionBytes = 700;
// The share of the tokens that goes to definitions if there are similar pieces too.
constexpr double kDefinitionShare = 0.6;

// The size of the text before the cursor with which other texts are compared.
constexpr std::size_t kWindowBytes = 600;
// The minimum size of a key.
constexpr std::size_t kKeyTokens = 4;
constexpr std::size_t kKeyBytes = 12;
constexpr std::size_t kMaxOccurrences = 16;  // of a key; a frequent key is no evidence
// A piece of another file with this many tokens is about as long as the window.
constexpr std::size_t kPieceTokens = 160;
constexpr std::size_t kPieceBytes = 700;
constexpr std::size_t kMaxPieces = 3;
constexpr double kMinScore = 32;  // bytes in common that occur nowhere else
// How many bytes of a type's methods are shown after its beginning.
constexpr std::size_t kMaxMemberBytes = 1024;
// Larger files are not parsed.
constexpr std::size_t kMaxParsedBytes = std::size_t{128} << 10;

std::string stem_of(const std::string& file) { return std::filesystem::path(file).stem().string(); }

class SnippetFinder {
 public:
  SnippetFinder(const IndexSnapshot& index, const Tokenizer& tokenizer, const SnippetQuery& query)
      : index_(index), tokenizer_(tokenizer), query_(query) {}

  std::vector<Snippet> definitions_of(const std::vector<std::string>& names) {
    read_words();
    std::vector<Snippet> found;
    for (const std::string& name : names) {
      if (std::optional<Snippet> definition = definition_of(name, true))
        found.push_back(std::move(*definition));
    }
    return found;
  }

  std::vector<Snippet> find() {
    std::vector<Snippet> pieces = similar_pieces();
    std::vector<Snippet> definitions;
    if (query_.tree) definitions = named_definitions();
    std::size_t tokens = 0;
    std::vector<Snippet> chosen;
    const auto take = [&](std::vector<Snippet>& from, double share) {
      const auto most = static_cast<std::size_t>(share * static_cast<double>(query_.max_tokens));
      for (Snippet& snippet : from) {
        if (snippet.text.empty() || tokens + snippet.tokens > most) continue;
        const bool shown = std::ranges::any_of(chosen, [&](const Snippet& other) {
          return other.file == snippet.file &&
                 (other.text.find(snippet.text) != std::string::npos ||
                  snippet.text.find(other.text) != std::string::npos);
        });
        if (shown) continue;
        tokens += snippet.tokens;
        chosen.push_back(std::exchange(snippet, {}));
      }
    };
    take(definitions, pieces.empty() ? 1 : kDefinitionShare);
    take(pieces, 1);
    take(definitions, 1);
    std::ranges::reverse(chosen);
    return chosen;
  }

 private:
  void read_words();
  std::vector<Snippet> named_definitions();
  std::vector<Snippet> similar_pieces();
  std::optional<Snippet> definition_of(std::string_view name, bool with_members = false);
  std::string members_of(std::string_view type, const TextPlace& place, ByteRange shown);
  std::optional<Snippet> piece_at(const TextPlace& place, std::size_t token);
  std::span<const TokenId> key_at(std::span<const TokenId> tokens) const;
  const std::string& text_of(const TextPlace& place);
  const std::optional<SyntaxTree>& tree_of(const TextPlace& place);
  Snippet snippet(const TextPlace& place, std::string_view text);

  const IndexSnapshot& index_;
  const Tokenizer& tokenizer_;
  const SnippetQuery& query_;
  std::map<std::pair<std::size_t, std::size_t>, std::string> texts_;
  std::map<std::pair<std::size_t, std::size_t>, std::optional<SyntaxTree>> trees_;  // of the files
  std::unordered_set<std::string> words_;  // names in the document
};

const std::string& SnippetFinder::text_of(const TextPlace& place) {
  const auto [entry, added] = texts_.try_emplace({place.part, place.text});
  if (added) entry->second = tokenizer_.decode(index_.tokens(place));
  return entry->second;
}

// nullopt for a large file, or one in an unknown language.
const std::optional<SyntaxTree>& SnippetFinder::tree_of(const TextPlace& place) {
  const auto [entry, added] = trees_.try_emplace({place.part, place.text});
  const std::string& text = text_of(place);
  if (!added || text.size() > kMaxParsedBytes) return entry->second;
  const std::shared_ptr<const std::string> shared(std::shared_ptr<void>(), &text);
  entry->second = SyntaxTree::parse(shared, language_of(index_.name(place)));
  return entry->second;
}

Snippet SnippetFinder::snippet(const TextPlace& place, std::string_view text) {
  Snippet made{index_.name(place), std::string(text), 0};
  if (!made.text.ends_with('\n')) made.text += '\n';
  made.tokens = tokenizer_.encode(made.text).size();
  return made;
}

void SnippetFinder::read_words() {
  if (query_.tree == nullptr) return;
  for (const ByteRange& range : query_.tree->identifiers({0, query_.text.size()}))
    words_.emplace(query_.text.substr(range.begin, range.size()));
}

std::vector<Snippet> SnippetFinder::named_definitions() {
  const std::vector<RankedName> names = ranked_names(*query_.tree, query_.offset, kMaxNames);
  read_words();
  std::vector<Snippet> found;
  for (const RankedName& name : names) {
    if (std::optional<Snippet> definition = definition_of(name.name))
      found.push_back(std::move(*definition));
  }
  return found;
}

// The beginnings of the methods of a type that this text defines, in separate lines after "...";
// without methods that are shown already.
std::string SnippetFinder::members_of(std::string_view type, const TextPlace& place,
                                      ByteRange shown) {
  const std::string& text = text_of(place);
  const std::optional<SyntaxTree>& tree = tree_of(place);
  if (!tree) return {};
  std::string lines;
  for (const Signature& signature : tree->signatures()) {
    const ByteRange range = whole_lines(text, signature.head);
    if (signature.owner != type || shown.contains(range)) continue;
    if (lines.size() + range.size() > kMaxMemberBytes) break;
    lines += text.substr(range.begin, range.size());
  }
  return lines.empty() ? lines : "...\n" + lines;
}

// If several files define a name, the definition that the document refers to.
std::optional<Snippet> SnippetFinder::definition_of(std::string_view name, bool with_members) {
  const auto places = index_.definitions(name, kMaxDefinitions + 1);
  if (places.empty() || places.size() > kMaxDefinitions) return std::nullopt;
  const auto mentioned = std::ranges::find_if(
      places, [&](const auto& place) { return words_.contains(stem_of(index_.name(place.text))); });
  if (places.size() > 1 && mentioned == places.end()) return std::nullopt;
  const auto& [place, range] = places.size() > 1 ? *mentioned : places.front();
  const std::string& text = text_of(place);
  if (range.end > text.size()) return std::nullopt;
  const std::string_view head =
      beginning_of_definition(std::string_view(text).substr(range.begin, range.end - range.begin));
  if (head.find(name) == std::string_view::npos) return std::nullopt;
  Snippet definition = snippet(place, head);
  if (with_members)
    definition.text += members_of(name, place, {range.begin, range.begin + head.size()});
  return definition;
}

// The shortest prefix of `tokens` that is long enough to be a key; empty: there is none.
std::span<const TokenId> SnippetFinder::key_at(std::span<const TokenId> tokens) const {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    bytes += tokenizer_.bytes(tokens[i]).size();
    if (i + 1 >= kKeyTokens && bytes >= kKeyBytes) return tokens.first(i + 1);
  }
  return {};
}

// Each key that the window shares with a text counts by how rare it is.
std::vector<Snippet> SnippetFinder::similar_pieces() {
  std::string_view before = query_.text.substr(0, query_.offset);
  if (before.size() > kWindowBytes) {
    before.remove_prefix(before.size() - kWindowBytes);
    before.remove_prefix(std::min(before.find('\n') + 1, before.size()));
  }
  const std::vector<TokenId> window = tokenizer_.encode(before);
  struct Hit {
    std::size_t token;
    double score;
  };
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Hit>> hits;
  for (std::size_t i = 0; i < window.size(); ++i) {
    const std::span<const TokenId> key = key_at(std::span(window).subspan(i));
    if (key.empty()) break;
    const auto places = index_.occurrences(key, kMaxOccurrences);
    if (places.size() >= kMaxOccurrences) continue;
    const auto bytes = static_cast<double>(tokenizer_.bytes(key.front()).size());
    for (const auto& [text, token] : places)
      hits[{text.part, text.text}].push_back({token, bytes / static_cast<double>(places.size())});
  }
  struct Piece {
    TextPlace place;
    std::size_t token;
    double score;
  };
  std::vector<Piece> pieces;
  for (auto& [text, in_text] : hits) {
    std::ranges::sort(in_text, {}, &Hit::token);
    Piece best{{text.first, text.second}, 0, 0};
    double score = 0;
    for (std::size_t begin = 0, end = 0; end < in_text.size(); ++end) {
      score += in_text[end].score;
      while (in_text[end].token - in_text[begin].token > kPieceTokens)
        score -= in_text[begin++].score;
      if (score > best.score) best = {best.place, in_text[(begin + end) / 2].token, score};
    }
    if (best.score >= kMinScore) pieces.push_back(best);
  }
  std::ranges::stable_sort(pieces, std::greater(), &Piece::score);
  if (pieces.size() > kMaxPieces) pieces.resize(kMaxPieces);
  std::vector<Snippet> found;
  for (const Piece& piece : pieces) {
    if (std::optional<Snippet> cut = piece_at(piece.place, piece.token))
      found.push_back(std::move(*cut));
  }
  return found;
}

// The chunk of a text around one of its tokens.
std::optional<Snippet> SnippetFinder::piece_at(const TextPlace& place, std::size_t token) {
  const std::string& text = text_of(place);
  const std::span<const TokenId> tokens = index_.tokens(place);
  if (token >= tokens.size()) return std::nullopt;
  const std::size_t offset = tokenizer_.decode(tokens.first(token)).size();
  std::vector<Definition> definitions;
  if (const std::optional<SyntaxTree>& tree = tree_of(place)) definitions = tree->definitions();
  for (const ByteRange& chunk : chunks(text, definitions, kPieceBytes)) {
    if (offset < chunk.end)
      return snippet(place, std::string_view(text).substr(chunk.begin, chunk.size()));
  }
  return std::nullopt;
}

}  // namespace

std::string_view beginning_of_definition(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t line = 0; line < kMaxDefinitionLines && end < text.size(); ++line) {
    const std::size_t next = std::min(text.find('\n', end), text.size() - 1) + 1;
    if (next > kMaxDefinitionBytes && end > 0) break;
    end = next;
  }
  return text.substr(0, end);
}

std::vector<Snippet> find_snippets(const IndexSnapshot& index, const Tokenizer& tokenizer,
                                   const SnippetQuery& query) {
  return SnippetFinder(index, tokenizer, query).find();
}

std::vector<Snippet> find_definitions(const IndexSnapshot& index, const Tokenizer& tokenizer,
                                      const SnippetQuery& query,
                                      const std::vector<std::string>& names) {
  return SnippetFinder(index, tokenizer, query).definitions_of(names);
}

}  // namespace redraft
