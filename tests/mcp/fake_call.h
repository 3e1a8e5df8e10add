#pragma once

#include <poll.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mcp/tool.h"

namespace redraft::mcp {

// A call without a client.
class FakeCall : public Call {
 public:
  FakeCall(Json arguments, std::shared_ptr<const RootFolders> roots)
      : folders(std::move(roots)), arguments_(std::move(arguments)) {}

  const Json& arguments() const override { return arguments_; }
  Result<std::shared_ptr<const RootFolders>> roots() override {
    if (on_roots) on_roots(++n_roots_);
    return folders;
  }
  bool is_cancelled() override { return cancelled; }
  bool await(int descriptor, std::chrono::milliseconds limit) override {
    if (cancelled) return false;
    pollfd wait{descriptor, POLLIN, 0};
    return ::poll(&wait, 1, static_cast<int>(limit.count())) > 0;
  }
  void report(double done, double total, std::string_view) override {
    reported.emplace_back(done, total);
  }

  std::shared_ptr<const RootFolders> folders;
  bool cancelled = false;
  // With the number of the request: the first comes before a file is read, the second before it is
  // written.
  std::function<void(int)> on_roots;
  std::vector<std::pair<double, double>> reported;

 private:
  Json arguments_;
  int n_roots_ = 0;
};

}  // namespace redraft::mcp
