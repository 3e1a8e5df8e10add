#include "workspace/edit/part_ranking.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "text/strings/lower_case.h"
#include "text/strings/names.h"
#include "workspace/edit/instruction.h"

namespace redraft {
namespace {

constexpr std::size_t kMaxInstruction = 4096;  // bytes that are read
constexpr std::size_t kMaxWord = 64;           // bytes; a longer one is no name
// BM25: when repeating a word stops to count, and how much a long part pays for having many words.
constexpr double kSaturation = 1.2;
constexpr double kLengthShare = 0.5;
// How much more a word counts that is in a definition's name, and a name that is spelled out.
constexpr double kNameWeight = 2;
constexpr double kSpelledWeight = 3;
// A name that occurs in more parts than this, and in more than one of four, names none of them.
constexpr int kMaxNamedParts = 24;

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Names and words of a text, in order, with where they begin.
void for_each_name(std::string_view text,
                   const std::function<void(std::string_view, std::size_t)>& use) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_name_byte(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && is_name_byte(text[at])) ++at;
    if (at - begin <= kMaxWord) use(text.substr(begin, at - begin), begin);
  }
}

// Without the endings in which a sentence and a name usually differ: "timeouts", "parsing".
std::string stem(std::string word) {
  const auto drop = [&](std::string_view ending, std::size_t left) {
    const bool has = word.size() >= ending.size() + left && word.ends_with(ending);
    if (has) word.resize(word.size() - ending.size());
    return has;
  };
  if (!drop("ing", 4) && !drop("ies", 3) && !drop("ed", 4) && !word.ends_with("ss")) drop("s", 3);
  if (word.size() > 3 && (word.back() == 'e' || word.back() == 'y')) word.pop_back();
  return word;
}

