#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "decoding/kernels/machine_peak.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/load_control.h"
#include "decoding/model/model_loader.h"
#include "support/result.h"

// Where models run, by the names of --device: "cpu" and "cuda".
namespace redraft::cli {

// Whether this build and this machine have the device; the error says what is missing.
Result<void> check_device(const std::string& device);

// load_model() for a device that is there. Throws ModelFailure where its memory is too small for
// the model, or it fails.
Result<LoadedModel> load_model_on(const std::string& device, const std::filesystem::path& path,
                                  ThreadPool& pool, const LoadControl& control);

// Bytes of the GPU's memory that are free; 0 where there is no GPU.
std::size_t free_gpu_memory();

// Measures what the device can do at most. `pool` outlives it.
std::unique_ptr<kernels::MachineProbe> make_probe(const std::string& device, ThreadPool& pool);

// Which kernels run there: an instruction set, or the GPU. Decides, with the model, what a pass
// costs.
std::string kernels_on(const std::string& device);

// For `redraft doctor`: the GPU, or why there is none.
std::string describe_gpu();

}  // namespace redraft::cli
