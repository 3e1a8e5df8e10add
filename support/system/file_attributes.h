#pragma once

namespace redraft {

// Gives the open file `to` the owner, the mode and the extended attributes (with access lists) of
// the open file `from`. False if some of it cannot be given: what can be has been then.
bool copy_attributes(int from, int to);

}  // namespace redraft
