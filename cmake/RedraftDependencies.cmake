# Everything redraft takes from outside, in one place.
include_guard()

find_package(Threads REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)  # libcrypto: SHA-256 of model files
find_package(Boost 1.74 REQUIRED)
find_package(spdlog 1.9 REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(CLI11 2.1 REQUIRED)

# Where tools/setup keeps what it unpacks.
if(DEFINED ENV{XDG_DATA_HOME})
  set(REDRAFT_DATA_HOME $ENV{XDG_DATA_HOME}/redraft)
else()
  set(REDRAFT_DATA_HOME $ENV{HOME}/.local/share/redraft)
endif()

# libtorch: either a CPU build that brings its own TorchConfig (-DTorch_DIR=…), or the tree that
# tools/setup unpacks from the wheel. The wheel's own TorchConfig insists on CUDA, so its two libraries are
# imported by hand.
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
