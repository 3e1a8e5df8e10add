#include "workspace/edit/rename_things.h"

#include <algorithm>
#include <iterator>

#include "text/strings/names.h"
#include "workspace/documents/cursor_region.h"

namespace redraft {
namespace {

using Kind = NamedThing::Kind;
using What = RenameWish::What;

template <typename Is>
Things those(const Things& things, const Is& is) {
  Things found;
  std::ranges::copy_if(things, std::back_inserter(found), is);
  return found;
}

bool has_use(const NamedThing& thing, const ByteRange& range, bool declares) {
  return std::ranges::any_of(thing.uses, [&](const NameUse& use) {
    return use.doubt.empty() && range.contains(use.range) && (use.declares || !declares);
  });
}

// Which of `things` an instruction for these lines means. Empty: that is not certain.
Things meant_within(const Things& things, const ByteRange& range, bool is_whole_file) {
  const auto declared = [&](const NamedThing* thing) { return has_use(*thing, range, true); };
  const auto used = [&](const NamedThing* thing) { return has_use(*thing, range, false); };
  Things inside = those(things, declared);
  if (inside.empty()) {
    const Things about = those(things, used);
    return about.size() == 1 ? about : Things();
  }
  const bool are_alike =
      inside.size() == 1 || std::ranges::none_of(inside, [](const NamedThing* thing) {
        return thing->kind == Kind::kMember;
      });
  if (are_alike) return inside;
  // Within a function its variables come before what it only declares for others.
  return is_whole_file ? Things() : those(inside, is_local);
}

bool is_in_comment(const NameMeanings& meanings, std::size_t cursor) {
  return std::ranges::any_of(meanings.in_comments, [&](const ByteRange& range) {
    return range.begin <= cursor && cursor <= range.end;
  });
}

// Whether the cursor is on the name.
bool is_on(std::string_view text, std::size_t cursor, std::string_view name) {
  std::size_t begin = cursor, end = cursor;
  while (begin > 0 && is_name_byte(text[begin - 1])) --begin;
  while (end < text.size() && is_name_byte(text[end])) ++end;
  return text.substr(begin, end - begin) == name;
}

}  // namespace

bool is_local(const NamedThing* thing) {
  return thing->kind == Kind::kVariable || thing->kind == Kind::kParameter;
}

bool is_meant(const NamedThing& thing, const RenameWish& wish) {
  if (!wish.owner.empty() && wish.owner != "self" && wish.owner != "this")
    return thing.kind == Kind::kMember && thing.owner == wish.owner;
  if (!wish.owner.empty()) return thing.kind == Kind::kMember;
  switch (wish.what) {
    case What::kAnything:
      return true;
    case What::kParameter:
      return thing.kind == Kind::kParameter;
    case What::kMember:
      return thing.kind == Kind::kMember;
    case What::kVariable:  // people say it of parameters and attributes, too
      return true;
    case What::kFunction:
    case What::kType:
      return thing.kind != Kind::kParameter;
  }
  return true;
}

std::optional<std::size_t> cursor_of(const EditRequest& request, const RenameWish& wish) {
  if (request.cursor) return request.cursor;
  if (!request.range) return std::nullopt;
  const ByteRange& range = *request.range;
  const std::string_view selected =
      std::string_view(request.document->text()).substr(range.begin, range.size());
  const bool is_place = request.scope != EditScope::kSelection || range.empty();
  return is_place || selected == wish.from ? std::optional(range.begin) : std::nullopt;
}

bool is_of_file(const EditRequest& request) {
  return !request.range || request.scope == EditScope::kFile || request.scope == EditScope::kPlaces;
}

Things chosen_things(const EditRequest& request, const RenameWish& wish,
                     const NameMeanings& meanings) {
  Things things;
  for (const NamedThing& thing : meanings.things) {
    if (is_meant(thing, wish) && !thing.uses.empty()) things.push_back(&thing);
  }
  const Document& document = *request.document;
  const ByteRange file{0, document.text().size()};
  if (is_of_file(request)) {
    Things meant = meant_within(things, file, true);
    if (!meant.empty() || !request.cursor) return meant;
  }
  const std::optional<std::size_t> place = cursor_of(request, wish);
  if (!place) return meant_within(things, *request.range, false);
  const std::size_t cursor = *place;
  const auto is_at_cursor = [&](const NamedThing* thing) {
    return std::ranges::any_of(thing->uses, [&](const NameUse& use) {
      return use.doubt.empty() && use.range.begin <= cursor && cursor <= use.range.end;
    });
  };
  const Things at_cursor = those(things, is_at_cursor);
  if (!at_cursor.empty()) return at_cursor.size() == 1 ? at_cursor : those(at_cursor, is_local);
  if (is_on(document.text(), cursor, wish.from) && !is_in_comment(meanings, cursor)) return {};
  for (const Region& region : regions_at(document, {cursor, cursor}, file.size()).regions) {
    Things meant = meant_within(things, region.range, region.kind == RegionKind::kFile);
    if (!meant.empty()) return meant;
  }
  return {};
}

}  // namespace redraft
