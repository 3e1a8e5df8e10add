#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "support/byte_range.h"

struct TSTree;

namespace redraft {

struct Grammar;

enum class DefinitionKind : std::uint8_t {
  kFunction,        // methods and constructors too
  kType,            // class, struct, enum, interface, trait
  kImplementation,  // Rust's impl
  kModule,          // namespace, module
  kEntry,           // of data and markup: a key with its value, a table, a rule, an element
  kSection,         // of a text, with its heading
};

// A piece of a file that has a name and belongs together.
struct Definition {
  DefinitionKind kind = DefinitionKind::kFunction;
  ByteRange name;   // empty when it has none
  ByteRange range;  // with decorators, attributes and comments directly above it
  int depth = 0;    // how many definitions are around it
  friend bool operator==(const Definition&, const Definition&) = default;
};

struct SyntaxError {
  ByteRange range;       // what makes no sense there
  bool missing = false;  // empty range: something is expected there
  friend bool operator==(const SyntaxError&, const SyntaxError&) = default;
};

// Parsing gives up where a text would take more.
struct ParseLimits {
  std::size_t text_bytes = std::size_t{4} << 20;
  std::size_t memory_bytes = std::size_t{1} << 30;
  std::chrono::milliseconds time{2000};
  std::stop_token stop = {};
};

// What tree-sitter makes of a text. Any text has a tree in a language that is known: errors are
// part of it. Immutable and cheap to copy; threads may share it. All positions are bytes of text().
//
// Nothing here recurses over the tree: a text of a million brackets is as good as any other.
class SyntaxTree {
 public:
  // By the language ids of LSP ("cpp", "typescriptreact"), and names that editors use besides.
  static bool knows(std::string_view language_id);

  // None when the language is unknown or the text is beyond the limits: treat it as lines then.
  static std::optional<SyntaxTree> parse(std::shared_ptr<const std::string> text,
                                         std::string_view language_id,
                                         const ParseLimits& limits = {});
  // The tree of a changed text: what is the same at both ends is not parsed again.
  std::optional<SyntaxTree> edited(std::shared_ptr<const std::string> text,
                                   const ParseLimits& limits = {}) const;

  const std::string& text() const { return *text_; }

  // The smallest definition at `offset`. A place between the definition's lines and the end of a
  // line counts as the text beside it, a comment or decorator directly above as what it belongs to.
  std::optional<Definition> enclosing_definition(std::size_t offset) const;
  // In the order in which they begin.
  std::vector<Definition> definitions() const;
  // The names that lie within `range`, in order.
  std::vector<ByteRange> identifiers(const ByteRange& range) const;
  // Where the first token of a line begins. Blank lines and lines within a token have none.
  std::vector<std::size_t> line_tokens() const;

  // Whether what is typed at `offset` is part of a comment: within it, or at the end of one that
  // goes on to the end of its line.
  bool in_comment(std::size_t offset) const;

  bool has_errors() const;
  // The outermost ones, in order.
  std::vector<SyntaxError> errors() const;

  // Whether both have the same nodes at the same places.
  bool same_structure(const SyntaxTree& other) const;

 private:
  SyntaxTree(const Grammar& grammar, std::shared_ptr<const std::string> text,
             std::shared_ptr<const TSTree> tree)
      : grammar_(&grammar), text_(std::move(text)), tree_(std::move(tree)) {}

  const Grammar* grammar_;
  std::shared_ptr<const std::string> text_;
  std::shared_ptr<const TSTree> tree_;
};

// Whether a change of the text behind `before` to that behind `after` broke its syntax: there are
// more errors than there were.
bool breaks_syntax(const SyntaxTree& before, const SyntaxTree& after);

}  // namespace redraft
