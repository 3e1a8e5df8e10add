# nvcc: the one that tools/setup.py unpacks from its wheels, or another (-DREDRAFT_NVCC=…).
# REDRAFT_CUDA says whether GPU kernels are compiled, which needs no GPU.
include_guard()

set(REDRAFT_CUDA OFF)
if(CMAKE_CROSSCOMPILING)  # the wheels only contain a compiler for this machine
  return()
endif()

set(_toolkit ${REDRAFT_DATA_HOME}/cuda-13.0)
set(REDRAFT_NVCC "" CACHE FILEPATH "nvcc to compile kernels for GPUs with; empty: tools/setup's")
if(REDRAFT_NVCC)
  set(CMAKE_CUDA_COMPILER ${REDRAFT_NVCC})
elseif(EXISTS ${_toolkit}/bin/nvcc)
  set(CMAKE_CUDA_COMPILER ${_toolkit}/bin/nvcc)
  set(CMAKE_CUDA_FLAGS_INIT -L${_toolkit}/lib)  # not searched by nvcc.profile
endif()

if(CMAKE_CUDA_COMPILER AND NOT REDRAFT_SANITIZE)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90)  # Ampere, Hopper, and PTX for what comes after
  if(REDRAFT_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${REDRAFT_CCACHE})
  endif()
  enable_language(CUDA)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake before 3.26 does not know that nvcc supports it
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  set(REDRAFT_CUDA ON)
  # Programs that do not use torch link this first, so that they run on a machine without torch: torch's libraries contain
  # copies of parts of the standard library, which would otherwise be used.
  set(REDRAFT_NO_TORCH -Wl,--no-as-needed -lstdc++ -Wl,--as-needed)
else()
  message(STATUS "Kernels for GPUs are not compiled: no nvcc at ${_toolkit} (tools/setup.py cuda)")
endif()
