// What a call has to be when the parameters of what it calls have changed.
//
// An example: "def load(path, mode)" became "def load(mode, path, *, strict=False)".
//
//   load(name, "r")            load("r", name)              the arguments of kept parameters follow
//   load(name, mode="r")       load(path=name, mode="r")    by name where the place would be wrong
//   load(*both)                                             there is no telling: it stays
//
// Had "strict" no default, the tree could not know what to give: the model writes such a call, and
// is_sound() holds it to the same rules.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/signatures.h"

namespace redraft {

struct SignatureChange {
  Signature before, after;
  // For each parameter of `after` its place in `before`; -1: it is new.
  std::vector<int> was;
};

// None if calls need not follow, or there is no telling which parameter is which.
std::optional<SignatureChange> signature_change(const Signature& before, const Signature& after,
                                                const CallStyle& style);

// False if the call agrees with the parameters as they are, or was wrong before, or there is no
// telling. `is_old`: it was written for the parameters as they were.
bool has_to_follow(const SignatureChange& change, const Call& call, bool is_old,
                   const CallStyle& style);

// The arguments, with their brackets, of a call that has to follow. `text_of` is the text of a part
// of the call as it is going to be. None if it takes more than the tree knows: a value for a new
// parameter, whether that is what had another one, or an argument whose evaluation does something
// goes, or is evaluated before another such.
std::optional<std::string> rewritten(const SignatureChange& change, const Call& call,
                                     const CallStyle& style,
                                     const std::function<std::string(ByteRange)>& text_of);

// Whether `after` is what `before`, a call that has to follow, may have become: it agrees, and its
// arguments for kept parameters are the same. The texts are those in which the calls stand.
bool is_sound(const SignatureChange& change, const Call& before, std::string_view text_before,
              const Call& after, std::string_view text_after, const CallStyle& style);

}  // namespace redraft
