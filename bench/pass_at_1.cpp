#include "bench/pass_at_1.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "text/strings/lines.h"

namespace redraft {
namespace {

constexpr const char* kProgram = "program.py";

// The code in an answer: its first fenced block. An answer without one is all code.
std::string_view code_of(std::string_view text) {
  std::size_t begin = text.find("```");
  if (begin == std::string_view::npos) return text;
  begin = text.find('\n', begin);
  if (begin == std::string_view::npos) return text;
  return text.substr(begin + 1, text.find("\n```", begin) - begin);
}

// HumanEval's tests define check(candidate) and leave the call to others.
std::string call_of_check(const TaskTests& tests) {
  if (tests.code.find("def check(") == std::string::npos) return {};
  if (("\n" + tests.code).find("\ncheck(") != std::string::npos) return {};
  const bool without = tests.code.find("def check()") != std::string::npos;
  return "\n\ncheck(" + (without ? "" : tests.entry_point) + ")\n";
}

std::string solution(const BenchTask& task, const std::string& text) {
  switch (task.kind) {
    case TaskKind::kGeneration: {
      // An answer that defines the function itself replaces the prompt.
      const std::string_view code = code_of(text);
      const bool whole = task.tests && !task.tests->entry_point.empty() &&
                         code.find("def " + task.tests->entry_point + "(") != code.npos;
      return (whole ? "" : task.prompt) + std::string(code);
    }
    case TaskKind::kCompletion:
      return task.prompt + text + task.suffix;
    case TaskKind::kEdits:
    case TaskKind::kDialogue:
      break;
  }
  return text;
}

std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// MBPP's references are indented by fewer spaces than the prompts that they continue.
std::string indented_as(const std::string& prompt, const std::string& reference) {
  const std::size_t last = prompt.find_last_not_of(" \t\r\n");
  if (last == std::string::npos) return reference;
  const std::size_t newline = prompt.rfind('\n', last);
  const std::size_t wanted = indentation(std::string_view(prompt).substr(newline + 1));
  const std::size_t found = indentation(reference);
  if (found == 0 || found >= wanted) return reference;
  std::string out;
  for (std::string_view rest = reference; !rest.empty();) {
    const std::string_view line = take_line(rest);
    out += std::string(wanted - found, ' ') + std::string(line) + "\n";
  }
  return out;
}

std::optional<std::string> reference_of(const BenchTask& task) {
  if (task.kind == TaskKind::kEdits) return task.file ? task.file->after : std::nullopt;
  if (task.kind != TaskKind::kGeneration || !task.reference) return task.reference;
  return indented_as(task.prompt, *task.reference);
}

}  // namespace

std::string test_program(const BenchTask& task, const std::string& text) {
  return solution(task, text) + "\n\n" + task.tests->code + call_of_check(*task.tests);
}

Result<TestRunner> TestRunner::make(std::string python, const SandboxLimits& limits) {
  TestRunner runner(std::move(python), limits);
  const Result<SandboxResult> trial = runner.run("pass\n");
  if (!trial) return trial.error();
  if (!trial->succeeded())
    return Error(runner.python_ + ": cannot run a program in the sandbox; give another Python");
  runner.own_network_ = trial->own_network;
  return runner;
}

Result<SandboxResult> TestRunner::run(const std::string& program) const {
  // -I: neither the program's folder nor the user's packages are searched; -B: nothing is cached.
  return run_sandboxed({python_, "-I", "-B", kProgram}, kProgram, program, limits_);
}

bool TestRunner::can_tell(const BenchTask& task) {
  const auto known = can_tell_.find(task.id);
  if (known != can_tell_.end()) return known->second;
  const std::optional<std::string> reference = reference_of(task);
  bool tells = true;  // without a reference: nothing shows the opposite
  if (reference) {
    const Result<SandboxResult> result = run(test_program(task, *reference));
    tells = result && result->succeeded();
  }
  return can_tell_[task.id] = tells;
}

std::optional<bool> TestRunner::accepts(const BenchTask& task, const std::string& text) {
  if (!task.tests || !can_tell(task)) return std::nullopt;
  const Result<SandboxResult> result = run(test_program(task, text));
  if (!result) return std::nullopt;
  return result->succeeded();
}

}  // namespace redraft
