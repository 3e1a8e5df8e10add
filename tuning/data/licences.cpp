#include "tuning/data/licences.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "text/strings/lines.h"
#include "text/strings/lower_case.h"
#include "text/strings/trimmed.h"

namespace redraft {

namespace {

// A licence, by some of its sentences as words in lower case. `words` is the maximum length of its
// text with the blanks filled in; a longer text contains something else, too.
struct KnownText {
  const char* licence;
  std::size_t words;
  std::array<std::string_view, 3> sentences;
};

constexpr KnownText kKnownTexts[] = {
    {"Apache-2.0",
     1900,
     {"apache license version 2 0 january 2004", "grant of copyright license",
      "grant of patent license"}},
    {"BSD-3-Clause",
     320,
     {"redistribution and use in source and binary forms with or without modification are "
      "permitted",
      "may be used to endorse or promote products derived from this software without specific "
      "prior "
      "written permission",
      "this software is provided"}},
    {"BSD-2-Clause",
     270,
     {"redistribution and use in source and binary forms with or without modification are "
      "permitted",
      "redistributions in binary form must reproduce the above copyright notice",
      "this software is provided"}},
    {"MIT",
     260,
     {"permission is hereby granted free of charge to any person obtaining a copy",
      "the above copyright notice and this permission notice shall be included in all copies",
      "the software is provided as is"}},
    {"MIT-0",
     200,
     {"permission is hereby granted free of charge to any person obtaining a copy",
      "publish distribute sublicense and or sell copies of the software",
      "the software is provided as is"}},
    {"ISC",
     200,
     {"permission to use copy modify and or distribute this software for any purpose with or "
      "without "
      "fee is hereby granted",
      "provided that the above copyright notice and this permission notice appear in all copies",
      "the software is provided as is"}},
    {"0BSD",
     170,
     {"permission to use copy modify and or distribute this software for any purpose with or "
      "without "
      "fee is hereby granted",
      "the software is provided as is", "the author disclaims all warranties"}},
    {"Zlib",
     220,
     {"this software is provided as is without any express or implied warranty",
      "permission is granted to anyone to use this software for any purpose",
      "this notice may not be removed or altered from any source distribution"}},
    {"Unlicense",
     300,
     {"this is free and unencumbered software released into the public domain",
      "anyone is free to copy modify publish use compile sell or distribute this software",
      "the software is provided as is"}},
    {"BSL-1.0",
     300,
     {"boost software license version 1 0",
      "permission is hereby granted free of charge to any person or organization",
      "the software is provided as is"}},
    {"PSF-2.0",
     700,
     {"python software foundation license version 2", "psf hereby grants licensee a nonexclusive",
      "psf is making python available to licensee on an as is basis"}},
};

// A text with one of these is not used, whatever else it says.
constexpr std::string_view kRestrictions[] = {
    "training data", "machine learning", "non commercial",
    "noncommercial", "commons clause",   "gnu general public",
    "gnu lesser",    "gnu affero",       "mozilla public license"};

// The words of a text in lower case, separated by one blank.
std::string words_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte))
      out += static_cast<char>(std::tolower(byte));
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return std::string(trimmed(out));
}

bool says(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Maps common names to SPDX identifiers.
std::string_view spelled(std::string_view identifier) {
  constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
      {"apache 2.0", "Apache-2.0"},
      {"apache license 2.0", "Apache-2.0"},
      {"apache software license", "Apache-2.0"},
      {"bsd 3-clause", "BSD-3-Clause"},
      {"bsd-3-clause license", "BSD-3-Clause"},
      {"mit license", "MIT"},
      {"the mit license", "MIT"},
      {"isc license", "ISC"},
  };
  const std::string plain = lower_case(identifier);
  for (const std::string_view known : permissive_licences())
    if (lower_case(known) == plain) return known;
  for (const auto& [other, known] : kOthers)
    if (other == plain) return known;
  return identifier;
}

// The quoted text after the first `key` that begins a line.
std::optional<std::string> quoted_value(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = trimmed(take_line(text));
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    line = trimmed(line, " \t\r\n:={,");
    if (line.starts_with("text")) line = trimmed(line.substr(4), " \t=:");
    if (line.empty()) continue;
    const char quote = line.front();
    if (quote != '"' && quote != '\'') return std::string(trimmed(line, " \t\r},"));
    line.remove_prefix(1);
    return std::string(line.substr(0, line.find(quote)));
  }
  return std::nullopt;
}

}  // namespace

