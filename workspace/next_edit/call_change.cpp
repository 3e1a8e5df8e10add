#include "workspace/next_edit/call_change.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "text/strings/text_lines.h"

namespace redraft {
namespace {

using Kind = Parameter::Kind;

bool takes_several(const Parameter& parameter) {
  return parameter.kind == Kind::kRest || parameter.kind == Kind::kNamedRest;
}

// The argument that each parameter gets; -1: none.
struct Binding {
  std::vector<int> arguments;
  std::vector<int> rest, named_rest;  // arguments of parameters that take several
};

int index_of(const std::vector<Parameter>& parameters, std::string_view name) {
  const auto found = std::ranges::find_if(parameters, [&](const Parameter& parameter) {
    const bool takes_names = parameter.kind == Kind::kPlain || parameter.kind == Kind::kByName;
    return takes_names && parameter.name == name;
  });
  return found == parameters.end() ? -1 : static_cast<int>(found - parameters.begin());
}

bool has_kind(const std::vector<Parameter>& parameters, Kind kind) {
  return std::ranges::any_of(parameters,
                             [&](const Parameter& parameter) { return parameter.kind == kind; });
}

// Whether each parameter has an argument, or needs none.
bool is_complete(const std::vector<Parameter>& parameters, const Binding& binding) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool may_be_left_out = takes_several(parameters[i]) || parameters[i].is_optional;
    if (!may_be_left_out && binding.arguments[i] < 0) return false;
  }
  return true;
}

// A block behind the brackets is for the last parameter. False: that has an argument.
bool bind_block(int argument, Binding& binding) {
  if (binding.arguments.empty() || binding.arguments.back() >= 0) return false;
  binding.arguments.back() = argument;
  return true;
}

// For languages with labels: the parameters from `place` on that may take argument(i) of the call.
// Returns the size of `parameters` if none may.
std::size_t place_with_label(const std::vector<Parameter>& parameters, std::size_t place,
                             const Argument& argument) {
  for (; place < parameters.size(); ++place) {
    const Parameter& parameter = parameters[place];
    const std::string_view label =
        parameter.kind == Kind::kByPlace ? std::string_view() : parameter.name;
    if (label == argument.name) return place;
    if (!takes_several(parameter) && !parameter.is_optional) break;
  }
  return parameters.size();
}

std::optional<Binding> bound_by_labels(const std::vector<Parameter>& parameters, const Call& call,
                                       Binding binding) {
  std::size_t place = 0;
  for (int i = 0; i < std::ssize(call.all); ++i) {
    const Argument& argument = call.all[static_cast<std::size_t>(i)];
    if (argument.is_spread) return std::nullopt;
    if (argument.is_behind) {
      if (!bind_block(i, binding)) return std::nullopt;
      continue;
    }
    if (!binding.rest.empty() && argument.name.empty() && binding.rest.back() == i - 1) {
      binding.rest.push_back(i);
      continue;
    }
    place = place_with_label(parameters, place, argument);
    if (place == parameters.size()) return std::nullopt;
    if (parameters[place].kind == Kind::kRest)
      binding.rest.push_back(i);
    else
      binding.arguments[place] = i;
    ++place;
  }
  return is_complete(parameters, binding) ? std::optional(std::move(binding)) : std::nullopt;
}

