#include "workspace/edit/text_doubts.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "languages/language.h"
#include "languages/languages.h"
#include "text/strings/blank_text.h"
#include "text/strings/lines.h"
#include "text/strings/names.h"
#include "text/strings/trimmed.h"
#include "workspace/apply/ellipsis.h"
#include "workspace/edit/allowed_loss.h"
#include "workspace/edit/head_line.h"

namespace redraft {
namespace {

using Kind = Doubt::Kind;
using Views = std::vector<std::string_view>;

// An edit takes away many lines if it takes away so many more than it writes, and so many times as
// many.
constexpr int kManyLines = 8;
constexpr int kManyTimes = 2;
// The answer for a region of so many lines is too short with less than one in so many of them.
constexpr int kMinRegionLines = 10;
constexpr int kShortShare = 2;
// So many lines that stand next to an insertion already make it a repetition, if they are most.
constexpr int kRepeatedLines = 4;
constexpr int kNearLines = 60;

constexpr std::string_view kBrackets = "{}()[]";

std::string lines_text(int n) { return std::to_string(n) + (n == 1 ? " line" : " lines"); }

bool is_telling(std::string_view line) {
  return std::ranges::count_if(line, [](char c) { return is_name_byte(c); }) > 1;
}

class Examination {
 public:
  explicit Examination(const TextEditInQuestion& edit)
      : edit_(edit),
        allowed_(edit.instruction),
        before_(split_lines(edit.before)),
        after_(split_lines(edit.after)) {}

  std::vector<Doubt> all() {
    check_lines_that_go();
    check_stand_ins();
    check_heads();
    check_brackets();
    check_tags();
    check_repeated_lines();
    return std::move(doubts_);
  }
  std::vector<Doubt> of_lines() {
    check_lines_that_go();
    check_repeated_lines();
    return std::move(doubts_);
  }

 private:
  void add(Kind kind, std::string reason, std::vector<int> edits) {
    doubts_.push_back({kind, std::move(reason), std::move(edits)});
  }
  std::string_view old_text(const TextEdit& edit) const {
    return edit_.before.substr(edit.range.begin, edit.range.size());
  }
  std::vector<int> all_edits() const {
    std::vector<int> edits(edit_.edits.size());
    for (std::size_t i = 0; i < edits.size(); ++i) edits[i] = static_cast<int>(i);
    return edits;
  }

  // Lines that are moved do not go, and a line that is written for another replaces it.
  void check_lines_that_go() {
    if (allowed_.to_lose_lines()) return;
    std::map<std::string_view, int> written;
    for (const TextEdit& edit : edit_.edits) {
      for (const std::string_view line : split_lines(edit.new_text)) ++written[trimmed(line)];
    }
    int n_all = 0;
    std::vector<int> edits;
    for (std::size_t i = 0; i < edit_.edits.size(); ++i) {
      int gone = 0, added = 0;
      for (const std::string_view line : split_lines(old_text(edit_.edits[i]))) {
        if (is_telling(line) && --written[trimmed(line)] < 0) ++gone;
      }
      for (const std::string_view line : split_lines(edit_.edits[i].new_text))
        added += is_telling(line) ? 1 : 0;
      const int net = gone - added;
      if (net > 0) n_all += net;
      if (net > 0) edits.push_back(static_cast<int>(i));
      if (net < kManyLines || gone < kManyTimes * added) continue;
      const int line = 1 + static_cast<int>(std::ranges::count(
                               edit_.before.substr(0, edit_.edits[i].range.begin), '\n'));
      add(Kind::kRemoved, lines_text(net) + " from line " + std::to_string(line) + " on are gone",
          {static_cast<int>(i)});
      n_all -= net;
    }
    if (n_all >= 2 * kManyLines) add(Kind::kRemoved, lines_text(n_all) + " are gone", edits);
    check_short_answer();
  }

  // An answer that is far shorter than its region was probably not finished.
  void check_short_answer() {
    if (!doubts_.empty()) return;
    for (const ByteRange& region : edit_.regions) {
      int n_before = 0, n_gone = 0;
      for (const std::string_view line :
           split_lines(edit_.before.substr(region.begin, region.size())))
        n_before += is_telling(line) ? 1 : 0;
      std::vector<int> edits;
      for (std::size_t i = 0; i < edit_.edits.size(); ++i) {
        const TextEdit& edit = edit_.edits[i];
        if (!region.contains(edit.range)) continue;
        for (const std::string_view line : split_lines(old_text(edit)))
          n_gone += is_telling(line) ? 1 : 0;
        for (const std::string_view line : split_lines(edit.new_text))
          n_gone -= is_telling(line) ? 1 : 0;
        edits.push_back(static_cast<int>(i));
      }
      if (n_before < kMinRegionLines || kShortShare * n_gone < n_before) continue;
      add(Kind::kRemoved,
          "of " + lines_text(n_before) + " only " + std::to_string(n_before - n_gone) + " are left",
          std::move(edits));
    }
  }

