#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "decoding/device.h"
#include "support/result.h"

namespace redraft::cli {

// The value of --device: a device of this machine, or `auto`, which chosen_device() resolves.
class DeviceChoice {
 public:
  explicit DeviceChoice(Device device) : named_(std::move(device)) {}
  static DeviceChoice automatic() { return DeviceChoice(); }

  // Reads "auto", "cpu" or "cuda". Anything else is an error.
  static Result<DeviceChoice> parse(std::string_view text) {
    if (text == kAuto) return automatic();
    Result<Device> device = Device::parse(text);
    if (!device) return device.error();
    return DeviceChoice(*std::move(device));
  }
  // What parse() reads.
  std::string text() const { return named_ ? named_->text() : kAuto; }

  bool is_auto() const { return !named_; }
  const std::optional<Device>& named() const { return named_; }  // empty: auto

 private:
  static constexpr const char* kAuto = "auto";
  DeviceChoice() = default;

  std::optional<Device> named_;
};

}  // namespace redraft::cli
