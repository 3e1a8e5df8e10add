#include "cli/common/device.h"

#include <memory>

#include "cuda/device_probe.h"
#include "cuda/runtime.h"
#include "cuda/self_check.h"
#include "cuda/transformer.h"
#include "decoding/kernels/linear.h"

namespace redraft::cli {
namespace {

#ifdef REDRAFT_CUDA

using cuda::find_device;

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

#else

std::unique_ptr<kernels::MachineProbe> probe_of_gpu() { return nullptr; }  // check_device() failed

Result<cuda::DeviceInfo> find_device() {
  return Error(
      "this build has no GPU support, because nvcc was missing when it was built. Run "
      "`tools/setup.py cuda` and build again");
}

TransformerMaker maker_of(const Device& /*device*/) { return {}; }

#endif

}  // namespace

Result<void> check_device(const Device& device) {
  if (device != Device::cuda()) return {};
  const Result<cuda::DeviceInfo> found = find_device();
  if (!found)
    return Error("--device cuda: " + found.error().message() + ". Use --device cpu instead");
  return {};
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