  // A comment with dots and other words continues the one above: "// ... however, we only need it".
  bool is_stand_in(std::string_view line) const {
    if (stands_for_code(line)) return true;
    const std::string_view text = trimmed(line, " \t/*#-;%<!{(");
    const std::string_view inside = trimmed(text, " \t/*-%>})");
    if (inside != line && (inside == "rest" || inside == "the rest")) return true;
    const bool has_dots = text.starts_with("...") || text.starts_with("\u2026");
    return is_ellipsis(line, edit_.language_id) && !(has_dots && text != line);
  }

  void check_stand_ins() {
    std::set<std::string_view> old_lines;
    for (const std::string_view line : before_) old_lines.insert(trimmed(line));
    for (std::size_t i = 0; i < edit_.edits.size(); ++i) {
      for (const std::string_view each : split_lines(edit_.edits[i].new_text)) {
        const std::string_view line = trimmed(each);
        if (!is_stand_in(line) || old_lines.contains(line)) continue;
        add(Kind::kLeftOut, "'" + std::string(line) + "' stands for lines that are left out",
            {static_cast<int>(i)});
        break;
      }
    }
  }

  // The edits that took the line away, or wrote it: those with the name in their text.
  std::vector<int> edits_with(const std::string& text, bool is_new) const {
    std::vector<int> edits;
    for (std::size_t i = 0; i < edit_.edits.size(); ++i) {
      const std::string_view where =
          is_new ? std::string_view(edit_.edits[i].new_text) : old_text(edit_.edits[i]);
      if (where.find(text) != std::string_view::npos) edits.push_back(static_cast<int>(i));
    }
    return edits.empty() ? all_edits() : edits;
  }

  void check_heads() {
    const std::vector<HeadLine> then = head_lines(before_), now = head_lines(after_);
    std::map<std::string, int> counts;  // by path
    for (const HeadLine& head : now) ++counts[head.path];
    std::vector<const HeadLine*> lost;
    for (const HeadLine& head : then) {
      if (--counts[head.path] < 0) lost.push_back(&head);
    }
    std::set<std::string> names_now;
    for (const HeadLine& head : now) names_now.insert(head.name);
    std::vector<const HeadLine*> added = added_to(then, now);
    for (const HeadLine* head : lost) {
      if (names_now.contains(head->name)) continue;  // it stands elsewhere
      const auto renamed = std::ranges::find_if(added, [&](const HeadLine* one) {
        return one->path.substr(0, one->path.size() - one->name.size()) ==
               head->path.substr(0, head->path.size() - head->name.size());
      });
      if (renamed == added.end()) {
        if (!allowed_.to_lose(head->name))
          add(Kind::kLost, "the definition of '" + head->path + "' is gone",
              edits_with(head->text, false));
        continue;
      }
      if (!allowed_.to_rename(head->name, (*renamed)->name))
        add(Kind::kRenamed, "'" + head->path + "' is now '" + (*renamed)->path + "'",
            edits_with(head->text, false));
      added.erase(renamed);
    }
    check_repeated_heads(then, now);
  }

  static std::vector<const HeadLine*> added_to(const std::vector<HeadLine>& then,
                                               const std::vector<HeadLine>& now) {
    std::map<std::string, int> counts;
    for (const HeadLine& head : then) ++counts[head.path];
    std::vector<const HeadLine*> added;
    for (const HeadLine& head : now) {
      if (--counts[head.path] < 0) added.push_back(&head);
    }
    return added;
  }

  // The same line, with the same ones around it.
  void check_repeated_heads(const std::vector<HeadLine>& then, const std::vector<HeadLine>& now) {
    std::map<std::pair<std::string, std::string>, int> counts;
    for (const HeadLine& head : then) ++counts[{head.path, head.text}];
    std::map<std::pair<std::string, std::string>, int> counts_now;
    for (const HeadLine& head : now) {
      const std::pair key(head.path, head.text);
      const int n = ++counts_now[key];
      if (n > 1 && n > counts[key])
        add(Kind::kRepeated, "'" + head.path + "' is defined twice", edits_with(head.text, true));
    }
  }

  bool is_prose() const {
    const Language* const language = find_language(edit_.language_id);
    return language != nullptr && !language->is_code() && *language->content != Content::kData;
  }

