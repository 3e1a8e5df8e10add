#include "workspace/next_edit/call_search.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "support/utf8/utf8.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "workspace/documents/written_since.h"
#include "workspace/next_edit/call_owner.h"

namespace redraft {
namespace {

// More changed functions are a rewrite or a change of branch.
constexpr std::size_t kMaxFunctions = 8;
constexpr std::size_t kMaxShownBytes = 160;
constexpr int kLinesAround = 6;

std::map<std::string, Signature> by_path(const SyntaxTree& tree) {
  std::map<std::string, Signature> found;
  std::set<std::string> several;
  for (Signature& signature : tree.signatures()) {
    const std::string path = signature.path;
    if (!found.try_emplace(path, std::move(signature)).second) several.insert(path);
  }
  for (const std::string& path : several) found.erase(path);  // it is uncertain which one is called
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
                                        const DocumentOrigin& origin) {
  const Document& then = *origin.document;
  const SyntaxTree* const before = tree_to_compare(then);
  const SyntaxTree* const after = tree_to_compare(*now);
  if (before == nullptr || after == nullptr) return {};
  std::vector<ChangedFunction> changed;
  const std::map<std::string, Signature> old = by_path(*before);
  for (const auto& [path, signature] : by_path(*after)) {
    const auto was = old.find(path);
    if (was == old.end()) continue;
    auto change = signature_change(was->second, signature, after->call_style());
    if (!change) continue;
    changed.push_back({now, std::move(*change), shown(*before, was->second),
                       shown(*after, signature), origin.changed_at});
  }
  if (changed.size() > kMaxFunctions) changed.clear();
  return changed;
}

// Whether the changed call would have the same text: "load(a, a)", with its parameters swapped.
bool is_as_before(const SignatureChange& change, const Call& call, const SyntaxTree& tree) {
  const auto text_of = [&](const ByteRange& range) {
    return tree.text().substr(range.begin, range.size());
  };
  return rewritten(change, call, tree.call_style(), text_of) == text_of(call.arguments);
}

CallsInDocument find_calls_in(const std::shared_ptr<const Document>& document,
                              const DocumentOrigin& origin,
                              const std::vector<ChangedFunction>& functions,
                              const std::stop_token& stop) {
  CallsInDocument found{.document = document, .calls = {}};
  std::optional<WrittenSince> written;
  for (std::size_t i = 0; i < functions.size() && !stop.stop_requested(); ++i) {
    const ChangedFunction& function = functions[i];
    const Signature& signature = function.change.after;
    if (language_family(*document) != language_family(*function.document) ||
        !has_name(document->text(), signature.name))
      continue;
    const SyntaxTree* const tree = tree_to_compare(*document);
    if (tree == nullptr) break;
    const std::vector<Call> calls = calls_of(*tree, signature);
    if (calls.empty()) continue;
    if (!written) written.emplace(*origin.document, *document);
    const bool was_changed_later = !origin.is_first || origin.file_time > function.changed_at;
    const CallOwner owner(*function.document, function.change.after, *document, *tree);
    for (const Call& call : calls) {
      const CallOwner::Match match = owner.match(call);
      if (match == CallOwner::Match::kNone) continue;
      const bool is_old = !was_changed_later && !written->has(call.range);
      const bool follows = has_to_follow(function.change, call, is_old, tree->call_style()) &&
                           !is_as_before(function.change, call, *tree);
      found.calls.push_back({call, i, match == CallOwner::Match::kCertain, follows});
    }
  }
  return found;
}

// The rewritten calls of a text; inner calls come first.
class Rewrites {
 public:
  explicit Rewrites(std::string_view text) : text_(text) {}

  std::string text_of(const ByteRange& range) const {
    std::string result;
    std::size_t at = range.begin;
    for (auto edit = edits_.lower_bound(at); edit != edits_.end(); ++edit) {
      const auto& [begin, each] = *edit;
      if (begin >= range.end) break;
      if (begin < at || each.range.end > range.end) continue;
      result += text_.substr(at, begin - at);
      result += each.new_text;
      at = each.range.end;
    }
    return result + std::string(text_.substr(at, range.end - at));
  }
  void add(const ByteRange& range, std::string text) {
    edits_.erase(edits_.lower_bound(range.begin), edits_.lower_bound(range.end));  // nested calls
    edits_[range.begin] = {range, std::move(text)};
  }
  const std::map<std::size_t, TextEdit>& all() const { return edits_; }