const std::vector<std::string_view>& permissive_licences() {
  static const std::vector<std::string_view> list = {
      "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0",   "CC0-1.0",
      "ISC",  "MIT",        "MIT-0",        "PSF-2.0",      "Unlicense", "Zlib"};
  return list;
}

bool is_permissive(std::string_view expression) {
  expression = trimmed(expression, " \t");
  if (expression.starts_with('(') && expression.ends_with(')'))
    expression = expression.substr(1, expression.size() - 2);
  // Nested expressions are not parsed.
  if (expression.find_first_of("()") != expression.npos) return false;
  const auto parts = [&](std::string_view between) -> std::optional<std::size_t> {
    const std::size_t at = expression.find(between);
    return at == expression.npos ? std::nullopt : std::optional(at);
  };
  if (const auto at = parts(" OR "))
    return is_permissive(expression.substr(0, *at)) || is_permissive(expression.substr(*at + 4));
  if (const auto at = parts(" AND "))
    return is_permissive(expression.substr(0, *at)) && is_permissive(expression.substr(*at + 5));
  const auto& list = permissive_licences();
  return std::find(list.begin(), list.end(), spelled(expression)) != list.end();
}

std::optional<std::string> licence_of_text(std::string_view text) {
  const std::string words = words_of(text);
  const auto count = static_cast<std::size_t>(std::count(words.begin(), words.end(), ' ')) + 1;
  for (const std::string_view restriction : kRestrictions)
    if (says(words, restriction)) return std::nullopt;
  for (const KnownText& known : kKnownTexts) {
    const bool has_all =
        std::all_of(known.sentences.begin(), known.sentences.end(),
                    [&](std::string_view sentence) { return says(words, sentence); });
    if (!has_all) continue;
    if (count > known.words) return std::nullopt;
    return known.licence;
  }
  return std::nullopt;
}

bool is_licence_file(std::string_view name) {
  const std::string plain = lower_case(name);
  return plain.starts_with("license") || plain.starts_with("licence") ||
         plain.starts_with("copying") || plain.starts_with("unlicense");
}

bool is_package_metadata(std::string_view name) {
  return name == "pyproject.toml" || name == "setup.cfg" || name == "package.json" ||
         name == "Cargo.toml" || name == "PKG-INFO" || name == "METADATA";
}

std::optional<std::string> licence_of_metadata(std::string_view name, std::string_view text) {
  std::optional<std::string> value;
  if (name == "package.json")
    value = quoted_value(text, "\"license\"");
  else if (name == "PKG-INFO" || name == "METADATA")
    value = quoted_value(text, "License-Expression");
  else
    value = quoted_value(text, "license");
  if (!value || value->empty()) return std::nullopt;
  return std::string(spelled(*value));
}

std::optional<std::string> licence_of_source(std::string_view text) {
  constexpr std::size_t kLooked = 2000;
  constexpr std::string_view kTag = "SPDX-License-Identifier:";
  text = text.substr(0, kLooked);
  const std::size_t at = text.find(kTag);
  if (at == text.npos) return std::nullopt;
  std::string_view line = text.substr(at + kTag.size());
  line = trimmed(line.substr(0, line.find('\n')));
  for (const std::string_view end : {"*/", "-->"})
    if (line.ends_with(end)) line = trimmed(line.substr(0, line.size() - end.size()));
  return std::string(line);
}

Result<std::string> project_licence(const std::vector<NamedText>& files) {
  std::string found;
  const auto take = [&](const std::string& licence) {
    if (!says(" AND " + found + " AND ", " AND " + licence + " AND "))
      found += (found.empty() ? "" : " AND ") + licence;
  };
  for (const NamedText& file : files) {
    if (!is_licence_file(file.name)) continue;
    const std::optional<std::string> licence = licence_of_text(file.text);
    if (!licence)
      return Error(file.name +
                   " is not one of the permissive licences that redraft recognises by their text");
    take(*licence);
  }
  for (const NamedText& file : files) {
    if (!found.empty() || !is_package_metadata(file.name)) continue;
    const std::optional<std::string> licence = licence_of_metadata(file.name, file.text);
    if (!licence) continue;
    if (!is_permissive(*licence))
      return Error(file.name + " states the licence '" + *licence + "', which is not on the list");
    take(*licence);
  }
  if (found.empty())
    return Error("there is no licence file, and no package metadata that names one");
  return found;
}

}  // namespace redraft
