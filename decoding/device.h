#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "support/result.h"

namespace redraft {

// Where a model runs: on this machine's CPU, on its NVIDIA GPU, or on a server.
class Device {
 public:
  static Device cpu() { return {Kind::kCpu, "cpu"}; }
  static Device cuda() { return {Kind::kCuda, "cuda"}; }
  // `address` is what users see: "https://host:port", without a key.
  static Device server(std::string address) { return {Kind::kServer, std::move(address)}; }

  // Reads "cpu" or "cuda". Anything else is an error.
  static Result<Device> parse(std::string_view text) {
    for (const Device& device : {cpu(), cuda()}) {
      if (device.text() == text) return device;
    }
    return Error("there is no device '" + std::string(text) + "'. Use cpu or cuda");
  }
  // What parse() reads, or the server's address: for options, reports and the status.
  const std::string& text() const { return text_; }

  friend bool operator==(const Device&, const Device&) = default;

 private:
  enum class Kind { kCpu, kCuda, kServer };
  Device(Kind kind, std::string text) : kind_(kind), text_(std::move(text)) {}

  Kind kind_;
  std::string text_;
};

}  // namespace redraft
