// An insertion that repeats its neighbours
//
// On a blank line the model writes new lines. A small one often begins with the lines above or goes
// on with those below, and to insert these again would define them twice. So redraft compares an
// insertion with the lines next to it, and takes the lines that it repeats for those lines:
//
//   the file              the answer                       the edit
//                         def area(self):                  the region grows over the two lines of
//   ▮                         return self.w * self.h       `name`; the difference is `area` and the
//   def name(self):                                        blank line below it
//       return self.n     def name(self):
//                             return self.n
//
//   ▮                     import abc                       it grows over the imports, whose order
//   import sys            import sys                       changes; no line is there twice
//   import abc
//
// The region grows only where nothing can be lost: over lines that the answer ends (or begins)
// with, and over paragraphs whose lines it has all. An answer of nothing but lines that are there
// inserts nothing.
#pragma once

#include <string>
#include <vector>

#include "workspace/documents/edit_region.h"

namespace redraft {

// Whether new lines are written: the region has no line with text.
bool is_insertion(const EditRegion& region);

struct Insertion {
  EditRegion region;               // with the neighbours that are repeated
  std::vector<std::string> lines;  // what stands there instead
};

// What writing `lines` in the place of `region` means. `region` is an insertion.
Insertion without_repeated_neighbours(const EditRegion& region, std::vector<std::string> lines);

}  // namespace redraft
