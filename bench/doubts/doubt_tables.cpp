#include "bench/doubts/doubt_tables.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <vector>

#include "bench/markdown.h"

namespace redraft {
namespace {

constexpr auto kTree = DoubtBasis::kTree;
constexpr auto kLines = DoubtBasis::kLines;

template <typename T>
T at(const std::map<DoubtBasis, T>& by_basis, DoubtBasis basis) {
  const auto found = by_basis.find(basis);
  return found == by_basis.end() ? T() : found->second;
}

}  // namespace

bool is_found(const DoubtedText& damaged, const DoubtedText& correct) {
  return std::ranges::any_of(damaged.doubts, [&](const Doubt& doubt) {
    return std::ranges::none_of(correct.doubts, [&](const Doubt& known) {
      return known.kind == doubt.kind && known.reason == doubt.reason;
    });
  });
}

bool is_found(const DoubtedText& doubted, const UndefinedText& text) {
  return std::ranges::any_of(doubted.doubts, [&](const Doubt& doubt) {
    return doubt.kind == Doubt::Kind::kUndefined &&
           doubt.reason.find(text.name) != std::string::npos;
  });
}

void DoubtTables::Share::add(bool is_part) {
  ++all;
  part += is_part ? 1 : 0;
}

std::string DoubtTables::Share::text() const {
  std::array<char, 60> text{};
  std::snprintf(text.data(), text.size(), "%d of %d (%.1f %%)", part, all,
                all == 0 ? 0.0 : 100.0 * part / all);
  return text.data();
}

void DoubtTables::add_correct(const ChangedFile& file, const DoubtedText& text, DoubtBasis basis) {
  std::set<Doubt::Kind> kinds;
  for (const Doubt& doubt : text.doubts) kinds.insert(doubt.kind);
  for (const Doubt::Kind kind : kinds) ++kinds_[kind][basis];
  for (const std::string& language : {file.language, std::string("all")}) {
    correct_[language][basis].add(!text.doubts.empty());
    Share& left = hunks_left_[language][basis];
    left.part += text.left;
    left.all += text.hunks;
    if (basis == kTree) wrongly_undefined_[language].add(kinds.contains(Doubt::Kind::kUndefined));
  }
}

void DoubtTables::add_damaged(const std::string& damage, bool is_found, DoubtBasis basis) {
  damaged_[damage][basis].add(is_found);
}

void DoubtTables::add_undefined(const UndefinedText& text, bool is_found) {
  undefined_[text.file->language].add(is_found);
  undefined_["all"].add(is_found);
}

std::string DoubtTables::text() const {
  return "Correct changes with a doubt\n\n" + correct_text() +
         "\nCorrect changes with a doubt of each kind\n\n" + kinds_text() +
         "\nDamaged texts with a doubt that the correct text does not have\n\n" + damaged_text() +
         "\nNames that nothing defines, with a tree\n\n" + undefined_text();
}

std::string DoubtTables::correct_text() const {
  MarkdownTable table;
  table.add_column("language", false);
  for (const char* const title :
       {"with a tree", "hunks left", "by lines alone", "hunks left by lines"})
    table.add_column(title);
  const auto row = [&](const std::string& language) {
    const ByBasis<Share>& changes = correct_.at(language);
    const ByBasis<Share>& left = hunks_left_.at(language);
    table.add_row({language, at(changes, kTree).text(), at(left, kTree).text(),
                   at(changes, kLines).text(), at(left, kLines).text()});
  };
  for (const auto& [language, shares] : correct_) {
    if (language != "all") row(language);
  }
  if (correct_.contains("all")) row("all");
  return table.text();
}

std::string DoubtTables::kinds_text() const {
  MarkdownTable table;
  table.add_column("kind of doubt", false);
  table.add_column("with a tree");
  table.add_column("by lines alone");
  for (const auto& [kind, counts] : kinds_)
    table.add_row(
        {to_string(kind), std::to_string(at(counts, kTree)), std::to_string(at(counts, kLines))});
  return table.text();
}

std::string DoubtTables::damaged_text() const {
  MarkdownTable table;
  table.add_column("damage", false);
  table.add_column("with a tree");
  table.add_column("by lines alone");
  for (const std::string& damage : damages()) {
    const auto found = damaged_.find(damage);
    if (found == damaged_.end()) continue;
    table.add_row({damage, at(found->second, kTree).text(), at(found->second, kLines).text()});
  }
  return table.text();
}

std::string DoubtTables::undefined_text() const {
  MarkdownTable table;
  table.add_column("language", false);
  table.add_column("correct changes with such a doubt");
  table.add_column("texts with one name made undefined, found");
  const auto row = [&](const std::string& language) {
    const auto found = undefined_.find(language);
    table.add_row({language, wrongly_undefined_.at(language).text(),
                   (found == undefined_.end() ? Share() : found->second).text()});
  };
  for (const auto& [language, share] : wrongly_undefined_) {
    if (language != "all") row(language);
  }
  if (wrongly_undefined_.contains("all")) row("all");
  return table.text();
}

}  // namespace redraft
