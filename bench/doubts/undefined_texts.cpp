#include "bench/doubts/undefined_texts.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <memory>
#include <random>
#include <string_view>

#include "indexing/syntax/imports.h"
#include "indexing/syntax/name_uses.h"
#include "indexing/syntax/syntax_tree.h"
#include "text/strings/text_lines.h"

namespace redraft {
namespace {

// Whether the name at a place stands for something of the file by itself.
bool is_changeable(const SyntaxTree& tree, const Imports& imports, const ByteRange& name) {
  if (std::ranges::any_of(imports.all,
                          [&](const Import& import) { return import.range.contains(name); }))
    return false;
  const auto meanings = tree.meanings_of(tree.text().substr(name.begin, name.size()));
  return meanings && std::ranges::any_of(meanings->things, [&](const NamedThing& thing) {
           return thing.kind != NamedThing::Kind::kMember &&
                  std::ranges::any_of(thing.uses, [&](const NameUse& use) {
                    return use.range == name && !use.declares && use.doubt.empty();
                  });
         });
}

// The places in new lines.
std::vector<ByteRange> changeable_uses(const ChangedFile& file) {
  const auto tree =
      SyntaxTree::parse(std::make_shared<const std::string>(file.after), file.language);
  if (!tree || !file.is_whole) return {};
  std::vector<ByteRange> places;
  const Imports imports = tree->imports();
  for (const ByteRange& place : new_places(edits_to(file, file.after))) {
    for (const ByteRange& name : tree->identifiers(place)) {
      if (is_changeable(*tree, imports, name)) places.push_back(name);
    }
  }
  return places;
}

// Another name of the same style: "other_size", "otherSize", "OtherSize", "OTHER_SIZE".
std::string other_name(std::string name) {
  const auto is = [](int (*test)(int), char c) { return test(static_cast<unsigned char>(c)) != 0; };
  const bool has_lower = std::ranges::any_of(name, [&](char c) { return is(std::islower, c); });
  const bool has_upper = std::ranges::any_of(name, [&](char c) { return is(std::isupper, c); });
  if (!has_lower) return "OTHER_" + name;
  if (is(std::isupper, name.front())) return "Other" + name;
  if (!has_upper) return "other_" + name;
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return "other" + name;
}

UndefinedText undefined_at(const ChangedFile& file, const ByteRange& use) {
  UndefinedText undefined;
  undefined.file = &file;
  undefined.text = file.after;
  undefined.name = other_name(file.after.substr(use.begin, use.size()));
  undefined.text.replace(use.begin, use.size(), undefined.name);
  const std::size_t begin = line_start(undefined.text, use.begin);
  undefined.line = undefined.text.substr(begin, line_end(undefined.text, use.begin) - begin);
  return undefined;
}

}  // namespace

std::vector<UndefinedText> undefined_texts(const std::vector<ChangedFile>& files, int n_texts,
                                           unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::vector<ByteRange>> uses;  // [file]
  std::size_t n_rounds = 0;
  for (const ChangedFile& file : files) {
    uses.push_back(changeable_uses(file));
    std::shuffle(uses.back().begin(), uses.back().end(), random);
    n_rounds = std::max(n_rounds, uses.back().size());
  }
  std::vector<UndefinedText> texts;
  for (std::size_t round = 0; round < n_rounds; ++round) {
    for (std::size_t i = 0; i < files.size() && std::ssize(texts) < n_texts; ++i) {
      if (round < uses[i].size()) texts.push_back(undefined_at(files[i], uses[i][round]));
    }
  }
  return texts;
}

}  // namespace redraft
