// Any list of rules for system calls, and any calls: the program that the kernel gets decides as
// the rules say. It is run here as the kernel runs it, and must not leave its own instructions.
#include <linux/audit.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "support/confine/call_filter.h"

namespace {

using redraft::CallFilter;

constexpr std::size_t kMostRules = 60;

void require(bool holds) {
  if (!holds) std::abort();
}

enum class Kind { kRefuse, kIf, kIfAny, kUnless, kOnly };

struct Rule {
  Kind kind = Kind::kRefuse;
  int call = 0;
  int argument = 0;
  std::array<std::uint32_t, 2> values = {};
};

class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool at_end() const { return bytes_.empty(); }
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t first = bytes_[0];
    bytes_ = bytes_.subspan(1);
    return first;
  }
  // Small numbers, so that calls and rules meet, and now and then others.
  std::uint32_t number() {
    const std::uint8_t first = byte();
    if (first < 0xF0) return first & 15U;
    return (first & 1U) != 0 ? 0xFFFFFFFFU : 0x80000000U | first;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

void add(const Rule& rule, CallFilter& filter) {
  switch (rule.kind) {
    case Kind::kRefuse:
      return filter.refuse(rule.call, ENOSYS);
    case Kind::kIf:
      return filter.refuse_if(rule.call, rule.argument, rule.values[0]);
    case Kind::kIfAny:
      return filter.refuse_if_any(rule.call, rule.argument, rule.values[0]);
    case Kind::kUnless:
      return filter.refuse_unless(rule.call, rule.argument, {rule.values[0], rule.values[1]});
    case Kind::kOnly:
      return filter.allow_only(std::array{rule.call, static_cast<int>(rule.values[0])});
  }
}

std::uint32_t answer(const Rule& rule, const seccomp_data& call) {
  constexpr std::uint32_t kEperm = SECCOMP_RET_ERRNO | EPERM;
  if (call.nr != rule.call) return SECCOMP_RET_ALLOW;
  const auto value = static_cast<std::uint32_t>(call.args[rule.argument]);
  const auto& [one, other] = rule.values;
  switch (rule.kind) {
    case Kind::kRefuse:
      return SECCOMP_RET_ERRNO | ENOSYS;
    case Kind::kIf:
      return value == one ? kEperm : SECCOMP_RET_ALLOW;
    case Kind::kIfAny:
      return (value & one) != 0 ? kEperm : SECCOMP_RET_ALLOW;
    case Kind::kUnless:
      return value == one || value == other ? SECCOMP_RET_ALLOW : kEperm;
    case Kind::kOnly:
      break;
  }
  return SECCOMP_RET_ALLOW;
}

// The first rule that refuses, or the first that decides on all calls.
std::uint32_t answer(const std::vector<Rule>& rules, const seccomp_data& call) {
  for (const Rule& rule : rules) {
    if (rule.kind == Kind::kOnly) {
      const bool allowed = call.nr == rule.call || call.nr == static_cast<int>(rule.values[0]);
      return allowed ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EPERM;
    }
    if (const std::uint32_t said = answer(rule, call); said != SECCOMP_RET_ALLOW) return said;
  }
  return SECCOMP_RET_ALLOW;
}

// The part of the kernel's machine that filters use.
std::uint32_t run(std::span<const sock_filter> program, const seccomp_data& call) {
  std::uint32_t accumulator = 0;
  for (std::size_t at = 0;; ++at) {
    require(at < program.size());
    const sock_filter& step = program[at];
    const auto jump = [&](bool taken) { at += taken ? step.jt : step.jf; };
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        require(step.k + sizeof accumulator <= sizeof call);
        std::memcpy(&accumulator, reinterpret_cast<const char*>(&call) + step.k,
                    sizeof accumulator);
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        jump(accumulator == step.k);
        break;
      case BPF_JMP | BPF_JGE | BPF_K:
        jump(accumulator >= step.k);
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        jump((accumulator & step.k) != 0);
        break;
      case BPF_RET | BPF_K:
        return step.k;
      default:
        require(false);
    }
  }
}

std::uint32_t this_architecture() {
#if defined(__aarch64__)
  return AUDIT_ARCH_AARCH64;
#else
  return AUDIT_ARCH_X86_64;
#endif
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Reader reader({data, size});
  std::vector<Rule> rules(reader.byte() % (kMostRules + 1));
  CallFilter filter;
  for (Rule& rule : rules) {
    const std::uint8_t kind = reader.byte();
    rule.kind = kind >= 0xF8 ? Kind::kOnly : static_cast<Kind>(kind % 4);
    rule.call = static_cast<int>(reader.byte() & 15U);
    rule.argument = reader.byte() % 6;
    for (std::uint32_t& value : rule.values) value = reader.number();
    add(rule, filter);
  }
  while (!reader.at_end()) {
    seccomp_data call = {};
    call.nr = static_cast<int>(reader.byte() & 15U);
    call.arch = this_architecture();
    // The high halves do not count.
    for (auto& argument : call.args)
      argument = reader.number() | std::uint64_t{reader.byte()} << 32;
    require(run(filter.program(), call) == answer(rules, call));
    call.arch ^= 1;
    require(run(filter.program(), call) == SECCOMP_RET_KILL_PROCESS);
  }
  return 0;
}
