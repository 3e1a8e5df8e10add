#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cli/common/device_choice.h"
#include "decoding/device.h"
#include "decoding/kernels/machine_peak.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/load_control.h"
#include "decoding/model/model_loader.h"
#include "support/result.h"

// The devices of this machine. None of these functions takes a server.
namespace redraft::cli {

// Whether this build and this machine have the device; the error says what is missing. A child
// process looks, so that no thread of a driver is in this one.
Result<void> check_device(const Device& device);

// The device that was named. For `auto`, the GPU if there is one, otherwise the CPU.
Device chosen_device(const DeviceChoice& choice);

// load_model() for an available device. Throws ModelFailure if the device fails or has too little
// memory for the model.
Result<LoadedModel> load_model_on(const Device& device, const ModelLocation& location,
                                  ThreadPool& pool, const LoadControl& control);

// Free bytes of the GPU's memory; 0 without a GPU.
std::size_t free_gpu_memory();

// Measures the limits of the device. `pool` must outlive the result.
std::unique_ptr<kernels::MachineProbe> make_probe(const Device& device, ThreadPool& pool);

// The kernels that run there: an instruction set, or the GPU. Together with the model they
// determine the cost of a pass.
std::string kernels_on(const Device& device);

// For `redraft doctor`: the GPU, or why there is none.
std::string describe_gpu();

}  // namespace redraft::cli
