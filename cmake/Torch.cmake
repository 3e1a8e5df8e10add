# libtorch: either a CPU build that brings its own TorchConfig (-DTorch_DIR=…), or the tree that
# tools/setup unpacks from the wheel. The wheel's own TorchConfig insists on CUDA, so its two libraries are
# imported by hand.
include_guard()

if(Torch_DIR)
  find_package(Torch REQUIRED)
  add_library(redraft_torch INTERFACE)
  target_include_directories(redraft_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
  target_link_libraries(redraft_torch INTERFACE ${TORCH_LIBRARIES})
  set(REDRAFT_TORCH_VERSION ${Torch_VERSION})
else()
  set(REDRAFT_LIBTORCH ${REDRAFT_DATA_HOME}/libtorch-2.11.0 CACHE PATH "libtorch unpacked by tools/setup")
  set(_torch ${REDRAFT_LIBTORCH}/torch)
  set(REDRAFT_TORCH_VERSION 2.11.0)
  if(NOT EXISTS ${_torch}/lib/libtorch_cpu.so)
    message(FATAL_ERROR "libtorch is not at ${REDRAFT_LIBTORCH}: run `make setup`, or give -DTorch_DIR for your own")
  endif()
  add_library(redraft_c10 SHARED IMPORTED)
  set_target_properties(redraft_c10 PROPERTIES IMPORTED_LOCATION ${_torch}/lib/libc10.so)
  add_library(redraft_torch_cpu SHARED IMPORTED)
  set_target_properties(redraft_torch_cpu PROPERTIES IMPORTED_LOCATION ${_torch}/lib/libtorch_cpu.so)
  add_library(redraft_torch INTERFACE)
  target_include_directories(redraft_torch SYSTEM INTERFACE ${_torch}/include ${_torch}/include/torch/csrc/api/include)
  target_link_libraries(redraft_torch INTERFACE redraft_torch_cpu redraft_c10 Threads::Threads)
  target_link_options(redraft_torch INTERFACE
    -Wl,-rpath-link,${REDRAFT_LIBTORCH}/nvidia/cu13/lib -Wl,-rpath,${REDRAFT_LIBTORCH}/nvidia/cu13/lib)
endif()
