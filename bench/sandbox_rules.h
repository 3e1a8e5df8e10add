#pragma once

namespace redraft {

// Restrict a process that is about to run untrusted code. They are called between fork and exec in
// a process that had threads, so they only make system calls. Each returns 0 or the errno of the
// failure.

// Enters an empty network namespace, within a user namespace if the user is not root; a failure
// changes nothing.
int leave_network(bool root);

// After this, the process can only write, create or delete below `folder` (an open folder) and in
// /dev/null, and can only open the devices that every process has. `same_user`: the process keeps a
// user that owns files, so a kernel that only supports part of this is rejected.
int confine_files(int folder, bool same_user);

// After this, system calls fail that reach other processes, the network, file modes and owners, or
// kernel facilities that no test needs.
int forbid_system_calls();

}  // namespace redraft
