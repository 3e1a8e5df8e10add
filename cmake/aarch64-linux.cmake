# Toolchain file: builds for AArch64 Linux on another machine. The compiler is Debian's and brings the C library and the
# C++ library; the others lie in the tree that tools/setup.py unpacks (step `aarch64`), so the machine's own packages stay
# as they are. What is built runs by tools/emulated.sh. CMAKE_CROSSCOMPILING_EMULATOR would not do: programs start others,
# and CMake would also have it emulate the Python of this machine.
include(${CMAKE_CURRENT_LIST_DIR}/DataHome.cmake)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(CMAKE_FIND_ROOT_PATH ${REDRAFT_DATA_HOME}/sysroot-aarch64)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Searched by a native compiler, not by this one.
foreach(language C CXX)
  string(APPEND CMAKE_${language}_FLAGS_INIT " -isystem ${CMAKE_FIND_ROOT_PATH}/usr/include/aarch64-linux-gnu")
endforeach()
# A library of the tree needs others of the tree, for which a cross linker looks nowhere by itself.
string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -Wl,-rpath-link,${CMAKE_FIND_ROOT_PATH}/usr/lib/aarch64-linux-gnu")
