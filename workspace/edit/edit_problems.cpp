#include "workspace/edit/edit_problems.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>

#include "indexing/syntax/name_uses.h"
#include "indexing/syntax/text_lines.h"
#include "support/names.h"
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
      add_words(message.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }

  std::vector<std::string> take() { return std::move(names_); }

 private:
  void add_words(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      std::size_t end = begin;
      while (end < text.size() && is_name_byte(text[end])) ++end;
      add(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }

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
  return names.take();
}

std::string definitions_elsewhere(const EditRequest& request, const Tokenizer& tokenizer,
                                  const std::vector<std::string>& names, std::size_t max_bytes) {
  if (!request.definitions || names.empty()) return {};
  const std::vector<std::string> foreign = foreign_among(names, *request.document);
  const SnippetQuery query{.text = request.document->text(), .tree = request.document->syntax()};
  std::string all;
  for (const Snippet& snippet : find_definitions(*request.definitions, tokenizer, query, foreign)) {
    if (all.find(snippet.text) != std::string::npos) continue;
    const std::string title =
        "In " + std::filesystem::path(snippet.file).filename().string() + ":\n";
    if (all.size() + title.size() >= max_bytes) break;
    const std::string text = beginning_of(snippet.text, max_bytes - all.size() - title.size());
    if (!text.empty()) all += title + text;
  }
  return all;
}

}  // namespace redraft