// nullopt if the call is wrong, or if the matching is unknown.
std::optional<Binding> bound_to(const std::vector<Parameter>& parameters, const Call& call,
                                const CallStyle& style) {
  Binding binding{
      .arguments = std::vector<int>(parameters.size(), -1), .rest = {}, .named_rest = {}};
  if (style.has_labels) return bound_by_labels(parameters, call, std::move(binding));
  std::size_t place = 0;
  for (int i = 0; i < std::ssize(call.all); ++i) {
    const Argument& argument = call.all[static_cast<std::size_t>(i)];
    if (argument.is_spread) return std::nullopt;
    if (argument.is_behind) {
      if (!bind_block(i, binding)) return std::nullopt;
      continue;
    }
    if (!argument.name.empty()) {
      const int index = index_of(parameters, argument.name);
      if (index < 0 && !has_kind(parameters, Kind::kNamedRest)) return std::nullopt;
      if (index < 0) {
        binding.named_rest.push_back(i);
        continue;
      }
      int& at = binding.arguments[static_cast<std::size_t>(index)];
      if (at >= 0) return std::nullopt;
      at = i;
      continue;
    }
    if (place == parameters.size()) return std::nullopt;
    const Kind kind = parameters[place].kind;
    if (kind == Kind::kRest) {
      binding.rest.push_back(i);
    } else if (kind == Kind::kPlain || kind == Kind::kByPlace) {
      if (binding.arguments[place] >= 0) return std::nullopt;
      binding.arguments[place++] = i;
    } else {
      return std::nullopt;
    }
  }
  const bool is_right = style.may_lack || is_complete(parameters, binding);
  return is_right ? std::optional(std::move(binding)) : std::nullopt;
}

// Whether `now` gives each parameter the argument that `then` gave it, and each new required
// parameter some argument. A new parameter that takes all the rest may get anything.
template <typename Same>
bool gives_the_same(const SignatureChange& change, const Binding& then, const Binding& now,
                    const Same& same) {
  for (std::size_t i = 0; i < change.was.size(); ++i) {
    const Parameter& parameter = change.after.all[i];
    if (takes_several(parameter)) continue;
    const int was = change.was[i];
    const int before = was < 0 ? -1 : then.arguments[static_cast<std::size_t>(was)];
    const int after = now.arguments[i];
    if (was < 0 ? after < 0 && !parameter.is_optional : before >= 0 && after < 0) return false;
    if (before >= 0 && !same(before, after)) return false;
    if (was >= 0 && before < 0 && after >= 0 && parameter.is_optional) return false;
  }
  const auto is_kept = [&](Kind kind, const std::vector<int>& before,
                           const std::vector<int>& after) {
    return !has_kind(change.before.all, kind) || std::ranges::equal(before, after, same);
  };
  return is_kept(Kind::kRest, then.rest, now.rest) &&
         is_kept(Kind::kNamedRest, then.named_rest, now.named_rest);
}

// Whether a new parameter gets the argument of another one.
bool gives_another(const SignatureChange& change, const Binding& then, const Binding& now) {
  for (std::size_t i = 0; i < change.was.size(); ++i) {
    const int argument = change.was[i] < 0 ? now.arguments[i] : -1;
    if (argument >= 0 && std::ranges::find(then.arguments, argument) != then.arguments.end())
      return true;
  }
  return false;
}

// The text without blanks, except those in quotes.
std::string squeezed(std::string_view text, const ByteRange& range) {
  std::string result;
  char quote = 0;
  for (std::size_t at = range.begin; at < range.end; ++at) {
    const char byte = text[at];
    if (quote != 0 && byte == '\\' && at + 1 < range.end) {
      result += byte;
      result += text[++at];
      continue;
    }
    if (quote != 0 || !is_space(byte)) result += byte;
    if (quote == byte)
      quote = 0;
    else if (quote == 0 && std::string_view("'\"`").find(byte) != std::string_view::npos)
      quote = byte;
  }
  return result;
}

// The arguments of a call in their new order.
class Rewriting {
 public:
  Rewriting(const SignatureChange& change, const Call& call, const CallStyle& style,
            const std::function<std::string(ByteRange)>& text_of)
      : change_(change), call_(call), style_(style), text_of_(text_of) {}

  std::optional<std::string> run() {
    const std::optional<Binding> then = bound_to(change_.before.all, call_, style_);
    if (!then || call_.is_odd || !place(*then) || !can_drop()) return std::nullopt;
    std::ranges::stable_sort(named_, {}, &Placed::index);
    std::ranges::move(named_, std::back_inserter(in_order_));
    return keeps_effects_in_order() ? std::optional(joined()) : std::nullopt;
  }

 private:
  struct Placed {
    int index;  // index of the argument in the old call
    std::string text;
  };

  const Argument& argument(int index) const { return call_.all[static_cast<std::size_t>(index)]; }
  void keep(int index) { kept_[static_cast<std::size_t>(index)] = true; }
  void add_in_order(int index) {
    keep(index);
    in_order_.push_back({index, text_of_(argument(index).range)});
  }

