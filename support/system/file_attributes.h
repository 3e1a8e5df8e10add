#pragma once

namespace redraft {

// Copies the owner, the mode and the extended attributes (with access lists) of the open file
// `from` to the open file `to`. Copies as much as it can; false if some could not be copied.
bool copy_attributes(int from, int to);

}  // namespace redraft
