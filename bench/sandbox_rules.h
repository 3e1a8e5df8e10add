#pragma once

namespace redraft {

// Restricts a process that is about to run code that is not trusted. Called between fork and exec
// in a process that had threads, so these functions only make system calls. Each returns 0 or the
// errno of what failed.

// Enters an empty network namespace, within a user namespace if the user is not root; a failure
// changes nothing.
int leave_network(bool root);

// After this, nothing can be written, created or deleted except below `folder` (an open folder) and
// in /dev/null, and no device can be opened except those that every process has. `same_user`: the
// process keeps a user that owns files, so an old kernel with only part of this is refused.
int confine_files(int folder, bool same_user);

// After this, system calls fail that reach other processes, the network, file modes and owners, or
// kernel facilities that no test needs.
int forbid_system_calls();

}  // namespace redraft
