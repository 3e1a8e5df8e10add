// How a call must change when the parameters of the called function changed.
//
// An example: "def load(path, mode)" became "def load(mode, path, *, strict=False)".
//
//   load(name, "r")            load("r", name)              arguments of kept parameters move
//   load(name, mode="r")       load(path=name, mode="r")    by name where the position is wrong
//   load(*both)                                             unknown: it stays
//
// If "strict" had no default, the tree could not know the argument: the model writes such a call,
// and is_sound() applies the same rules to it.
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
  // For each parameter of `after`, its index in `before`; -1: it is new.
  std::vector<int> was;
};

// nullopt if calls need not change, or if the parameters cannot be matched.
std::optional<SignatureChange> signature_change(const Signature& before, const Signature& after,
                                                const CallStyle& style);

// False if the call agrees with the current parameters, was wrong before, or cannot be judged.
// `is_old`: it was written for the old parameters.
bool has_to_follow(const SignatureChange& change, const Call& call, bool is_old,
                   const CallStyle& style);

// The new arguments, with their brackets, of a call that has to change. `text_of` returns the new
// text of a part of the call. nullopt if the tree does not know enough: it needs a value for a new
// parameter, the new parameter may be another one renamed, or an argument whose evaluation has
// effects would be dropped or reordered.
std::optional<std::string> rewritten(const SignatureChange& change, const Call& call,
                                     const CallStyle& style,
                                     const std::function<std::string(ByteRange)>& text_of);

// Whether `after` is a valid update of `before`, a call that has to change: it agrees with the
// parameters, and its arguments for kept parameters are the same. The texts are those that contain
// the calls.
bool is_sound(const SignatureChange& change, const Call& before, std::string_view text_before,
              const Call& after, std::string_view text_after, const CallStyle& style);

}  // namespace redraft
