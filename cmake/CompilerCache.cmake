# Uses ccache if it is installed. Precompiled headers require it to ignore their time stamps; paths are relative to the
# tree, so that several checkouts on one machine share compiled files.
include_guard()

find_program(REDRAFT_CCACHE ccache)
if(REDRAFT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${REDRAFT_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
