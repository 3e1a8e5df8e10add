#include "workspace/next_edit/call_search.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "indexing/syntax/text_lines.h"
#include "support/names.h"
#include "support/utf8/utf8.h"
#include "workspace/documents/change_history.h"
#include "workspace/documents/diff.h"
#include "workspace/documents/edit_region.h"
#include "workspace/next_edit/call_owner.h"

namespace redraft {
namespace {

// More changed functions are a rewrite, or another branch.
constexpr std::size_t kMaxFunctions = 8;
constexpr std::size_t kMaxShownBytes = 160;
constexpr int kLinesAround = 6;

const SyntaxTree* tree_of(const Document& document) {
  return document.text().size() > kMaxBytesCompared ? nullptr : document.syntax();
}

std::map<std::string, Signature> by_path(const SyntaxTree& tree) {
  std::map<std::string, Signature> found;
  std::set<std::string> several;
  for (Signature& signature : tree.signatures()) {
    const std::string path = signature.path;
    if (!found.try_emplace(path, std::move(signature)).second) several.insert(path);
  }
  for (const std::string& path : several) found.erase(path);  // which one is called is uncertain
  return found;
}

std::string shown(const SyntaxTree& tree, const Signature& signature) {
  std::string text = signature.name;
  const std::string list =
      tree.text().substr(signature.parameters.begin, signature.parameters.size());
  for (const char byte : list) {
    if (!is_space(byte)) {
      text += byte;
    } else if (text.back() != ' ' && text.back() != '(') {
      text += ' ';
    }
  }
  return std::string(shortened(text, kMaxShownBytes));
}

std::vector<ChangedFunction> changed_in(const std::shared_ptr<const Document>& now,
                                        const Document& then) {
  const SyntaxTree* const before = tree_of(then);
  const SyntaxTree* const after = tree_of(*now);
  if (before == nullptr || after == nullptr) return {};
  std::vector<ChangedFunction> changed;
  const std::map<std::string, Signature> old = by_path(*before);
  for (const auto& [path, signature] : by_path(*after)) {
    const auto was = old.find(path);
    if (was == old.end()) continue;
    auto change = signature_change(was->second, signature, after->call_style());
    if (!change) continue;
    changed.push_back(
        {now, std::move(*change), shown(*before, was->second), shown(*after, signature)});
  }
  if (changed.size() > kMaxFunctions) changed.clear();
  return changed;
}

// Which lines were written since.
class WrittenSince {
 public:
  WrittenSince(const std::shared_ptr<const Document>& now, const DocumentOrigin& origin)
      : document_(*now), is_all_(!origin.is_first) {
    if (is_all_ || origin.document == now) return;
    const auto old_file = EditRegion::make(origin.document, EditScope::kFile, {});
    const auto new_file = EditRegion::make(now, EditScope::kFile, {});
    if (!old_file || !new_file) return;
    int shift = 0;
    for (const LineChange& change : diff_lines(old_file->lines(), new_file->lines())) {
      const int begin = change.old_begin + shift;
      const int size = static_cast<int>(change.new_lines.size());
      lines_.emplace_back(begin, begin + size);
      shift += size - (change.old_end - change.old_begin);
    }
  }

  bool has(const ByteRange& range) const {
    const int first = document_.lines().line_of(range.begin);
    const int last = document_.lines().line_of(range.end);
    return is_all_ || std::ranges::any_of(lines_, [&](const std::pair<int, int>& lines) {
             return lines.first <= last && first < lines.second;
           });
  }

 private:
  const Document& document_;
  bool is_all_;
  std::vector<std::pair<int, int>> lines_;
};

// A call through the type gives the object, too: "Server.start(server, 1)".
void leave_out_object(const Signature& signature, Call& call) {
  const bool is_by_type = signature.receiver == Signature::Receiver::kObject &&
                          !signature.owner.empty() &&
                          (last_name(call.receiver) == signature.owner || call.receiver == "Self");
  if (!is_by_type || call.all.empty() || !call.all.front().name.empty()) return;
  call.all.erase(call.all.begin());
  call.is_odd = true;
}

std::vector<Call> calls_of(const SyntaxTree& tree, const Signature& signature) {
  std::vector<Call> calls = tree.calls_of(signature.name);
  for (Call& call : calls) leave_out_object(signature, call);
  return calls;
}

CallsInDocument find_calls_in(const std::shared_ptr<const Document>& document,
                              const DocumentOrigin& origin,
                              const std::vector<ChangedFunction>& functions) {
  CallsInDocument found{.document = document, .calls = {}};
  std::optional<WrittenSince> written;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const ChangedFunction& function = functions[i];
    const Signature& signature = function.change.after;
    if (language_family(*document) != language_family(*function.document) ||
        !has_name(document->text(), signature.name))
      continue;
    const SyntaxTree* const tree = tree_of(*document);
    if (tree == nullptr) break;
    const std::vector<Call> calls = calls_of(*tree, signature);
    if (calls.empty()) continue;
    if (!written) written.emplace(document, origin);
    const CallOwner owner(*function.document, function.change.after, *document, *tree);
    for (const Call& call : calls) {
      const CallOwner::Is is = owner.of(call);
      if (is == CallOwner::Is::kAnother) continue;
      const bool follows =
          has_to_follow(function.change, call, !written->has(call.range), tree->call_style());
      found.calls.push_back({call, i, is == CallOwner::Is::kCertain, follows});
    }
  }
  return found;
}

// Of a text, what becomes of calls in it; those within others come first.
class Rewrites {
 public:
  explicit Rewrites(std::string_view text) : text_(text) {}

