#include "workspace/next_edit/call_verdict.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/name_uses.h"
#include "text/strings/text_lines.h"
#include "workspace/next_edit/call_owner.h"

namespace redraft {
namespace {

std::string_view text_of(const SyntaxTree& tree, const ByteRange& range) {
  return std::string_view(tree.text()).substr(range.begin, range.size());
}

// The text without the arguments of calls, and without blanks within lines.
std::string without_arguments(std::string_view text, const ByteRange& within,
                              const std::vector<ByteRange>& arguments) {
  std::string rest;
  bool begins_line = true;
  for (std::size_t at = within.begin; at < within.end; ++at) {
    const bool is_in =
        std::ranges::any_of(arguments, [&](const ByteRange& range) { return range.contains(at); });
    if (is_in) continue;
    begins_line = text[at] == '\n' || (begins_line && is_blank(text[at]));
    if (begins_line || !is_space(text[at])) rest += text[at];
  }
  return rest;
}

std::vector<Call> calls_within(const SyntaxTree& tree, const Signature& signature,
                               const ByteRange& range) {
  std::vector<Call> calls = calls_of(tree, signature);
  std::erase_if(calls, [&](const Call& call) {
    return call.range.end <= range.begin || range.end <= call.range.begin;
  });
  return calls;
}

// The effect of an edit on the calls of one function.
class Comparison {
 public:
  Comparison(const SyntaxTree& before, const SyntaxTree& after, const TextEdit& edit)
      : before_(before),
        after_(after),
        old_range_(edit.range),
        new_range_{edit.range.begin, edit.range.begin + edit.new_text.size()} {}

  CallVerdict of(const ChangedFunction& function, const std::vector<const FoundCall*>& found) {
    const Signature& signature = function.change.after;
    const std::vector<Call> then = calls_within(before_, signature, old_range_);
    const std::vector<Call> now = calls_within(after_, signature, new_range_);
    const auto found_at = [&](const Call& call) {
      const auto it = std::ranges::find_if(
          found, [&](const FoundCall* each) { return each->call.range == call.range; });
      return it == found.end() ? nullptr : *it;
    };
    if (then.size() != now.size())
      return std::ranges::any_of(then, found_at) ? CallVerdict::kUnsound : CallVerdict::kNothing;
    CallVerdict verdict = CallVerdict::kNothing;
    for (std::size_t i = 0; i < then.size(); ++i) {
      const CallVerdict each = of_call(function.change, then[i], now[i], found_at(then[i]));
      if (each == CallVerdict::kUnsound) return each;
      if (each == CallVerdict::kSound) verdict = each;
    }
    return verdict;
  }

  bool is_same_beside_calls() const {
    return without_arguments(before_.text(), old_range_, old_arguments_) ==
           without_arguments(after_.text(), new_range_, new_arguments_);
  }

 private:
  // `found`: what is known about the call; null: it calls something else.
  CallVerdict of_call(const SignatureChange& change, const Call& then, const Call& now,
                      const FoundCall* found) {
    if (text_of(before_, then.arguments) == text_of(after_, now.arguments))
      return CallVerdict::kNothing;
    if (found == nullptr || !found->has_to_follow) {
      // Its arguments may contain other changes, except changes that another function's calls
      // require.
      const bool has_others =
          then.all.size() != now.all.size() ||
          (found != nullptr && has_to_follow(change, now, false, before_.call_style()));
      return has_others ? CallVerdict::kUnsound : CallVerdict::kNothing;
    }
    old_arguments_.push_back(then.arguments);
    new_arguments_.push_back(now.arguments);
    const bool is_it =
        is_sound(change, then, before_.text(), now, after_.text(), before_.call_style());
    return is_it && knows_names(now.arguments) ? CallVerdict::kSound : CallVerdict::kUnsound;
  }

  // Whether the names in a part of the new text are declared there, or are used in the old text.
  bool knows_names(const ByteRange& range) const {
    const auto is_known = [&](const ByteRange& at) {
      const std::string_view name = text_of(after_, at);
      const auto meanings = after_.meanings_of(name);
      if (!meanings || std::ranges::find(meanings->unknown, at) == meanings->unknown.end())
        return true;
      const auto old = before_.meanings_of(name);
      return old && !old->unknown.empty();
    };
    return std::ranges::all_of(after_.identifiers(range), is_known);
  }

  const SyntaxTree& before_;
  const SyntaxTree& after_;
  ByteRange old_range_, new_range_;
  std::vector<ByteRange> old_arguments_, new_arguments_;  // of updated calls
};

}  // namespace

CallVerdict verdict_on(const ChangedCalls& changed, const Document& document,
                       const TextEdit& edit) {
  const bool is_any = std::ranges::any_of(changed.functions, [&](const ChangedFunction& function) {
    return language_family(*function.document) == language_family(document);
  });
  const SyntaxTree* const before = is_any ? tree_to_compare(document) : nullptr;
  if (before == nullptr) return CallVerdict::kNothing;
  const auto after =
      before->edited(std::make_shared<const std::string>(apply_edits(document.text(), {edit})));
  if (!after) return CallVerdict::kUnsound;
  Comparison comparison(*before, *after, edit);
  CallVerdict verdict = CallVerdict::kNothing;
  for (std::size_t i = 0; i < changed.functions.size(); ++i) {
    std::vector<const FoundCall*> found;
    for (const CallsInDocument& in : changed.documents) {
      for (const FoundCall& each : in.calls) {
        if (in.document.get() == &document && each.function == i) found.push_back(&each);
      }
    }
    const CallVerdict each = comparison.of(changed.functions[i], found);
    if (each == CallVerdict::kUnsound) return each;
    if (each == CallVerdict::kSound) verdict = each;
  }
  const bool is_whole = verdict != CallVerdict::kSound ||
                        (comparison.is_same_beside_calls() && !breaks_syntax(*before, *after));
  return is_whole ? verdict : CallVerdict::kUnsound;
}

}  // namespace redraft
