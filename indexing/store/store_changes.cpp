#include "indexing/store/store_changes.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "indexing/store/checksum.h"
#include "indexing/store/store_bytes.h"
#include "indexing/store/store_format.h"

namespace redraft {
namespace {

constexpr std::uint64_t kMagic = magic_number(kChangesMagic);
constexpr std::size_t kHeaderBytes = 3 * sizeof(std::uint64_t);

// The contents of a record.
struct Changes {
  struct Gone {
    std::uint64_t segment = 0;
    std::vector<std::uint64_t> texts;
  };
  std::vector<std::uint64_t> removed;
  std::vector<Gone> gone;
  std::vector<StoreManifest::Segment> added;

  bool empty() const { return removed.empty() && gone.empty() && added.empty(); }
};

void put_numbers(ByteWriter& writer, const std::vector<std::uint64_t>& numbers) {
  writer.put(std::uint64_t{numbers.size()});
  for (const std::uint64_t number : numbers) writer.put(number);
}

std::vector<std::uint64_t> get_numbers(ByteReader& reader) {
  std::vector<std::uint64_t> numbers(reader.get_count(sizeof(std::uint64_t)));
  for (std::uint64_t& number : numbers) number = reader.get<std::uint64_t>();
  return numbers;
}

std::vector<std::byte> record_of(const Changes& changes) {
  ByteWriter writer;
  put_numbers(writer, changes.removed);
  writer.put(std::uint64_t{changes.gone.size()});
  for (const Changes::Gone& gone : changes.gone) {
    writer.put(gone.segment);
    put_numbers(writer, gone.texts);
  }
  writer.put(std::uint64_t{changes.added.size()});
  for (const StoreManifest::Segment& segment : changes.added) put_segment(writer, segment);
  const std::vector<std::byte> body = writer.take();
  ByteWriter record;
  record.put(std::uint64_t{body.size()});
  record.put_bytes(body);
  return record.take_with_checksum();
}

std::optional<Changes> read_changes(std::span<const std::byte> body) {
  ByteReader reader(body);
  Changes changes{.removed = get_numbers(reader), .gone = {}, .added = {}};
  const std::size_t gone = reader.get_count(2 * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < gone && !reader.failed(); ++i) {
    const auto segment = reader.get<std::uint64_t>();
    changes.gone.push_back({segment, get_numbers(reader)});
  }
  const std::size_t added = reader.get_count(2 * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < added && !reader.failed(); ++i)
    changes.added.push_back(get_segment(reader));
  if (reader.failed() || !reader.at_end()) return std::nullopt;
  return changes;
}

// Returns false and leaves the manifest unchanged if the changes do not fit.
bool apply(Changes changes, StoreManifest& manifest) {
  std::map<std::uint64_t, StoreManifest::Segment*> known;
  for (StoreManifest::Segment& segment : manifest.segments) known[segment.number] = &segment;
  for (const std::uint64_t number : changes.removed) {
    if (!known.contains(number)) return false;
  }
  for (const Changes::Gone& gone : changes.gone) {
    const auto segment = known.find(gone.segment);
    if (segment == known.end()) return false;
    const std::size_t n_texts = segment->second->texts.size();
    if (std::ranges::any_of(gone.texts, [&](std::uint64_t text) { return text >= n_texts; }))
      return false;
  }
  for (const StoreManifest::Segment& segment : changes.added) {
    if (known.contains(segment.number)) return false;
  }
  for (const Changes::Gone& gone : changes.gone) {
    for (const std::uint64_t text : gone.texts) known[gone.segment]->texts[text].reset();
  }
  const std::set<std::uint64_t> removed(changes.removed.begin(), changes.removed.end());
  std::erase_if(manifest.segments, [&](const StoreManifest::Segment& segment) {
    return removed.contains(segment.number);
  });
  std::ranges::move(changes.added, std::back_inserter(manifest.segments));
  return true;
}

}  // namespace

SavedState::SavedState(const StoreManifest& manifest) {
  for (const StoreManifest::Segment& segment : manifest.segments) {
    Known& known = segments_.emplace_back(Known{.number = segment.number, .counts = {}});
    for (const auto& text : segment.texts) known.counts.push_back(text.has_value());
  }
}

std::optional<std::vector<std::byte>> SavedState::advance_to(const StoreManifest& now) {
  Changes changes;
  auto segment = now.segments.begin();
  for (const Known& known : segments_) {
    if (segment == now.segments.end() || segment->number != known.number) {
      changes.removed.push_back(known.number);
      continue;
    }
    if (segment->texts.size() != known.counts.size()) return std::nullopt;
    Changes::Gone gone{known.number, {}};
    for (std::size_t text = 0; text < known.counts.size(); ++text) {
      const bool counts = segment->texts[text].has_value();
      if (counts && !known.counts[text]) return std::nullopt;
      if (!counts && known.counts[text]) gone.texts.push_back(text);
    }
    if (!gone.texts.empty()) changes.gone.push_back(std::move(gone));
    ++segment;
  }
  for (; segment != now.segments.end(); ++segment) {
    const auto same = [&](const Known& known) { return known.number == segment->number; };
    if (std::ranges::any_of(segments_, same)) return std::nullopt;  // in another order
    changes.added.push_back(*segment);
  }
  *this = SavedState(now);
  return changes.empty() ? std::vector<std::byte>() : record_of(changes);
}

std::vector<std::byte> changes_header(std::uint64_t key, std::uint64_t manifest_checksum) {
  ByteWriter writer;
  writer.put(kMagic);
  writer.put(key);
  writer.put(manifest_checksum);
  return writer.take();
}

std::size_t apply_changes(std::span<const std::byte> file, std::uint64_t key,
                          std::uint64_t manifest_checksum, StoreManifest& manifest) {
  const std::vector<std::byte> header = changes_header(key, manifest_checksum);
  if (file.size() < kHeaderBytes || !std::ranges::equal(file.first(kHeaderBytes), header)) return 0;
  std::size_t at = kHeaderBytes;
  while (true) {
    ByteReader reader(file.subspan(at));
    const std::size_t size = reader.get_count(1);
    const std::span<const std::byte> body = reader.take(size);
    const auto sum = reader.get<std::uint64_t>();
    if (reader.failed()) return at;
    const std::size_t summed = sizeof(std::uint64_t) + size;
    if (checksum(file.subspan(at, summed)) != sum) return at;
    std::optional<Changes> changes = read_changes(body);
    if (!changes || !apply(std::move(*changes), manifest)) return at;
    at += summed + sizeof sum;
  }
}

}  // namespace redraft