  std::string text_of(const ByteRange& range) const {
    std::string result;
    std::size_t at = range.begin;
    for (const auto& [begin, each] : edits_) {
      if (begin < at || each.range.end > range.end) continue;
      result += text_.substr(at, begin - at);
      result += each.new_text;
      at = each.range.end;
    }
    return result + std::string(text_.substr(at, range.end - at));
  }
  void add(const ByteRange& range, std::string text) {
    std::erase_if(edits_, [&](const auto& each) { return range.contains(each.second.range); });
    edits_[range.begin] = {range, std::move(text)};
  }
  const std::map<std::size_t, TextEdit>& all() const { return edits_; }

 private:
  std::string_view text_;
  std::map<std::size_t, TextEdit> edits_;
};

// Each as an edit of whole lines; those that share a line are one.
std::vector<TextEdit> in_lines(std::string_view text, const Rewrites& rewrites) {
  std::vector<TextEdit> lines;
  for (const auto& [begin, edit] : rewrites.all()) {
    const ByteRange range = whole_lines(text, edit.range);
    if (!lines.empty() && range.begin < lines.back().range.end) {
      lines.back().range.end = std::max(lines.back().range.end, range.end);
    } else {
      lines.push_back({range, {}});
    }
  }
  for (TextEdit& edit : lines) edit.new_text = rewrites.text_of(edit.range);
  return lines;
}

// The calls that the tree knows how to change, and how.
Rewrites rewrites_in(const ChangedCalls& changed, const CallsInDocument& in) {
  const SyntaxTree& tree = *in.document->syntax();
  Rewrites rewrites(tree.text());
  std::vector<const FoundCall*> inner_first;
  for (const FoundCall& found : in.calls) {
    if (found.has_to_follow && found.is_certain) inner_first.push_back(&found);
  }
  std::ranges::stable_sort(inner_first, {},
                           [](const FoundCall* found) { return found->call.range.size(); });
  for (const FoundCall* found : inner_first) {
    const auto text =
        rewritten(changed.functions[found->function].change, found->call, tree.call_style(),
                  [&](const ByteRange& range) { return rewrites.text_of(range); });
    const ByteRange& range = found->call.arguments;
    if (text && *text != tree.text().substr(range.begin, range.size())) rewrites.add(range, *text);
  }
  return rewrites;
}

// The text without what is between the brackets of calls, and without blanks.
std::string without_arguments(std::string_view text, const ByteRange& within,
                              const std::vector<ByteRange>& arguments) {
  std::string rest;
  for (std::size_t at = within.begin; at < within.end; ++at) {
    const bool is_in =
        std::ranges::any_of(arguments, [&](const ByteRange& range) { return range.contains(at); });
    if (!is_in && !is_space(text[at])) rest += text[at];
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

// What an edit does to the calls of one function.
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
    if (then.size() != now.size()) return CallVerdict::kUnsound;
    CallVerdict verdict = CallVerdict::kNothing;
    for (std::size_t i = 0; i < then.size(); ++i) {
      old_arguments_.push_back(then[i].arguments);
      new_arguments_.push_back(now[i].arguments);
      if (text(before_, then[i].range) == text(after_, now[i].range)) continue;
      const bool follows = std::ranges::any_of(found, [&](const FoundCall* each) {
        return each->has_to_follow && each->call.range == then[i].range;
      });
      if (!follows || !is_sound(function.change, then[i], before_.text(), now[i], after_.text(),
                                before_.call_style()))
        return CallVerdict::kUnsound;
      verdict = CallVerdict::kSound;
    }
    return verdict;
  }

  bool is_same_beside_calls() const {
    return without_arguments(before_.text(), old_range_, old_arguments_) ==
           without_arguments(after_.text(), new_range_, new_arguments_);
  }

 private:
  static std::string_view text(const SyntaxTree& tree, const ByteRange& range) {
    return std::string_view(tree.text()).substr(range.begin, range.size());
  }

  const SyntaxTree& before_;
  const SyntaxTree& after_;
  ByteRange old_range_, new_range_;
  std::vector<ByteRange> old_arguments_, new_arguments_;
};

}  // namespace