  bool place(const Binding& then) {
    for (std::size_t i = 0; i < change_.was.size(); ++i) {
      const Parameter& parameter = change_.after.all[i];
      const int was = change_.was[i];
      if (parameter.kind == Kind::kRest) {
        if (was >= 0 && !place_rest(then.rest)) return false;
      } else if (parameter.kind == Kind::kNamedRest) {
        for (const int index : was < 0 ? std::vector<int>() : then.named_rest)
          add_named(index, argument(index).name);
      } else {
        const int index = was < 0 ? -1 : then.arguments[static_cast<std::size_t>(was)];
        if (!place_one(parameter, index, was >= 0)) return false;
      }
    }
    return true;
  }

  bool place_rest(const std::vector<int>& rest) {
    if (is_gap_ && !style_.has_labels && !rest.empty()) return false;
    for (const int index : rest) add_in_order(index);
    return true;
  }

  // Places argument(index) for `parameter`; -1: it gets none.
  bool place_one(const Parameter& parameter, int index, bool was_there) {
    if (index < 0) {
      is_gap_ = true;
      return parameter.is_optional || (was_there && style_.may_lack);
    }
    const bool is_named = !argument(index).name.empty();
    const bool has_to_be = parameter.kind == Kind::kByName || (is_gap_ && !style_.has_labels);
    if (style_.has_labels && parameter.kind == Kind::kByPlace) {
      keep(index);
      in_order_.push_back({index, text_of_(argument(index).value)});
      return true;
    }
    if (!is_named && !has_to_be) {
      add_in_order(index);
      return true;
    }
    const bool can_be = !style_.name_mark.empty() && parameter.kind != Kind::kByPlace;
    if (!can_be) return false;
    add_named(index, parameter.name);
    is_gap_ = true;
    return true;
  }

  void add_named(int index, const std::string& name) {
    keep(index);
    const Argument& each = argument(index);
    const std::string text = each.name == name
                                 ? text_of_(each.range)
                                 : name + std::string(style_.name_mark) + text_of_(each.value);
    (style_.has_labels ? in_order_ : named_).push_back({index, text});
  }

  // Whether arguments without a parameter can be dropped. False: one has effects, or may belong to
  // a new parameter.
  bool can_drop() const {
    const bool is_any_new = std::ranges::find(change_.was, -1) != change_.was.end();
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (!kept_[i] && (is_any_new || call_.all[i].has_effects)) return false;
    }
    return true;
  }

  // Arguments are evaluated in the order in which they are written.
  bool keeps_effects_in_order() const {
    int last = -1;
    for (const Placed& placed : in_order_) {
      if (!argument(placed.index).has_effects) continue;
      if (placed.index < last) return false;
      last = placed.index;
    }
    return true;
  }

  // The arguments at the positions of the kept ones, with the text between those.
  std::string joined() const {
    const std::vector<Argument>& all = call_.all;
    if (all.empty() || in_order_.empty()) return "()";
    std::string text = text_of_({call_.arguments.begin, all.front().range.begin});
    std::size_t n_written = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!kept_[i]) continue;
      if (n_written > 0) text += text_of_({all[i - 1].range.end, all[i].range.begin});
      text += in_order_[n_written++].text;
    }
    return text + text_of_({all.back().range.end, call_.arguments.end});
  }

  const SignatureChange& change_;
  const Call& call_;
  const CallStyle& style_;
  const std::function<std::string(ByteRange)>& text_of_;
  std::vector<bool> kept_ = std::vector<bool>(call_.all.size(), false);
  std::vector<Placed> in_order_, named_;
  bool is_gap_ = false;  // whether the next argument has to be named
};

// The index of `parameter` among `parameters`; -1: none.
int place_of(const Parameter& parameter, const std::vector<Parameter>& parameters) {
  const auto found = std::ranges::find_if(parameters, [&](const Parameter& other) {
    return takes_several(parameter) || takes_several(other) ? parameter.kind == other.kind
                                                            : parameter.name == other.name;
  });
  return found == parameters.end() ? -1 : static_cast<int>(found - parameters.begin());
}

