# redraft_library(NAME SOURCES … DEPENDS … EXTERNAL …)
# One library per folder. DEPENDS names the redraft folders it may include (the `layers` test holds every
# #include to this line); EXTERNAL the outside libraries it owns.
include_guard()

add_library(redraft_options INTERFACE)
target_include_directories(redraft_options INTERFACE ${CMAKE_SOURCE_DIR})
# cuda/ sets nvcc's warnings, because the code that nvcc passes to the host compiler is not the
# source code.
target_compile_options(redraft_options INTERFACE
  "$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion>"
  $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<BOOL:${REDRAFT_WERROR}>>:-Werror>)
# Results must not depend on where the compiler fuses a*b+c, so every fused multiply-add is
# explicit. Otherwise g++ fuses on AArch64, where every processor supports it, in one inlined copy
# of a function but not in another.
target_compile_options(redraft_options INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-ffp-contract=off>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 reports a false overlap in `"text" + std::string` (GCC bug 105651).
  target_compile_options(redraft_options INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-Wno-restrict>)
endif()
if(REDRAFT_SANITIZE)
  target_compile_options(redraft_options INTERFACE -fsanitize=${REDRAFT_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(redraft_options INTERFACE -fsanitize=${REDRAFT_SANITIZE})
endif()

# The -O level of release builds from here on, in this folder and below. -O2 takes a tenth less time to compile than -O3,
# -O1 a third less: -O3 is for code that runs for each token or byte, -O1 for commands, messages and tests, which
# mostly call it.
macro(redraft_optimize level)
  string(REGEX REPLACE "-O[0-3]" "-O${level}" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
endmacro()

function(redraft_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;EXTERNAL" ${ARGN})
  list(TRANSFORM ARG_DEPENDS PREPEND redraft_)
  add_library(redraft_${name} STATIC ${ARG_SOURCES})
  # Not visible to dependent folders: libtorch includes headers of libraries that the system has in
  # other versions (fmt).
  foreach(hidden redraft_torch redraft_tree_sitter redraft_jinja)
    if(hidden IN_LIST ARG_EXTERNAL)
      list(REMOVE_ITEM ARG_EXTERNAL ${hidden})
      target_link_libraries(redraft_${name} PRIVATE ${hidden})
    endif()
  endforeach()
  target_link_libraries(redraft_${name} PUBLIC redraft_options ${ARG_DEPENDS} ${ARG_EXTERNAL})
endfunction()
