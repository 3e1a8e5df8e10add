#include "workspace/edit/rename_capture.h"

#include <algorithm>
#include <map>
#include <memory>

namespace redraft {
namespace {

// Places of one thing have one number.
using Numbers = std::map<std::size_t, std::size_t>;

// The text with the new names, and where what stood elsewhere is in it.
class NewText {
 public:
  NewText(std::string_view text, const std::vector<Renamed>& places) {
    std::size_t at = 0;
    for (const Renamed& place : places) {
      text_ += text.substr(at, place.range.begin - at);
      begins_[place.range.begin] = text_.size();
      text_ += place.text;
      at = place.range.end;
      shifts_[at] = static_cast<std::ptrdiff_t>(text_.size()) - static_cast<std::ptrdiff_t>(at);
    }
    text_ += text.substr(at);
  }

  const std::string& text() const { return text_; }
  std::size_t of_place(const Renamed& place) const {
    return begins_.at(place.range.begin) + place.offset;
  }
  std::size_t of_other(std::size_t offset) const {
    const auto behind = shifts_.upper_bound(offset);
    if (behind == shifts_.begin()) return offset;
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(offset) +
                                    std::prev(behind)->second);
  }

 private:
  std::string text_;
  std::map<std::size_t, std::size_t> begins_;
  std::map<std::size_t, std::ptrdiff_t> shifts_;
};

Numbers numbers_of(const NewText& text, const std::vector<Renamed>& places,
                   const NameMeanings& others) {
  Numbers numbers;
  std::size_t next = 0;
  for (const Renamed& place : places) {
    if (!place.thing || !place.doubt.empty()) continue;
    numbers[text.of_place(place)] = *place.thing;
    next = std::max(next, *place.thing + 1);
  }
  for (const NamedThing& thing : others.things) {
    for (const NameUse& use : thing.uses) {
      if (use.doubt.empty()) numbers.emplace(text.of_other(use.range.begin), next);
    }
    ++next;
  }
  for (const std::vector<ByteRange>* unknown : {&others.unknown, &others.unknown_members}) {
    for (const ByteRange& range : *unknown) numbers.emplace(text.of_other(range.begin), next);
    ++next;
  }
  return numbers;
}

}  // namespace

bool mixes_meanings(const SyntaxTree& before, const std::vector<Renamed>& places,
                    const NameMeanings& others, const std::string& new_name) {
  const NewText text(before.text(), places);
  const auto after = before.edited(std::make_shared<const std::string>(text.text()));
  const auto meanings = after ? after->meanings_of(new_name) : std::nullopt;
  if (!meanings) return false;
  const Numbers numbers = numbers_of(text, places, others);
  return std::ranges::any_of(meanings->things, [&](const NamedThing& thing) {
    std::optional<std::size_t> first;
    for (const NameUse& use : thing.uses) {
      const auto number = numbers.find(use.range.begin);
      if (!use.doubt.empty() || number == numbers.end()) continue;
      if (first && *first != number->second) return true;
      first = number->second;
    }
    return false;
  });
}

}  // namespace redraft
