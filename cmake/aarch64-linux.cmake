# Toolchain file: cross-compiles for AArch64 Linux. Debian's compiler provides the C and C++
# libraries; the others are in the tree that tools/setup.py unpacks (step `aarch64`), so the
# machine's own packages stay unchanged. tools/emulated.sh runs the programs.
# CMAKE_CROSSCOMPILING_EMULATOR is not enough: programs start others, and CMake would also emulate
# this machine's Python.
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
# The tree's libraries depend on each other, and a cross linker does not search for them on its own.
string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -Wl,-rpath-link,${CMAKE_FIND_ROOT_PATH}/usr/lib/aarch64-linux-gnu")
