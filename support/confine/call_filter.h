#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace redraft {

// Which system calls a process may make: a program for the kernel (seccomp). It allows every call
// that is not refused here, or, after allow_only(), only some. A call through another numbering of
// calls ends the process. Nothing here allocates memory, so a child of a process with threads can
// build and install a filter.
class CallFilter {
 public:
  constexpr CallFilter() {
    add(load(offsetof(seccomp_data, arch)));
    add(jump(BPF_JEQ, kArchitecture, 1, 0));
    add(answer(SECCOMP_RET_KILL_PROCESS));
    add(load(offsetof(seccomp_data, nr)));
    add(jump(BPF_JGE, kOtherNumbering, 0, 1));
    add(answer(SECCOMP_RET_KILL_PROCESS));
  }

  // Makes the call fail with `error`, whatever its arguments are.
  constexpr void refuse(int call, int error = EPERM) {
    add(jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1));
    add(answer(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)));
  }
  constexpr void refuse_all(std::span<const int> calls) {
    for (const int call : calls) refuse(call);
  }

  // Makes all other calls fail with EPERM. Earlier rules hold for these calls, later ones do not.
  constexpr void allow_only(std::span<const int> calls) {
    for (const int call : calls) {
      add(jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1));
      add(answer(SECCOMP_RET_ALLOW));
    }
    add(answer(SECCOMP_RET_ERRNO | EPERM));
  }

  // Refuses by an argument (the first is 0). Only its low 32 bits count, as for the kernel where it
  // takes an int.
  constexpr void refuse_if(int call, int argument, std::uint32_t value) {
    begin(call, argument, 1);
    add(jump(BPF_JEQ, value, 0, 1));
    end();
  }
  constexpr void refuse_if_any(int call, int argument, std::uint32_t bits) {
    begin(call, argument, 1);
    add(jump(BPF_JSET, bits, 0, 1));
    end();
  }
  constexpr void refuse_unless(int call, int argument,
                               std::initializer_list<std::uint32_t> values) {
    begin(call, argument, values.size());
    std::size_t left = values.size();
    for (const std::uint32_t value : values)
      add(jump(BPF_JEQ, value, static_cast<std::uint8_t>(left--), 0));
    end();
  }

  // The program, which ends by allowing the call.
  constexpr std::span<const sock_filter> program() const { return {program_.data(), size_ + 1}; }

  // Installs the filter, for good, for the calling thread and, with `all`, for all other threads of
  // the process; everything they start inherits it. Takes from them the right to gain privileges by
  // an exec. Returns 0, or the errno of the failure.
  int install(bool all) const;

  // Whether this kernel has such filters, and this class supports the processor.
  static bool is_available();

 private:
#if defined(__x86_64__)
  static constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  static constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
  static constexpr std::uint32_t kArchitecture = 0;  // unknown: no filter can be installed
#endif
  static constexpr std::uint32_t kOtherNumbering = 0x40000000;  // the bit of the x32 ABI
  static constexpr std::size_t kMaxSize = 640;                  // instructions

  static constexpr sock_filter load(std::size_t offset) {
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  static constexpr sock_filter answer(std::uint32_t what) {
    return BPF_STMT(BPF_RET | BPF_K, what);
  }
  // Jumps count the instructions that they skip.
  static constexpr sock_filter jump(std::uint16_t test, std::uint32_t value, std::uint8_t if_true,
                                    std::uint8_t if_false) {
    return BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, if_true, if_false);
  }

  // `tests` jumps on the argument go between begin() and end(): to the next instruction, which
  // refuses, or past it.
  constexpr void begin(int call, int argument, std::size_t tests) {
    const auto skipped = static_cast<std::uint8_t>(3 + tests);
    add(jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, skipped));
    // The low half: both processors are little-endian.
    add(load(offsetof(seccomp_data, args) +
             static_cast<std::size_t>(argument) * sizeof(std::uint64_t)));
  }
  constexpr void end() {
    add(answer(SECCOMP_RET_ERRNO | EPERM));
    add(load(offsetof(seccomp_data, nr)));
  }

  constexpr void add(sock_filter instruction) {
    program_[size_++] = instruction;
    program_[size_] = answer(SECCOMP_RET_ALLOW);
  }

  std::array<sock_filter, kMaxSize> program_{};
  std::size_t size_ = 0;  // without the last one
};

}  // namespace redraft