  void check_brackets() {
    if (is_prose()) return;
    for (std::size_t i = 0; i < kBrackets.size(); i += 2) {
      const auto open_in = [&](std::string_view text) {
        return std::ranges::count(text, kBrackets[i]) - std::ranges::count(text, kBrackets[i + 1]);
      };
      if (open_in(edit_.before) != 0 || open_in(edit_.after) == 0) continue;
      std::vector<int> edits;
      for (std::size_t at = 0; at < edit_.edits.size(); ++at) {
        if (open_in(old_text(edit_.edits[at])) != open_in(edit_.edits[at].new_text))
          edits.push_back(static_cast<int>(at));
      }
      const bool is_open = open_in(edit_.after) > 0;
      add(Kind::kBrackets,
          std::string("a '") + kBrackets[is_open ? i : i + 1] + "' has no '" +
              kBrackets[is_open ? i + 1 : i] + "'",
          edits.empty() ? all_edits() : std::move(edits));
    }
  }

  struct Tags {
    std::map<std::string_view, int> open;  // by name: how many more are opened than closed
    std::set<std::string_view> closed;     // names that are closed somewhere
  };

  static Tags tags_of(std::string_view text) {
    Tags tags;
    for (std::size_t at = text.find('<'); at != std::string_view::npos;
         at = text.find('<', at + 1)) {
      const bool closes = text.substr(at + 1, 1) == "/";
      const std::size_t begin = at + 1 + (closes ? 1 : 0);
      std::size_t end = begin;
      while (end < text.size() && (is_name_byte(text[end]) || text[end] == '-')) ++end;
      if (end == begin) continue;
      const std::string_view name = text.substr(begin, end - begin);
      if (closes) tags.closed.insert(name);
      const std::size_t close = text.find('>', end);
      const bool is_alone = close != std::string_view::npos && text[close - 1] == '/';
      if (!is_alone) tags.open[name] += closes ? -1 : 1;
    }
    return tags;
  }

  // "List<Int>" opens no tag: nothing closes it.
  void check_tags() {
    const Tags then = tags_of(edit_.before), now = tags_of(edit_.after);
    for (const auto& [name, open] : now.open) {
      const auto known = then.open.find(name);
      const bool was_open = known != then.open.end() && known->second != 0;
      const bool is_tag = then.closed.contains(name) || now.closed.contains(name);
      if (open == 0 || was_open || !is_tag) continue;
      add(Kind::kBrackets,
          "a tag '" + std::string(name) + "' is " + (open > 0 ? "not closed" : "closed twice"),
          edits_with(std::string(name), open < 0));
    }
  }

  // Those above and below a range that stay.
  Views lines_near(const ByteRange& range) const {
    const auto offset_of = [&](std::string_view line) {
      return static_cast<std::size_t>(line.data() - edit_.before.data());
    };
    const auto first_at = [&](std::size_t offset) {
      return std::partition_point(before_.begin(), before_.end(),
                                  [&](std::string_view line) { return offset_of(line) < offset; });
    };
    const auto above = first_at(range.begin), below = first_at(range.end);
    Views near(above - std::min<std::ptrdiff_t>(kNearLines, above - before_.begin()), above);
    near.insert(near.end(), below,
                below + std::min<std::ptrdiff_t>(kNearLines, before_.end() - below));
    std::erase_if(near, [&](std::string_view line) {
      return std::ranges::any_of(edit_.edits, [&](const TextEdit& other) {
        return other.range.contains(offset_of(line));
      });
    });
    return near;
  }

  // A function like the one beside it is no repetition.
  bool declares_new_name(std::string_view text) const {
    return std::ranges::any_of(split_lines(text), [&](std::string_view line) {
      const std::string name = declared_name(line);
      return !name.empty() && edit_.before.find(name) == std::string_view::npos;
    });
  }

  void check_repeated_lines() {
    for (std::size_t i = 0; i < edit_.edits.size(); ++i) {
      const TextEdit& edit = edit_.edits[i];
      if (!is_blank_text(old_text(edit))) continue;
      const Views lines = lines_near(edit.range);
      std::multiset<std::string_view> near(lines.begin(), lines.end());
      int n_telling = 0, n_repeated = 0;
      for (const std::string_view line : split_lines(edit.new_text)) {
        if (!is_telling(line)) continue;
        ++n_telling;
        const auto found = near.find(line);
        if (found == near.end()) continue;
        near.erase(found);
        ++n_repeated;
      }
      if (n_repeated < kRepeatedLines || 4 * n_repeated < 3 * n_telling) continue;
      if (declares_new_name(edit.new_text)) continue;
      add(Kind::kRepeated, lines_text(n_repeated) + " are there twice", {static_cast<int>(i)});
    }
  }

  const TextEditInQuestion& edit_;
  AllowedLoss allowed_;
  Views before_, after_;
  std::vector<Doubt> doubts_;
};

}  // namespace

std::vector<Doubt> doubts_about_text(const TextEditInQuestion& edit) {
  return edit.edits.empty() ? std::vector<Doubt>() : Examination(edit).all();
}

std::vector<Doubt> doubts_about_lines(const TextEditInQuestion& edit) {
  return edit.edits.empty() ? std::vector<Doubt>() : Examination(edit).of_lines();
}

}  // namespace redraft
