#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/name_uses.h"
#include "indexing/syntax/signatures.h"
#include "workspace/documents/document.h"

namespace redraft {

// Languages that call each other's functions have one family.
std::string language_family(const Document& document);

// "c" of "a.b().c".
std::string_view last_name(std::string_view text);

// Whether calls in a document are of one function.
class CallOwner {
 public:
  enum class Is {
    kAnother,
    kPerhaps,  // it is a member of that name, of something whose type is not known
    kCertain,
  };

  // `home` is the document that has the function, `tree` that of `document`. All of it outlives
  // this.
  CallOwner(const Document& home, const Signature& function, const Document& document,
            const SyntaxTree& tree);

  Is of(const Call& call) const;

 private:
  static bool has(const NamedThing& thing, const ByteRange& range);
  Is at_home(const NamedThing& thing, const NameUse& use, const Call& call) const;
  bool is_several(const NamedThing& thing) const;
  Is elsewhere(const NamedThing& thing, const NameUse& use) const;
  std::string module() const;
  bool is_in_import(const ByteRange& range) const;
  bool is_imported(std::string_view name) const;
  std::string_view text_of(const ByteRange& range) const;
  Is by_name_alone(const Call& call) const;
  bool is_static() const;
  Is by_receiver(const Call& call) const;

  const Document& home_;
  const Signature& signature_;
  const Document& document_;
  const SyntaxTree& tree_;
  bool is_home_;
  std::optional<NameMeanings> meanings_;
  std::vector<Signature> signatures_;  // of the function's document
};

}  // namespace redraft
