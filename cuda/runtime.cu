#include <cuda_runtime.h>

#include <atomic>
#include <functional>
#include <utility>

#include "cuda/runtime.h"

namespace redraft::cuda {
namespace {

// The kernels are compiled for at least this compute capability: matrix instructions of bfloat16.
constexpr int kMinMajor = 8;

std::atomic<int> chosen = 0;

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw DeviceError(std::string("the GPU failed (") + what + "): " + cudaGetErrorString(status));
}

std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}  // namespace

Result<DeviceInfo> find_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver)
    return Error("no GPU can be used: NVIDIA's driver is not there, or is older than CUDA 13");
  if (status != cudaSuccess)
    return Error(std::string("no GPU can be used: ") + cudaGetErrorString(status));
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess || properties.major < kMinMajor)
      continue;
    DeviceInfo info{.name = properties.name, .major = properties.major, .minor = properties.minor};
    if (cudaSetDevice(i) != cudaSuccess ||
        cudaMemGetInfo(&info.free_bytes, &info.memory_bytes) != cudaSuccess)
      continue;
    chosen = i;
    return info;
  }
  return Error(
      "no GPU can be used: none of those there has compute capability 8.0 (Ampere) or more");
}

void use_device() { check(cudaSetDevice(chosen), "no such device"); }

void* allocate_on_device(std::size_t bytes) {
  void* data = nullptr;
  const cudaError_t status = cudaMalloc(&data, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // so that the next call does not report it
    std::size_t free = 0, all = 0;
    cudaMemGetInfo(&free, &all);
    throw DeviceMemoryError("the GPU has no " + mebibytes(bytes) + " of memory left (" +
                            mebibytes(free) + " of " + mebibytes(all) + " are free)");
  }
  check(status, "allocation");
  return data;
}

void free_on_device(void* data, std::size_t) { cudaFree(data); }

void* allocate_on_host(std::size_t bytes) {
  void* data = nullptr;
  const cudaError_t status = cudaMallocHost(&data, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw DeviceMemoryError("there is no " + mebibytes(bytes) + " of memory to share with the GPU");
  }
  check(status, "allocation");
  return data;
}

void free_on_host(void* data, std::size_t) { cudaFreeHost(data); }

DeviceQueue::DeviceQueue() {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
}

DeviceQueue::~DeviceQueue() { cudaStreamDestroy(stream_); }

void DeviceQueue::copy_in(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), "copy to it");
}

void DeviceQueue::copy_out(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), "copy from it");
}

void DeviceQueue::fill(void* to, std::uint8_t value, std::size_t bytes) {
  check(cudaMemsetAsync(to, value, bytes, stream_), "filling memory");
}

void DeviceQueue::copy_strips(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t bytes, std::size_t count) {
  check(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, bytes, count, cudaMemcpyDeviceToDevice,
                          stream_),
        "copy within it");
}

DeviceGraph::~DeviceGraph() {
  if (handle_) cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(handle_));
}

DeviceGraph DeviceQueue::record(const std::function<void()>& record) {
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "recording");
  cudaGraph_t graph = nullptr;
  try {
    record();
  } catch (...) {
    cudaStreamEndCapture(stream_, &graph);
    if (graph) cudaGraphDestroy(graph);
    throw;
  }
  check(cudaStreamEndCapture(stream_, &graph), "recording");
  cudaGraphExec_t executable = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "a recording's start");
  DeviceGraph result;
  result.handle_ = executable;
  return result;
}

void DeviceQueue::queue(const DeviceGraph& graph) {
  check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph.handle_), stream_), "a recording");
}

void DeviceQueue::wait() {
  check(cudaGetLastError(), "kernel launch");
  check(cudaStreamSynchronize(stream_), "kernel");
}

}  // namespace redraft::cuda
