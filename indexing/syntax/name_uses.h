#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/byte_range.h"

namespace redraft {

// One place of a name.
struct NameUse {
  // How another name is written there.
  enum class Form : std::uint8_t {
    kPlain,
    kShorthand,  // "{name}" becomes "{name: other}"
    kField,      // "{name}" becomes "{other: name}"
    kImported,   // "import name" becomes "import name as other"
    kExported,   // "export name" becomes "export other as name"
  };
  ByteRange range;
  Form form = Form::kPlain;
  bool declares = false;
  // Empty, or for people why it may be something else: "'x' of another object".
  std::string doubt = {};
  friend bool operator==(const NameUse&, const NameUse&) = default;
};

// One thing that has the name: a variable, a function, a type, a member of a type.
struct NamedThing {
  enum class Kind : std::uint8_t {
    kVariable,   // or a function or type within a function
    kParameter,  // of a function
    kOfFile,     // at the file's outermost level: other files may use it
    kImport,     // comes from another file
    kMember,     // of a type: others may use it
  };
  Kind kind = Kind::kVariable;
  ByteRange scope;               // where it is known by its name alone; of a member the file
  std::string owner = {};        // of a member its type, of a parameter its function; may be empty
  int n_functions = 0;           // that it is, where several may have one name
  bool is_shared = false;        // other files declare it, too: TypeScript's "declare global"
  bool overrides = false;        // a member that a type of another file has, too
  bool is_key = false;           // a member that is a key of dictionaries, too: Python's TypedDict
  bool is_of_interface = false;  // a member that types must have that do not say so
  std::vector<NameUse> uses = {};  // ascending
};

// A use of a name by itself that nothing in the file declares.
struct UndeclaredUse {
  ByteRange range;
  bool is_type = false;       // a place where only types are named
  bool is_called = false;     // "name()"
  bool is_qualifier = false;  // "name.member", "name::member"
  bool in_function = false;
  // A type around has members from types that other files may define, or from its own other parts.
  bool may_be_inherited = false;
  friend bool operator==(const UndeclaredUse&, const UndeclaredUse&) = default;
};

// A string that has the name.
struct NameInText {
  enum class Form : std::uint8_t {
    kWhole,  // it is the name and nothing else
    kIndex,  // the same, between the brackets of an index: o["name"]
    kType,   // the same, as a type: TypeScript's Pick<T, "name">
    kPath,   // the name is a part of a path in it: "a.b.name"
  };
  ByteRange range;  // of the name
  Form form = Form::kWhole;
};

// A member of an object whose type the text says, and that the type does not have as far as the
// text says. "x.name" of "var x Box".
struct MissingMember {
  ByteRange range;   // of the name
  std::string type;  // "Box"
};

// What a name means in a file.
struct NameMeanings {
  std::vector<NamedThing> things;
  // Where it is declared elsewhere: by its name alone, and as a member of a type.
  std::vector<ByteRange> unknown, unknown_members;
  std::vector<MissingMember> missing_members;
  // Those of `unknown` where the name means one thing that something has to declare.
  std::vector<UndeclaredUse> undeclared;
  std::vector<ByteRange> in_comments;  // and in texts that document
  std::vector<NameInText> as_text;
};

}  // namespace redraft