std::string ChangedCalls::note() const {
  if (functions.empty()) return {};
  std::set<std::string> names;
  for (const ChangedFunction& function : functions) names.insert(function.change.after.name);
  std::string text = "the parameters of ";
  for (const std::string& name : names) text += (name == *names.begin() ? "'" : ", '") + name + "'";
  std::ptrdiff_t n_found = 0, n_follow = 0;
  for (const CallsInDocument& in : documents) {
    n_found += std::ssize(in.calls);
    n_follow += std::ranges::count_if(in.calls, &FoundCall::has_to_follow);
  }
  text += " changed: " + (n_found == 0 ? "no" : std::to_string(n_found)) +
          (n_found > 1 ? " calls found" : " call found") + " in the open files";
  if (n_found == 0) return text;
  return text + (n_follow == 0 ? std::string(", none of which has to change")
                               : ", " + std::to_string(n_follow) + " to change");
}

ChangedCalls find_changed_calls(const std::vector<std::shared_ptr<const Document>>& documents,
                                const std::vector<DocumentOrigin>& origins) {
  ChangedCalls changed;
  const std::size_t count = std::min(documents.size(), origins.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (origins[i].document == documents[i]) continue;
    std::vector<ChangedFunction> functions = changed_in(documents[i], *origins[i].document);
    std::ranges::move(functions, std::back_inserter(changed.functions));
  }
  if (changed.functions.empty()) return changed;
  for (std::size_t i = 0; i < count; ++i) {
    CallsInDocument in = find_calls_in(documents[i], origins[i], changed.functions);
    if (!in.calls.empty()) changed.documents.push_back(std::move(in));
  }
  return changed;
}

TreeEdits edits_by_tree(const ChangedCalls& changed,
                        const std::function<bool(const Document&, const TextEdit&)>& is_unwanted) {
  for (const CallsInDocument& in : changed.documents) {
    TreeEdits found{.document = in.document,
                    .edits = in_lines(in.document->text(), rewrites_in(changed, in))};
    std::erase_if(found.edits, [&](const TextEdit& edit) {
      return is_unwanted && is_unwanted(*in.document, edit);
    });
    if (!found.edits.empty()) return found;
  }
  return {};
}

std::vector<NextPlace> call_places(const ChangedCalls& changed, int most) {
  std::vector<NextPlace> places;
  for (const bool is_certain : {true, false}) {
    for (const CallsInDocument& in : changed.documents) {
      const LineIndex& lines = in.document->lines();
      for (const FoundCall& found : in.calls) {
        if (!found.has_to_follow || found.is_certain != is_certain) continue;
        const int first = lines.line_of(found.call.range.begin);
        const int last = lines.line_of(found.call.range.end);
        const bool is_there = std::ranges::any_of(places, [&](const NextPlace& place) {
          return place.document == in.document && place.first_line <= last + kLinesAround &&
                 first - kLinesAround < place.end_line;
        });
        if (is_there || std::ssize(places) >= most) continue;
        places.push_back({in.document, std::max(first - kLinesAround, 0),
                          std::min(last + kLinesAround + 1, lines.line_count()), 0});
      }
    }
  }
  return places;
}

std::string call_task(const ChangedCalls& changed, const NextPlace& place) {
  std::set<std::size_t> functions;
  const LineIndex& lines = place.document->lines();
  for (const CallsInDocument& in : changed.documents) {
    if (in.document != place.document) continue;
    for (const FoundCall& found : in.calls) {
      const int line = lines.line_of(found.call.range.begin);
      if (found.has_to_follow && place.first_line <= line && line < place.end_line)
        functions.insert(found.function);
    }
  }
  std::string text;
  for (const std::size_t i : functions) {
    const ChangedFunction& function = changed.functions[i];
    text +=
        (text.empty() ? "`" : ", and `") + function.before + "` is now `" + function.after + "`";
  }
  return text.empty() ? text : text + ". Change its calls in the next part:\n";
}

CallVerdict verdict_on(const ChangedCalls& changed, const Document& document,
                       const TextEdit& edit) {
  const bool is_any = std::ranges::any_of(changed.functions, [&](const ChangedFunction& function) {
    return language_family(*function.document) == language_family(document);
  });
  const SyntaxTree* const before = is_any ? tree_of(document) : nullptr;
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
