#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/imports.h"
#include "indexing/syntax/name_uses.h"
#include "indexing/syntax/signatures.h"
#include "workspace/documents/document.h"
#include "workspace/edit/import_source.h"

namespace redraft {

// family_of() the language of the document: languages of one family call each other's functions.
std::string language_family(const Document& document);

// Null if the language is unknown, or the text is too large to compare.
const SyntaxTree* tree_to_compare(const Document& document);

// Calls of anything with the function's name, with the arguments for its parameters.
std::vector<Call> calls_of(const SyntaxTree& tree, const Signature& function);

// Decides whether calls in a document are calls of one function.
//
// Where the document declares or imports the called name, the syntax tree and the import statement
// decide. Otherwise the rules of the language's module system do: a Go function is known in its
// whole folder, a C function wherever its header is included.
class CallOwner {
 public:
  enum class Match {
    kNone,     // it calls something else
    kPerhaps,  // such as a member of that name, of an object whose type is unknown
    kCertain,
  };

  // `home` is the document that has the function, `tree` the tree of `document`. All of them
  // outlive this.
  CallOwner(const Document& home, const Signature& function, const Document& document,
            const SyntaxTree& tree);

  Match match(const Call& call) const;

 private:
  // Where a document has a name from.
  struct NameOrigin {
    enum class Kind {
      kUnknown,
      kDocument,  // the document itself declares it
      kImport,
    };
    Kind kind = Kind::kUnknown;
    std::string_view import = {};  // the statement
  };

  Match by_meaning(const Call& call) const;
  Match in_home(const NamedThing& thing, const NameUse& use, const Call& call) const;
  Match in_other_document(const NamedThing& thing, const NameUse& use) const;
  Match by_undeclared_name(const Call& call) const;
  Match by_receiver(const Call& call) const;
  Match by_type(const Call& call) const;
  Match by_module(const Call& call) const;
  Match by_namespace(const Call& call) const;
  Match by_rust_path(const Call& call) const;
  Match by_includes() const;
  Match by_imports() const;
  bool has_variants(const NamedThing& thing) const;
  bool is_static() const;
  bool is_same_folder() const;
  NameOrigin origin_of(std::string_view name, std::size_t begin) const;
  NameOrigin origin_of(const NamedThing& thing) const;
  std::string_view text_of(const ByteRange& range) const;

  const Document& home_;
  const Signature& signature_;
  const Document& document_;
  const SyntaxTree& tree_;
  ModuleSystem modules_;
  bool is_home_;
  ImportReader reader_;
  std::optional<NameMeanings> meanings_;  // of the function's name in the document
  std::vector<Signature> signatures_;     // of the document, if it is the function's
  Imports imports_;                       // of the document, if it is another one
};

}  // namespace redraft
