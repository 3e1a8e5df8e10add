#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "languages/signature_types.h"
#include "support/byte_range.h"

namespace redraft {

struct Parameter {
  enum class Kind : std::uint8_t {
    kPlain,
    kByPlace,    // a call cannot name it: Python's "a, /"
    kByName,     // a call has to name it: Python's "*, a"
    kRest,       // takes all further arguments
    kNamedRest,  // takes all further named arguments
  };
  Kind kind = Kind::kPlain;
  std::string name;  // of a pattern its text; empty: it has none
  bool is_optional = false;
  std::string type = {};  // as it is written, without blanks; may be empty
};

// Whether calls are the same for both: whatever their types are.
inline bool operator==(const Parameter& a, const Parameter& b) {
  return a.kind == b.kind && a.name == b.name && a.is_optional == b.is_optional;
}

// A function and what has to be given to it.
struct Signature {
  enum class Receiver : std::uint8_t {
    kNone,
    kObject,  // what stands before the dot of a call is given, too
    kType,    // the same, and that may be the type itself: Python's class methods
  };
  std::string path;      // "Server.start"
  std::string name;      // by which it is called: a constructor has that of its type
  std::string owner;     // the type of a method; may be empty
  ByteRange declared;    // where that name is declared
  ByteRange head;        // its own name and its parameters
  ByteRange parameters;  // with their brackets
  Receiver receiver = Receiver::kNone;
  bool is_member = false;           // of a type; a constructor is none
  bool is_wrapped = false;          // what is called may be another function: Python's decorators
  std::vector<Parameter> all = {};  // without a receiver
};

// A call whose values are taken by more or fewer names than the function of this file returns.
struct ResultMismatch {
  ByteRange function, call;  // the name that is called, and the whole call
  int n_returned = 0, n_taken = 0;
};

struct Argument {
  ByteRange range;
  ByteRange value;           // of "name=value" what it gives
  std::string name;          // empty: it has none
  bool is_spread = false;    // several, as "*them"
  bool has_effects = false;  // to leave it out would leave out more than a value
  bool is_behind = false;    // a block behind the brackets: it is for the last parameter
};

struct Call {
  ByteRange name;  // by which it calls
  ByteRange range;
  ByteRange arguments;   // with their brackets; empty if there are none
  std::string receiver;  // what stands before the name: "self" of "self.f()"; may be empty
  bool is_odd = false;   // there are comments or errors between its arguments, or a block behind
  std::vector<Argument> all = {};
};

}  // namespace redraft