// Whether each parameter can be told from the others.
bool are_distinct(const std::vector<Parameter>& parameters) {
  for (int i = 0; i < std::ssize(parameters); ++i) {
    const Parameter& parameter = parameters[static_cast<std::size_t>(i)];
    const bool has_name = takes_several(parameter) || !parameter.name.empty();
    if (!has_name || place_of(parameter, parameters) != i) return false;
  }
  return true;
}

// Whether the parameters are the same, in any order.
bool are_the_same(const SignatureChange& change) {
  return change.was.size() == change.before.all.size() &&
         std::ranges::find(change.was, -1) == change.was.end();
}

bool is_same_place_renamed(const std::vector<int>& was, std::size_t i, const Signature& before,
                           const Signature& after) {
  const bool is_taken = std::ranges::find(was, static_cast<int>(i)) != was.end();
  const Parameter &then = before.all[i], &now = after.all[i];
  const bool is_other = !then.type.empty() && !now.type.empty() && then.type != now.type;
  return was[i] < 0 && !is_taken && then.kind == now.kind && !is_other;
}

}  // namespace

std::optional<SignatureChange> signature_change(const Signature& before, const Signature& after,
                                                const CallStyle& style) {
  if (before.all == after.all || before.receiver != after.receiver) return std::nullopt;
  SignatureChange change{.before = before, .after = after, .was = {}};
  const std::vector<Parameter>& then = before.all;
  if (!are_distinct(then) || !are_distinct(after.all)) return std::nullopt;
  for (const Parameter& parameter : after.all) change.was.push_back(place_of(parameter, then));
  if (then.size() == after.all.size()) {
    for (std::size_t i = 0; i < then.size(); ++i) {
      if (is_same_place_renamed(change.was, i, before, after)) change.was[i] = static_cast<int>(i);
    }
  }
  // Only names changed that no call has: no call becomes wrong.
  bool is_alike = then.size() == after.all.size();
  for (std::size_t i = 0; i < change.was.size() && is_alike; ++i) {
    const Parameter &was = then[i], &now = after.all[i];
    const bool has_name = !style.name_mark.empty() && now.kind != Kind::kByPlace;
    is_alike = change.was[i] == static_cast<int>(i) && was.kind == now.kind &&
               was.is_optional == now.is_optional && (was.name == now.name || !has_name);
  }
  return is_alike ? std::nullopt : std::optional(std::move(change));
}

bool has_to_follow(const SignatureChange& change, const Call& call, bool is_old,
                   const CallStyle& style) {
  const std::optional<Binding> then = bound_to(change.before.all, call, style);
  if (!then) return false;
  const std::optional<Binding> now = bound_to(change.after.all, call, style);
  if (!now) return true;
  // Python's "**more" takes arguments without a parameter.
  const bool has_more = !then->named_rest.empty() || !now->named_rest.empty();
  if (has_more && !are_the_same(change)) return false;
  const auto is_same = [](int before, int after) { return before == after; };
  return is_old &&
         (gives_another(change, *then, *now) || !gives_the_same(change, *then, *now, is_same));
}

std::optional<std::string> rewritten(const SignatureChange& change, const Call& call,
                                     const CallStyle& style,
                                     const std::function<std::string(ByteRange)>& text_of) {
  return Rewriting(change, call, style, text_of).run();
}

bool is_sound(const SignatureChange& change, const Call& before, std::string_view text_before,
              const Call& after, std::string_view text_after, const CallStyle& style) {
  if (after.is_odd && !before.is_odd) return false;
  const std::optional<Binding> then = bound_to(change.before.all, before, style);
  const std::optional<Binding> now = bound_to(change.after.all, after, style);
  if (!then || !now) return false;
  return gives_the_same(change, *then, *now, [&](int old_index, int new_index) {
    const ByteRange& old_value = before.all[static_cast<std::size_t>(old_index)].value;
    const ByteRange& new_value = after.all[static_cast<std::size_t>(new_index)].value;
    return squeezed(text_before, old_value) == squeezed(text_after, new_value);
  });
}

}  // namespace redraft
