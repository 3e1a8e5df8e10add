#pragma once

#include <pthread.h>

#include <array>
#include <cstddef>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace redraft {

// The name of a thread in debuggers, in `top -H`, in /proc and in traces. The system keeps 15
// characters, so a longer name does not compile.
class ThreadName {
 public:
  template <std::size_t size>
  constexpr ThreadName(const char (&name)[size]) {  // NOLINT(google-explicit-constructor)
    static_assert(size <= kSize, "a thread's name has at most 15 characters");
    for (std::size_t i = 0; i < size; ++i) text_[i] = name[i];
  }
  // The name of one of several threads: "redraft-pool-3". It is cut off if it is too long.
  template <std::size_t size>
  ThreadName(const char (&name)[size], int number) {
    static_assert(size + 2 <= kSize, "with the number a thread's name has at most 15 characters");
    const std::string text = std::string(name) + "-" + std::to_string(number);
    text.copy(text_.data(), kSize - 1);
  }

  void give_to_this_thread() const { pthread_setname_np(pthread_self(), text_.data()); }

 private:
  static constexpr std::size_t kSize = 16;  // with the terminating zero
  std::array<char, kSize> text_{};
};

// Every thread of the product is started here or in run_named(), so that each has a name. `work`
// may take a std::stop_token.
template <typename Work>
std::jthread start_thread(ThreadName name, Work work) {
  return std::jthread([name, work = std::move(work)](std::stop_token stop) mutable {
    name.give_to_this_thread();
    if constexpr (std::is_invocable_v<Work&, std::stop_token>) {
      std::invoke(work, std::move(stop));
    } else {
      std::invoke(work);
    }
  });
}

// std::async on a named thread.
template <typename Work>
std::future<std::invoke_result_t<Work&>> run_named(ThreadName name, Work work) {
  return std::async(std::launch::async, [name, work = std::move(work)]() mutable {
    name.give_to_this_thread();
    return std::invoke(work);
  });
}

// The name of the calling thread; empty if the system does not know it.
inline std::array<char, 16> name_of_this_thread() {
  std::array<char, 16> name{};
  if (pthread_getname_np(pthread_self(), name.data(), name.size()) != 0) name = {};
  return name;
}

}  // namespace redraft