// "setHTTPTimeout_2" -> set, http, timeout; stemmed, in lower case.
void for_each_word(std::string_view name, const std::function<void(std::string)>& use) {
  for (std::size_t at = 0; at < name.size();) {
    if (name[at] == '_' || name[at] == '$' || is_digit(name[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at++;
    const auto go_on = [&](std::size_t i) {
      if (name[i] == '_' || name[i] == '$' || is_digit(name[i])) return false;
      if (!is_upper(name[i])) return true;
      return is_upper(name[i - 1]) && !(i + 1 < name.size() && is_lower(name[i + 1]));
    };
    while (at < name.size() && go_on(at)) ++at;
    std::string word(name.substr(begin, at - begin));
    for (char& c : word) c = static_cast<char>(is_upper(c) ? c - 'A' + 'a' : c);
    if (word.size() > 1) use(stem(std::move(word)));
  }
}

// Said of any part. As stem() leaves them.
bool is_stop_word(const std::string& word) {
  static const std::set<std::string> kStems = [] {
    std::set<std::string> stems;
    for (const char* each :
         {"a",    "an",     "and",    "are",    "as",     "at",       "be",     "by",    "can",
          "do",   "does",   "for",    "from",   "have",   "if",       "in",     "into",  "instead",
          "is",   "it",     "its",    "no",     "not",    "now",      "of",     "on",    "only",
          "or",   "our",    "should", "so",     "than",   "that",     "the",    "their", "them",
          "then", "there",  "they",   "this",   "to",     "up",       "use",    "was",   "we",
          "when", "where",  "which",  "will",   "with",   "would",    "you",    "add",   "fix",
          "make", "change", "also",   "but",    "all",    "any",      "each",   "every", "code",
          "file", "please", "return", "new",    "self",   "def",      "let",    "const", "var",
          "int",  "void",   "public", "static", "string", "function", "method", "class"})
      stems.insert(stem(each));
    return stems;
  }();
  return kStems.contains(word);
}

using Phrase = std::vector<std::string>;  // names, in lower case

struct Query {
  std::set<std::string, std::less<>> spelled;  // names
  std::set<std::string, std::less<>> words;
  std::set<Phrase> phrases;  // "Go 33", a text in quotes
};

Phrase phrase_of(std::string_view text) {
  Phrase phrase;
  for_each_name(text,
                [&](std::string_view name, std::size_t) { phrase.push_back(lower_case(name)); });
  return phrase;
}

bool has_phrase(const Phrase& text, const Phrase& phrase) {
  return std::search(text.begin(), text.end(), phrase.begin(), phrase.end()) != text.end();
}

// A word with a number ("Go 33") and texts in quotes.
std::set<Phrase> phrases_in(std::string_view instruction) {
  std::set<Phrase> phrases;
  for (const char quote : {'"', '\'', '`'}) {
    for (std::size_t at = instruction.find(quote); at != std::string_view::npos;) {
      const std::size_t end = instruction.find(quote, at + 1);
      if (end == std::string_view::npos) break;
      phrases.insert(phrase_of(instruction.substr(at + 1, end - at - 1)));
      at = instruction.find(quote, end + 1);
    }
  }
  const Phrase all = phrase_of(instruction);
  for (std::size_t i = 1; i < all.size(); ++i) {
    const bool is_number = std::ranges::all_of(all[i], is_digit);
    if (is_number && !is_digit(all[i - 1].front()) && !is_stop_word(stem(all[i - 1])))
      phrases.insert({all[i - 1], all[i]});
  }
  std::erase_if(phrases, [](const Phrase& phrase) { return phrase.size() < 2; });
  return phrases;
}

// "Go 33" may be called go33 or go_33 in the file, if nothing has it as two words.
void add_joined_names(std::string_view instruction, std::string_view text, Query& query) {
  const Phrase all = phrase_of(instruction);
  std::set<std::string> joined;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const bool is_number = std::ranges::all_of(all[i], is_digit);
    if (!is_number || query.phrases.contains({all[i - 1], all[i]})) continue;
    if (is_digit(all[i - 1].front()) || is_stop_word(stem(all[i - 1]))) continue;
    joined.insert(all[i - 1] + all[i]);
    joined.insert(all[i - 1] + "_" + all[i]);
  }
  if (joined.empty()) return;
  for_each_name(text, [&](std::string_view name, std::size_t) {
    if (joined.contains(lower_case(name))) query.spelled.emplace(name);
  });
}

// Whether the name at `at` looks like code, not like a word of a sentence.
bool looks_like_code(std::string_view text, std::string_view name, std::size_t at) {
  const char before = at == 0 ? '\n' : text[at - 1];
  const std::size_t end = at + name.size();
  const char after = end < text.size() ? text[end] : '\n';
  const auto is_quote = [](char c) { return c == '`' || c == '\'' || c == '"'; };
  if (is_digit(name.front()) || name.size() < 2) return is_quote(before) && is_quote(after);
  if (is_quote(before) && (is_quote(after) || after == '(')) return true;
  if (after == '(' || (before == '.' && at > 1 && is_name_byte(text[at - 2]))) return true;
  for (std::size_t i = 1; i < name.size(); ++i) {
    if (name[i] == '_' || is_digit(name[i]) || (is_upper(name[i]) && is_lower(name[i - 1])))
      return true;
  }
  // A capital within a sentence.
  const std::size_t word = text.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
  return is_upper(name.front()) && at > 0 && before == ' ' && word != text.npos &&
         (is_lower(text[word]) || text[word] == ',');
}

Query query_of(std::string_view instruction, std::string_view text) {
  instruction = instruction.substr(0, kMaxInstruction);
  Query query;
  for (const Replacement& each : replacements_in(instruction, text))
    query.spelled.insert(each.from);
  for_each_name(instruction, [&](std::string_view name, std::size_t at) {
    if (looks_like_code(instruction, name, at)) query.spelled.emplace(name);
    for_each_word(name, [&](std::string word) {
      if (!is_stop_word(word)) query.words.insert(std::move(word));
    });
  });
  query.phrases = phrases_in(instruction);
  if (query.phrases.empty()) return query;
  const Phrase all = phrase_of(text);
  std::erase_if(query.phrases, [&](const Phrase& phrase) { return !has_phrase(all, phrase); });
  add_joined_names(instruction, text, query);
  return query;
}

// What a part has of the query.
struct Found {
  std::map<std::string_view, int> spelled, words;  // how often; keys of the query
  std::set<const Phrase*> phrases;                 // of the query
  std::set<std::string_view> name_words;           // in its definition's name
  bool spelled_name = false;
  int n_words = 0;
};

Found find_in(std::string_view text, const EditPart& part, const Query& query) {
  Found found;
  for_each_name(text, [&](std::string_view name, std::size_t) {
    if (const auto spelled = query.spelled.find(name); spelled != query.spelled.end())
      ++found.spelled[*spelled];
    for_each_word(name, [&](const std::string& word) {
      ++found.n_words;
      if (const auto known = query.words.find(word); known != query.words.end())
        ++found.words[*known];
    });
  });
  if (!query.phrases.empty()) {
    const Phrase all = phrase_of(text);
    for (const Phrase& phrase : query.phrases) {
      if (has_phrase(all, phrase)) found.phrases.insert(&phrase);
    }
  }
  for_each_name(part.name, [&](std::string_view name, std::size_t) {
    found.spelled_name = found.spelled_name || query.spelled.contains(name);
    for_each_word(name, [&](const std::string& word) {
      if (const auto known = query.words.find(word); known != query.words.end())
        found.name_words.insert(*known);
    });
  });
  return found;
}

class Ranking {
 public:
  explicit Ranking(const std::vector<Found>& found) : n_parts_(static_cast<int>(found.size())) {
    double total = 0;
    for (const Found& each : found) {
      for (const auto& [name, count] : each.spelled) ++parts_with_[name];
      for (const Phrase* phrase : each.phrases) ++parts_with_phrase_[phrase];
      for (const auto& [word, count] : each.words) ++parts_with_word_[word];
      total += each.n_words;
    }
    mean_words_ = std::max(1.0, total / std::max(n_parts_, 1));
  }

  double score(const Found& found) const {
    const double length = 1 - kLengthShare + kLengthShare * found.n_words / mean_words_;
    double score = 0;
    for (const auto& [word, count] : found.words) {
      const double weight = rarity(parts_with_word_.at(word));
      score += weight * count * (kSaturation + 1) / (count + kSaturation * length);
    }
    for (const std::string_view word : found.name_words) {
      const auto with = parts_with_word_.find(word);
      score += kNameWeight * rarity(with == parts_with_word_.end() ? 1 : with->second);
    }
    for (const auto& [name, count] : found.spelled)
      score += kSpelledWeight * rarity(parts_with_.at(name));
    for (const Phrase* phrase : found.phrases)
      score += kSpelledWeight * rarity(parts_with_phrase_.at(phrase));
    return score;
  }
  bool named(const Found& found) const {
    const auto are_few = [&](int with) { return with <= kMaxNamedParts || 4 * with <= n_parts_; };
    return std::ranges::any_of(
               found.spelled,
               [&](const auto& each) { return are_few(parts_with_.at(each.first)); }) ||
           std::ranges::any_of(found.phrases, [&](const Phrase* phrase) {
             return are_few(parts_with_phrase_.at(phrase));
           });
  }

 private:
  double rarity(int with) const { return std::log(1 + (n_parts_ - with + 0.5) / (with + 0.5)); }

  int n_parts_;
  double mean_words_ = 1;
  std::map<std::string_view, int> parts_with_, parts_with_word_;
  std::map<const Phrase*, int> parts_with_phrase_;
};

}  // namespace

std::vector<RankedPart> rank_parts(const EditRegion& file, const std::vector<EditPart>& parts,
                                   std::string_view instruction) {
  const Document& document = file.document();
  const Query query = query_of(instruction, document.text());
  std::vector<Found> found;
  for (const EditPart& part : parts) {
    const std::size_t begin = document.lines().start(part.lines.first);
    const std::size_t end = document.lines().start(part.lines.last);
    found.push_back(
        find_in(std::string_view(document.text()).substr(begin, end - begin), part, query));
  }
  const Ranking ranking(found);
  std::vector<RankedPart> ranked;
  for (std::size_t i = 0; i < parts.size(); ++i)
    ranked.push_back({static_cast<int>(i), ranking.score(found[i]), ranking.named(found[i])});
  std::ranges::stable_sort(ranked, std::greater(), &RankedPart::score);
  return ranked;
}

}  // namespace redraft
