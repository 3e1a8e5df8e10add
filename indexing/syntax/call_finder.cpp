#include "indexing/syntax/call_finder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "indexing/syntax/bracket_list.h"
#include "indexing/syntax/name_places.h"
#include "text/strings/text_lines.h"
#include "text/strings/word_list.h"

namespace redraft {
namespace {

// More arguments are data rather than code.
constexpr std::uint32_t kMaxParts = 256;
// A name that stands in more places is none whose calls a person changes.
constexpr std::size_t kMaxPlaces = 5000;

bool is_comment(std::string_view type) { return type.ends_with("comment"); }

class CallReader {
 public:
  CallReader(const Grammar& grammar, std::string_view text) : grammar_(grammar), text_(text) {}

  std::optional<Call> read(const NamePlace& place) const {
    const SignatureTypes& types = *grammar_.signatures();
    if (is_no_code(place)) return std::nullopt;
    std::size_t at = place.path.size() - 1;
    while (at > 0 && is_at(types.callee_parts, place, at)) --at;
    if (at == 0 || !is_at(types.calls, place, at)) return std::nullopt;
    const TSNode& node = place.path[at - 1];
    std::vector<TSNode> blocks;
    if (!types.blocks.empty()) blocks = blocks_of(place, at - 1);
    const std::optional<BracketList> list = arguments_of(node);
    if (!list && blocks.empty()) return std::nullopt;
    Call call{.name = place.range, .range = range_of(node), .arguments = {}, .receiver = {}};
    const std::size_t behind_callee = range_of(place.path[at]).end;
    call.arguments = list ? list->range : ByteRange{behind_callee, behind_callee};
    call.receiver = receiver(place, node);
    if (list) read_arguments(*list, call);
    for (const TSNode& block : blocks) add_block(block, call);
    return call;
  }

 private:
  std::optional<BracketList> arguments_of(const TSNode& call) const {
    const std::string_view types = grammar_.signatures()->argument_lists;
    const TSNode list = child_by_field(call, "arguments");
    if (!ts_node_is_null(list)) {
      const bool is_list = has_word(types, type_of(list));
      return is_list ? std::optional(BracketList{list, range_of(list)}) : std::nullopt;
    }
    const TSNode suffix = suffix_of(call);
    return list_in(ts_node_is_null(suffix) ? call : suffix, types);
  }

  // Swift: what stands behind the name in a call.
  static TSNode suffix_of(const TSNode& call) {
    const std::uint32_t count = ts_node_named_child_count(call);
    const TSNode last = count == 0 ? TSNode{} : ts_node_named_child(call, count - 1);
    const bool is_suffix =
        !ts_node_is_null(last) && has_word("call_suffix constructor_suffix", type_of(last));
    return is_suffix ? last : TSNode{};
  }

  // The blocks behind the brackets of the call path[at]: in the call itself, in its suffix, or in
  // the call around (Kotlin: "f(1) { }" is a call of "f(1)").
  std::vector<TSNode> blocks_of(const NamePlace& place, std::size_t at) const {
    std::vector<TSNode> blocks;
    const auto add_from = [&](const TSNode& node) {
      TreeCursor cursor(node);
      for (bool more = cursor.to_first_child(); more; more = cursor.to_next_sibling()) {
        if (has_word(grammar_.signatures()->blocks, type_of(cursor.node())))
          blocks.push_back(cursor.node());
      }
    };
    const TSNode& call = place.path[at];
    const TSNode suffix = suffix_of(call);
    add_from(ts_node_is_null(suffix) ? call : suffix);
    const bool is_called = at > 0 && type_of(place.path[at - 1]) == type_of(call) &&
                           ts_node_eq(ts_node_named_child(place.path[at - 1], 0), call);
    if (is_called && ts_node_is_null(suffix)) add_from(place.path[at - 1]);
    return blocks;
  }

  // The tree knows which parameter a block is for if there is one block only.
  static void add_block(const TSNode& block, Call& call) {
    const bool is_another = !call.all.empty() && call.all.back().is_behind;
    call.is_odd = true;
    call.all.push_back({.range = range_of(block),
                        .value = range_of(block),
                        .name = {},
                        .is_spread = is_another,
                        .is_behind = true});
  }

