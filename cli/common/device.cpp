#include "cli/common/device.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "cuda/device_probe.h"
#include "cuda/runtime.h"
#include "cuda/self_check.h"
#include "cuda/transformer.h"
#include "decoding/kernels/linear.h"
#include "support/files/file_handle.h"
#include "support/system_error.h"

namespace redraft::cli {
namespace {

#ifdef REDRAFT_CUDA

using cuda::find_device;

constexpr int kProbeMilliseconds = 60'000;  // a driver that has slept takes some seconds

// The device has been checked already.
Result<std::unique_ptr<LanguageModel>> load_on_gpu(std::shared_ptr<const ModelFiles> files,
                                                   ThreadPool& pool, const LoadControl& control) {
  auto model = cuda::load_transformer(files, pool, control);
  if (!model) return model;
  if (const Result<void> checked = cuda::self_check(*files, **model); !checked)
    return checked.error().in(files->path());
  return model;
}

TransformerMaker maker_of(const Device& device) {
  if (device == Device::cuda()) return load_on_gpu;
  return {};
}

std::unique_ptr<kernels::MachineProbe> probe_of_gpu() {
  return std::make_unique<cuda::DeviceProbe>();
}

// Waits for the reason that the child writes, which is empty if it found a GPU.
Result<void> answer_of(pid_t child, const FileHandle& end) {
  std::string reason;
  std::array<char, 1024> part;
  bool is_late = false;
  while (true) {
    pollfd waited{.fd = end.get(), .events = POLLIN, .revents = 0};
    is_late = ::poll(&waited, 1, kProbeMilliseconds) == 0;
    const ssize_t size = is_late ? 0 : ::read(end.get(), part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    reason.append(part.data(), static_cast<std::size_t>(size));
  }
  if (is_late) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (!reason.empty()) return Error(std::move(reason));
  return Error(is_late ? "the GPU's driver does not answer"
                       : "the GPU's driver ended the process that looked for a GPU");
}

// A driver starts threads that would keep their rights if this process confined itself later, and
// may fault or hang. So a child looks, once.
Result<void> look_for_gpu() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("cannot look for a GPU");
  const FileHandle reading(ends[0]);
  FileHandle writing(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return system_error("cannot look for a GPU");
  if (child == 0) {
    const Result<cuda::DeviceInfo> found = find_device();
    if (!found) {
      const std::string& reason = found.error().message();
      (void)!::write(writing.get(), reason.data(), reason.size());
    }
    ::_exit(found ? 0 : 1);
  }
  writing = FileHandle();
  return answer_of(child, reading);
}

const Result<void>& gpu_found() {
  static const Result<void> kFound = look_for_gpu();
  return kFound;
}

#else

std::unique_ptr<kernels::MachineProbe> probe_of_gpu() { return nullptr; }  // check_device() failed

Result<cuda::DeviceInfo> find_device() {
  return Error(
      "this build has no GPU support, because nvcc was missing when it was built. Run "
      "`tools/setup.py cuda` and build again");
}

TransformerMaker maker_of(const Device& /*device*/) { return {}; }

Result<void> gpu_found() { return find_device().error(); }

#endif

}  // namespace

Result<void> check_device(const Device& device) {
  if (device != Device::cuda()) return {};
  const Result<void>& found = gpu_found();
  if (found) return {};
  return Error("--device cuda: " + found.error().message() + ". Use --device cpu instead");
}

Device chosen_device(const DeviceChoice& choice) {
  if (choice.named()) return *choice.named();
  return check_device(Device::cuda()) ? Device::cuda() : Device::cpu();
}

Result<LoadedModel> load_model_on(const Device& device, const ModelLocation& location,
                                  ThreadPool& pool, const LoadControl& control) {
  Result<LoadedModel> loaded = load_model(location, pool, control, maker_of(device));
  if (loaded) loaded->device = device;
  return loaded;
}

std::size_t free_gpu_memory() {
  const Result<cuda::DeviceInfo> found = find_device();
  return found ? found->free_bytes : 0;
}

std::unique_ptr<kernels::MachineProbe> make_probe(const Device& device, ThreadPool& pool) {
  if (device == Device::cuda()) return probe_of_gpu();
  return std::make_unique<kernels::PeakProbe>(kernels::best_isa(), pool);
}

std::string kernels_on(const Device& device) {
  if (device != Device::cuda()) return kernels::to_string(kernels::best_isa());
  const Result<cuda::DeviceInfo> found = find_device();
  return "cuda " + (found ? found->name : "none");
}

std::string describe_gpu() {
  const Result<cuda::DeviceInfo> found = find_device();
  if (!found) return "none: " + found.error().message();
  return found->name + ", compute capability " + std::to_string(found->major) + "." +
         std::to_string(found->minor) + ", " + std::to_string(found->memory_bytes >> 30) +
         " GiB; used with --device cuda";
}

}  // namespace redraft::cli
