#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/files/root_folders.h"
#include "mcp/message.h"
#include "support/result.h"

namespace redraft::mcp {

// A running call, as its tool sees it. One call runs at a time, on the main thread; while it waits,
// the client's other messages are read.
class Call {
 public:
  virtual ~Call() = default;
  virtual const Json& arguments() const = 0;  // an object
  // The folders of this moment. Waits for the client if it has said that they changed. The object
  // is another one if they did.
  virtual Result<std::shared_ptr<const RootFolders>> roots() = 0;
  // Also after the client is gone, if the tool is a long one. Reads what the client has sent.
  virtual bool is_cancelled() = 0;
  // Waits until `descriptor` is readable. False: the call was cancelled, or `limit` has passed.
  virtual bool await(int descriptor, std::chrono::milliseconds limit) = 0;
  // Tells a client that wants to know. `done` rises from call to call.
  virtual void report(double done, double total, std::string_view message) = 0;
};

struct ToolAnswer {
  std::string text;       // for a model
  Json structured;        // the same as an object, by the tool's output schema
  bool is_error = false;  // what was asked for was not done, at least in part
};

// The answer to arguments that cannot be used, or to anything else that went wrong as a whole.
ToolAnswer failed(std::string_view why);

struct Tool {
  std::string name, title, description;
  Json input_schema, output_schema;
  bool is_long = false;  // it ends when the client is gone
  std::function<ToolAnswer(Call&)> run;
};

// As `tools/list` has it.
Json described(const Tool& tool);

// Of one argument; `type` is "string", "boolean" or "integer".
Json argument_schema(const char* type, std::string_view description);

// Reads a tool's arguments, and says in an agent's words what is wrong with them.
class Arguments {
 public:
  // `known` are the names of all arguments, "path, changes", for the message about another one.
  static Result<Arguments> of(const Json& object, std::string_view known);

  // An error if it is missing or no text.
  Result<std::string> text(const char* name) const;
  // Empty if it is missing.
  Result<std::string> optional_text(const char* name) const;
  // False if it is missing.
  Result<bool> flag(const char* name) const;
  // From 1; nothing if it is missing.
  Result<std::optional<int>> number(const char* name) const;
  const Json& value(const char* name) const { return member(*object_, name); }

 private:
  explicit Arguments(const Json& object) : object_(&object) {}
  const Json* object_;
};

}  // namespace redraft::mcp
