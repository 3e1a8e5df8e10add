# REDRAFT_X86_64 or REDRAFT_AARCH64 is ON for the target processor. If neither is, only portable
# kernels are built.
include_guard()

set(REDRAFT_X86_64 OFF)
set(REDRAFT_AARCH64 OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(REDRAFT_X86_64 ON)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(REDRAFT_AARCH64 ON)
endif()
