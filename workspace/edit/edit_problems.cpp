#include "workspace/edit/edit_problems.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "indexing/syntax/name_uses.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "workspace/snippets/snippets.h"

namespace redraft {
namespace {

constexpr std::size_t kMaxNames = 24;

class Names {
 public:
  void add(std::string_view name) {
    const bool is_name =
        !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0;
    if (is_name && names_.size() < kMaxNames && std::ranges::find(names_, name) == names_.end())
      names_.emplace_back(name);
  }

  // Those between quotes: "'get' of `Store` is not ...". An apostrophe ends no word.
  void add_quoted(std::string_view message) {
    constexpr std::string_view kQuotes = "'\"`";
    std::size_t at = 0;
    while ((at = message.find_first_of(kQuotes, at)) != message.npos) {
      const bool begins = at == 0 || !is_name_byte(message[at - 1]);
      const std::size_t end = begins ? message.find(message[at], at + 1) : message.npos;
      if (end == message.npos) {
        ++at;
        continue;
      }
      for_each_name(message.substr(at + 1, end - at - 1),
                    [&](std::string_view name) { add(name); });
      at = end + 1;
    }
  }

  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::vector<std::string> names_;
};

bool is_variable(const SyntaxTree& tree, const std::string& name) {
  const std::optional<NameMeanings> meanings = tree.meanings_of(name);
  return meanings && std::ranges::any_of(meanings->things, [](const NamedThing& thing) {
           return thing.kind == NamedThing::Kind::kVariable ||
                  thing.kind == NamedThing::Kind::kParameter;
         });
}

// Those of `names` of which the document itself does not say what they are.
std::vector<std::string> foreign_among(const std::vector<std::string>& names,
                                       const Document& document) {
  const SyntaxTree* tree = document.syntax();
  if (tree == nullptr) return names;
  const std::string_view text = document.text();
  const std::vector<Definition> definitions = tree->definitions();
  std::vector<std::string> foreign;
  for (const std::string& name : names) {
    const bool is_defined = std::ranges::any_of(definitions, [&](const Definition& definition) {
      return text.substr(definition.name.begin, definition.name.size()) == name;
    });
    if (!is_defined && !is_variable(*tree, name)) foreign.push_back(name);
  }
  return foreign;
}

// Its first lines that fit.
std::string beginning_of(const std::string& text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  return text.substr(0, line_start(text, max_bytes));
}

}  // namespace

std::vector<std::string> names_in_problems(const EditRequest& request) {
  Names names;
  const std::string_view text = request.document->text();
  const SyntaxTree* tree = request.problems.empty() ? nullptr : request.document->syntax();
  for (const EditProblem& problem : request.problems) names.add_quoted(problem.message);
  for (const bool whole : {false, true}) {
    for (const EditProblem& problem : request.problems) {
      if (tree == nullptr) break;
      const ByteRange range = whole ? whole_lines(text, problem.range) : problem.range;
      for (const ByteRange& name : tree->identifiers(range))
        names.add(text.substr(name.begin, name.size()));
    }
  }
  if (tree == nullptr) return names.take();
  std::unordered_set<std::string_view> mentioned;
  for (const EditProblem& problem : request.problems)
    for_each_name(problem.message, [&](std::string_view name) { mentioned.insert(name); });
  for (const ByteRange& range : tree->identifiers({0, text.size()})) {
    const std::string_view name = text.substr(range.begin, range.size());
    if (mentioned.contains(name)) names.add(name);
  }
  return names.take();
}

std::vector<ForeignDefinition> definitions_elsewhere(const EditRequest& request,
                                                     const Tokenizer& tokenizer,
                                                     const std::vector<std::string>& names,
                                                     std::size_t context_bytes) {
  if (!request.definitions || names.empty()) return {};
  const std::vector<std::string> foreign = foreign_among(names, *request.document);
  const SnippetQuery query{.text = request.document->text(), .tree = request.document->syntax()};
  std::vector<ForeignDefinition> all;
  std::size_t left = context_bytes / 2;
  for (const Snippet& snippet : find_definitions(*request.definitions, tokenizer, query, foreign)) {
    const bool is_shown = std::ranges::any_of(all, [&](const ForeignDefinition& shown) {
      return shown.text.find(snippet.text) != std::string::npos;
    });
    if (is_shown) continue;
    std::string title = "In " + std::filesystem::path(snippet.file).filename().string() + ":\n";
    if (title.size() >= left) break;
    std::string text = beginning_of(snippet.text, left - title.size());
    if (text.empty()) continue;
    left -= title.size() + text.size();
    all.push_back({std::move(title), std::move(text)});
  }
  return all;
}

std::optional<UnknownName> unknown_name_in_problems(const EditRequest& request,
                                                    std::string_view elsewhere) {
  const std::string_view text = request.document->text();
  const SyntaxTree* tree = elsewhere.empty() ? nullptr : request.document->syntax();
  if (tree == nullptr) return {};
  for (const EditProblem& problem : request.problems) {
    for (const ByteRange& place : tree->identifiers(whole_lines(text, problem.range))) {
      const std::string name(text.substr(place.begin, place.size()));
      const bool is_meant = has_name(problem.message, name) && !has_name(elsewhere, name);
      if (is_meant && !foreign_among({name}, *request.document).empty())
        return UnknownName{name, place};
    }
  }
  return {};
}

}  // namespace redraft