 private:
  std::string_view text_;
  std::map<std::size_t, TextEdit> edits_;
};

// Converts each to an edit of whole lines; calls that share a line become one edit.
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

// The calls that can be changed without the model, with their new text.
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

}  // namespace

std::string ChangedCalls::note() const {
  if (functions.empty()) return {};
  std::set<std::string> names;
  for (const ChangedFunction& function : functions) names.insert(function.change.after.name);
  std::string text = "the parameters of ";
  for (const std::string& name : names) text += (name == *names.begin() ? "'" : ", '") + name + "'";
  std::ptrdiff_t n_found = 0, n_follow = 0, n_doubtful = 0;
  for (const CallsInDocument& in : documents) {
    n_found += std::ssize(in.calls);
    for (const FoundCall& call : in.calls)
      if (call.has_to_follow) ++(call.is_certain ? n_follow : n_doubtful);
  }
  text += " changed: " + (n_found == 0 ? "no" : std::to_string(n_found)) +
          (n_found > 1 ? " calls found" : " call found") +
          (has_files ? " in the workspace" : " in the open files");
  if (n_found == 0) return text;
  if (n_follow == 0 && n_doubtful == 0) return text + ", none of which has to change";
  if (n_follow > 0) text += ", " + std::to_string(n_follow) + " to change";
  if (n_doubtful > 0) text += ", " + std::to_string(n_doubtful) + " perhaps to change";
  return text;
}

ChangedCalls find_changed_calls(const std::vector<std::shared_ptr<const Document>>& documents,
                                const std::vector<DocumentOrigin>& origins,
                                const FindFiles& find_files, const std::stop_token& stop) {
  ChangedCalls changed;
  const std::size_t count = std::min(documents.size(), origins.size());
  for (std::size_t i = 0; i < count && !stop.stop_requested(); ++i) {
    if (!is_changed(*documents[i], origins[i])) continue;
    std::vector<ChangedFunction> functions = changed_in(documents[i], origins[i]);
    std::ranges::move(functions, std::back_inserter(changed.functions));
  }
  if (changed.functions.empty()) return changed;
  const auto add = [&](const std::shared_ptr<const Document>& document,
                       const DocumentOrigin& origin) {
    if (stop.stop_requested()) return;
    CallsInDocument in = find_calls_in(document, origin, changed.functions, stop);
    if (!in.calls.empty()) changed.documents.push_back(std::move(in));
  };
  for (std::size_t i = 0; i < count; ++i) add(documents[i], origins[i]);
  changed.has_files = static_cast<bool>(find_files);
  if (!find_files) return changed;
  std::set<std::string> names, families;
  for (const ChangedFunction& function : changed.functions) {
    names.insert(function.change.after.name);
    families.insert(language_family(*function.document));
  }
  for (const auto& file : find_files(names, families)) add(file, file_origin(file));
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

std::vector<NextPlace> call_places(const ChangedCalls& changed, bool certain) {
  std::vector<NextPlace> places;
  for (const CallsInDocument& in : changed.documents) {
    const LineIndex& lines = in.document->lines();
    for (const FoundCall& found : in.calls) {
      if (!found.has_to_follow || found.is_certain != certain) continue;
      const int first = lines.line_of(found.call.range.begin);
      const int last = lines.line_of(found.call.range.end);
      const bool is_there = std::ranges::any_of(places, [&](const NextPlace& place) {
        return place.document == in.document && place.first_line <= last + kLinesAround &&
               first - kLinesAround < place.end_line;
      });
      if (is_there) continue;
      places.push_back({in.document, std::max(first - kLinesAround, 0),
                        std::min(last + kLinesAround + 1, lines.line_count()), 0, first});
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

}  // namespace redraft
