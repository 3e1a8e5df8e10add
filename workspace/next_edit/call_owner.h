#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/imports.h"
#include "indexing/syntax/name_uses.h"
#include "indexing/syntax/signatures.h"
#include "workspace/documents/document.h"
#include "workspace/next_edit/import_source.h"

namespace redraft {

// family_of() the language of the document: languages of one family call each other's functions.
std::string language_family(const Document& document);

// Null if the language is unknown, or the text is too large to compare.
const SyntaxTree* tree_to_compare(const Document& document);

// Calls of anything with the function's name, with the arguments for its parameters.
std::vector<Call> calls_of(const SyntaxTree& tree, const Signature& function);

// Decides whether calls in a document are calls of one function.
class CallOwner {
 public:
  enum class Is {
    kAnother,
    kPerhaps,  // a member of that name, of an object whose type is unknown
    kCertain,
  };

  // `home` is the document that has the function, `tree` the tree of `document`. All of them
  // outlive this.
  CallOwner(const Document& home, const Signature& function, const Document& document,
            const SyntaxTree& tree);

  Is of(const Call& call) const;

 private:
  Is by_name(const Call& call) const;
  static bool has(const NamedThing& thing, const ByteRange& range);
  Is at_home(const NamedThing& thing, const NameUse& use, const Call& call) const;
  bool is_several(const NamedThing& thing) const;
  Is elsewhere(const NamedThing& thing, const NameUse& use) const;
  Is by_name_alone(const Call& call) const;
  bool is_static() const;
  bool is_same_folder() const;
  Is by_receiver(const Call& call) const;
  Is of_type(const Call& call) const;
  Is of_module(const Call& call) const;
  Is imported() const;
  // The statement that imports `thing`; empty: none.
  std::string_view import_of(const NamedThing& thing) const;
  // The same for the name at `begin`; empty: the document itself declares it. nullopt: the name is
  // unknown.
  std::optional<std::string_view> import_of(std::string_view name, std::size_t begin) const;
  std::string_view text_of(const ByteRange& range) const;

  const Document& home_;
  const Signature& signature_;
  const Document& document_;
  const SyntaxTree& tree_;
  ModuleSystem modules_;
  bool is_home_;
  ImportReader reader_;
  std::optional<NameMeanings> meanings_;
  std::vector<Signature> signatures_;  // of the function's document
  Imports imports_;
};

}  // namespace redraft