  // Text that is no code.
  static bool is_no_code(const NamePlace& place) {
    return place.role == NameRole::kComment || place.role == NameRole::kText ||
           place.role == NameRole::kRaw;
  }

  // "a.b" of "a.b.f(1)", "new" of "new F(1)".
  std::string receiver(const NamePlace& place, const TSNode& call) const {
    const std::size_t begin = range_of(call).begin;
    std::string_view before = text_.substr(begin, place.range.begin - begin);
    constexpr std::string_view kBetween = " \t\r\n?";
    before = before.substr(0, before.find_last_not_of(kBetween) + 1);
    for (const std::string_view mark : {"->", "::", "."}) {
      if (!before.ends_with(mark)) continue;
      before.remove_suffix(mark.size());
      return std::string(before.substr(0, before.find_last_not_of(kBetween) + 1));
    }
    return {};
  }

  void read_arguments(const BracketList& list, Call& call) const {
    if (ts_node_child_count(list.node) > kMaxParts || has_error(list)) {
      call.is_odd = true;
      return;
    }
    TreeCursor cursor(list.node);
    for (bool more = cursor.to_first_child(); more; more = cursor.to_next_sibling()) {
      const TSNode& node = cursor.node();
      if (!list.range.contains(range_of(node))) continue;
      if (is_comment(type_of(node))) call.is_odd = true;
      if (ts_node_is_named(node) && !is_comment(type_of(node))) call.all.push_back(argument(node));
    }
  }

  Argument argument(const TSNode& node) const {
    Argument made{.range = range_of(node), .value = range_of(node), .name = {}};
    const bool is_wrapped =
        type_of(node) == "value_argument" && ts_node_named_child_count(node) > 0;
    const TSNode inner =
        is_wrapped ? ts_node_named_child(node, ts_node_named_child_count(node) - 1) : node;
    made.is_spread = has_word(grammar_.signatures()->spreads, type_of(inner));
    const TSNode name = argument_name(grammar_.scopes()->arguments, node);
    made.has_effects = has_effects(node, !ts_node_is_null(name));
    if (ts_node_is_null(name)) return made;
    const ByteRange range = range_of(name);
    made.name = std::string(text_.substr(range.begin, range.size()));
    const std::size_t mark = text_.find_first_of("=:", range.end);
    if (mark < made.range.end) made.value.begin = skip_space(text_, mark + 1);
    return made;
  }

  // Whether to evaluate it may do something. What a function in it does is not done yet.
  bool has_effects(const TSNode& node, bool is_named) const {
    TreeCursor cursor(node);
    for (bool more = true; more;) {
      const TSNode& each = cursor.node();
      const std::string_view type = type_of(each);
      const bool is_function = has_word(grammar_.scopes()->functions, type);
      const bool is_effect = does_something(type) || has_word(grammar_.signatures()->effects, type);
      const bool is_own = is_named && ts_node_eq(each, node);  // Scala: `a = 1` looks like one
      if (!is_function && !is_own && is_effect) return true;
      more = (!is_function && cursor.to_first_child()) || cursor.to_next_outside();
    }
    return false;
  }

  static bool does_something(std::string_view type) {
    constexpr std::string_view kWords[] = {"call",
                                           "invocation",
                                           "creation",
                                           "new_expression",
                                           "await",
                                           "yield",
                                           "assignment",
                                           "named_expression",
                                           "update_expression",
                                           "macro",
                                           "delete",
                                           "try",
                                           "declaration_expression"};
    constexpr std::string_view kSigns = "++ -- <- :=";
    return has_word(kSigns, type) || std::ranges::any_of(kWords, [&](std::string_view word) {
             return type.find(word) != type.npos;
           });
  }

  const Grammar& grammar_;
  std::string_view text_;
};

}  // namespace

std::vector<Call> find_calls(const Grammar& grammar, std::string_view text, const TSNode& root,
                             std::string_view name) {
  std::vector<Call> calls;
  const CallReader reader(grammar, text);
  for (const NamePlace& place : find_places(grammar, text, root, name, kMaxPlaces)) {
    if (std::optional<Call> call = reader.read(place)) calls.push_back(std::move(*call));
  }
  return calls;
}

}  // namespace redraft
