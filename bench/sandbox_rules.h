#pragma once

namespace redraft {

// What the kernel is told about a process that is about to run hostile code. Called between fork
// and exec in a process that had threads: they make system calls and nothing else. Each returns 0
// or the errno of what failed.

// An empty network namespace, for a user other than root within a user namespace; a failure leaves
// things as they were.
int leave_network(bool root);

// From now on nothing can be written, created or deleted but below `folder` (an open folder), and
// /dev/null; and no device can be opened but those that everybody has. `same_user`: the process
// keeps a user that owns files, so an old kernel that knows this only in part will not do.
int confine_files(int folder, bool same_user);

// From now on the system calls that reach other processes, the network, file modes and owners, and
// kernel facilities that no test needs, fail.
int forbid_system_calls();

}  // namespace redraft
