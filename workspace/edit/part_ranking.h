// Which parts of a file an instruction is about, by its words alone
//
// Each part is a small document and the instruction is a query (BM25): a word counts the more the
// fewer parts have it, and more in the name of a definition than in its text. Names are compared
// whole and by the words that they are made of, so that "connection timeout" finds
// `set_connection_timeout`. A name that the instruction spells out exactly is special: whatever
// happens to it concerns every part where it occurs, its callers too. So is a word with a number
// ("Go 33") and a text in quotes.
#pragma once

#include <string_view>
#include <vector>

#include "workspace/documents/edit_region.h"
#include "workspace/edit/edit_parts.h"

namespace redraft {

struct RankedPart {
  int part = 0;        // an index
  double score = 0;    // 0: shares no word with the instruction
  bool named = false;  // it has a name that the instruction spells out and that few parts have
  friend bool operator==(const RankedPart&, const RankedPart&) = default;
};

// All parts, the best first; equally good ones in file order.
std::vector<RankedPart> rank_parts(const EditRegion& file, const std::vector<EditPart>& parts,
                                   std::string_view instruction);

}  // namespace redraft
