// A file and a change of it, as another assistant may have written it: the change is read or
// refused, and what it edits are lines of the file. The first line names the language; what follows
// the first NUL is the change.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "workspace/apply/change_place.h"

namespace {

using redraft::ByteRange;
using redraft::Document;
using redraft::FileLineRange;
using redraft::Mismatch;
using redraft::PlacedChange;
using redraft::ProposedChange;
using redraft::Result;
using redraft::TextEdit;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const Document& document, const PlacedChange& placed) {
  const std::string& text = document.text();
  std::size_t end = 0;
  for (const TextEdit& edit : placed.edits) {
    require(edit.range.begin >= end && edit.range.begin <= edit.range.end);
    end = edit.range.end;
  }
  require(end <= text.size());
  require(placed.is_placed() || placed.edits.empty());
  require(!placed.is_certain() || placed.is_placed());
  require(!placed.is_placed() || placed.places.empty());
  require(!placed.is_placed() || placed.doubts.size() == placed.edits.size());
  const int n_lines = document.lines().line_count();
  for (const Mismatch& mismatch : placed.mismatches) {
    require(!described(mismatch).empty());
    for (const FileLineRange& range : mismatch.regions)
      require(range.first >= 1 && range.first <= range.last && range.last <= n_lines);
  }
  end = 0;
  for (const ByteRange& place : placed.places) {
    require(place.begin >= end && place.begin <= place.end && place.end <= text.size());
    end = place.end;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t line = bytes.find('\n');
  const std::size_t nul = bytes.find('\0');
  if (line == std::string_view::npos || nul == std::string_view::npos || nul < line) return 0;
  const auto document =
      Document::make("file:///a", 1, std::string(bytes.substr(line + 1, nul - line - 1)),
                     std::string(bytes.substr(0, line)));
  if (!document) return 0;
  const Result<ProposedChange> change =
      parse_change(bytes.substr(nul + 1), changed_file(**document));
  if (!change) return 0;
  require(!change->replaced.empty() || !change->snippets.empty());
  check(**document, place_change(*document, *change));
  return 0;
}
