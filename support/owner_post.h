#pragma once

#include <functional>
#include <memory>
#include <utility>

namespace redraft {

// Runs a function on the thread that owns an event loop, later.
using Post = std::function<void(std::function<void()>)>;

// Lets other threads call an object that lives on its owner's thread. Calls posted after the object
// is destroyed are dropped. Copies may outlive the object.
class OwnerPost {
 public:
  // `alive` is a member of the object and is destroyed with it.
  OwnerPost(Post post, const std::shared_ptr<const bool>& alive)
      : post_(std::move(post)), alive_(alive) {}

  template <typename Function>
  void operator()(Function function) const {
    post_([alive = alive_, function = std::move(function)] {
      if (alive.lock()) function();
    });
  }

 private:
  Post post_;
  std::weak_ptr<const bool> alive_;
};

}  // namespace redraft
