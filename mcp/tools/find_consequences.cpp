// The server proposes next edits as to somebody who types: those of one document at a time, the
// others once these are made. So the edits are made here in copies that only the server sees, and
// the answer is what the copies have and the files do not.
#include "mcp/tools/find_consequences.h"

#include <algorithm>
#include <chrono>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mcp/files/permitted_file.h"
#include "mcp/tools/edit_answer.h"
#include "text/strings/lines.h"
#include "workspace/documents/diff.h"
#include "workspace/documents/file_uri.h"
#include "workspace/documents/text_edit.h"

namespace redraft::mcp {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kMaxRounds = 30;
constexpr std::size_t kMaxCopies = 40;  // documents
constexpr auto kIndexLimit = 20s;       // for the index to be read,
constexpr auto kStartLimit = 2s;        // and for it to start; it may be off

constexpr const char* kDescription =
    R"(After a change, finds what it needs elsewhere: calls of a function whose parameters changed, other uses of a name that was replaced, the same change in similar lines. Call it for a file right after edit_file or edit_by_instruction wrote it. Answers with diffs and writes nothing: check them, and send those that are right as `changes` to edit_file.)";

// The edits from `before` to `after`, by lines.
std::vector<TextEdit> edits_between(const Document& before, const std::string& after) {
  const std::vector<std::string_view> old_lines = lines_with_newlines(before.text()),
                                      new_lines = lines_with_newlines(after);
  std::vector<std::size_t> starts = {0};
  for (const std::string_view line : old_lines) starts.push_back(starts.back() + line.size());
  std::vector<TextEdit> edits;
  for (const LineChange& change : diff_lines(old_lines, new_lines)) {
    std::string text;
    for (const std::string& line : change.new_lines) text += line;
    edits.push_back({{starts[static_cast<std::size_t>(change.old_begin)],
                      starts[static_cast<std::size_t>(change.old_end)]},
                     std::move(text)});
  }
  return edits;
}

// A file as the server sees it.
struct Copy {
  Copy(PermittedFile opened, LanguageServer& server, std::shared_ptr<const Document> first)
      : file(std::move(opened)),
        uri(uri_of_path(file.path())),
        now(std::move(first)),
        open(server, uri, *now) {}

  PermittedFile file;
  std::string uri;
  std::shared_ptr<const Document> now;
  int version = 1;
  OpenInServer open;
};

class Search {
 public:
  Search(Call& call, LanguageServer& server, std::shared_ptr<const RootFolders> roots)
      : call_(call), server_(server), roots_(std::move(roots)) {}

  ToolAnswer run(PermittedFile home, const std::string& before) {
    const std::shared_ptr<const Document> now = home.document();
    const auto then = now->changed(0, before);
    if (!then) return failed(then.error().message());
    if (const Result<void> ready = await_index(); !ready) return failed(ready.error().message());
    Copy& copy = copies_.emplace_back(std::move(home), server_, *then);
    Result<void> made = change(copy, edits_between(**then, now->text()));
    while (made && round_ < kMaxRounds && !is_over_) {
      call_.report(round_, kMaxRounds, "looking for what follows");
      made = make_next(copy);
    }
    if (!made) return failed(made.error().message());
    return answer();
  }

 private:
  // Calls in files that are not open are found by the index.
  Result<void> await_index() {
    const auto begin = Clock::now();
    while (Clock::now() < begin + kIndexLimit) {
      const Result<Json> status = server_.request(call_, "redraft/status", Json::object());
      if (!status) return status.error();
      const auto state = text_member(member(*status, "index"), "state");
      if (state == "ready" || state == "failed") return {};
      if (!state && Clock::now() > begin + kStartLimit) return {};
      if (call_.await(-1, 100ms) || call_.is_cancelled()) return Error("the call was cancelled");
    }
    notes_.emplace_back("the project's index is not complete yet; calls may be missing");
    return {};
  }

  Result<void> change(Copy& copy, std::vector<TextEdit> edits) {
    // From the last to the first, so that each range is one of the text before.
    Json changes = Json::array();
    std::for_each(edits.rbegin(), edits.rend(), [&](const TextEdit& edit) {
      changes.push_back({{"range", lsp_range(edit.range, *copy.now)}, {"text", edit.new_text}});
    });
    auto next = copy.now->changed(copy.version, apply_edits(copy.now->text(), edits));
    if (!next) return next.error();
    copy.now = *std::move(next);
    return server_.notify("textDocument/didChange",
                          {{"textDocument", {{"uri", copy.uri}, {"version", ++copy.version}}},
                           {"contentChanges", std::move(changes)}});
  }

  // The edits of one document.
  Result<void> make_next(const Copy& home) {
    const Result<Json> answer = server_.request(
        call_, "redraft/nextEdit",
        {{"textDocument", {{"uri", home.uri}}}, {"inFiles", true}, {"invoked", true}});
    if (!answer) return answer.error();
    const Json& proposed = member(*answer, "edits");
    is_over_ = proposed.empty();
    if (const auto note = text_member(*answer, "note"); note && round_ == 0)
      notes_.push_back(*note);
    ++round_;
    if (const auto why = text_member(*answer, "whyNone"); why && copies_.size() == 1)
      why_none_ = *why;
    if (is_over_) return {};
    Copy* const copy =
        copy_of(text_member(member(proposed[0], "textDocument"), "uri").value_or(""));
    if (copy == nullptr) {
      is_over_ = true;
      return {};
    }
    std::vector<TextEdit> edits;
    for (const Json& each : proposed) {
      const auto range = byte_range(member(each, "range"), *copy->now);
      const auto text = text_member(each, "text");
      if (!range || !text || (!edits.empty() && range->begin < edits.back().range.end))
        return Error("the server proposed an edit that does not fit");
      edits.push_back({*range, *text});
    }
    if (apply_edits(copy->now->text(), edits) == copy->now->text()) {
      is_over_ = true;
      return {};
    }
    return change(*copy, std::move(edits));
  }

  // Null: an agent may not edit it.
  Copy* copy_of(const std::string& uri) {
    const auto known = std::ranges::find(copies_, uri, &Copy::uri);
    if (known != copies_.end()) return &*known;
    Result<PermittedFile> file = PermittedFile::open(roots_, uri, {});
    if (!file || copies_.size() == kMaxCopies) {
      notes_.push_back(file ? "there are more files; make these edits and call again"
                            : "not shown: " + file.error().message());
      return nullptr;
    }
    const std::shared_ptr<const Document> document = file->document();
    return &copies_.emplace_back(*std::move(file), server_, document);
  }

  ToolAnswer answer() const {
    std::vector<FileOutcome> outcomes;
    for (const Copy& copy : copies_) {
      Placing placing;
      for (TextEdit& edit : edits_between(*copy.file.document(), copy.now->text()))
        placing.edits.push_back({std::move(edit), "next edit", {}});
      if (placing.edits.empty()) continue;
      FileOutcome outcome{.path = copy.file.shown()};
      set_placing(*copy.file.document(), placing, outcome);
      outcome.status = FileStatus::kProposed;
      outcomes.push_back(std::move(outcome));
    }
    std::string further;
    for (const std::string& note : notes_) further += "note: " + note + "\n";
    if (outcomes.empty())
      further = "nothing follows from the change" + (why_none_.empty() ? "" : ": " + why_none_) +
                "\n" + further;
    ToolAnswer made = answer_of(outcomes, further);
    if (!notes_.empty()) made.structured["notes"] = notes_;
    return made;
  }

  Call& call_;
  LanguageServer& server_;
  std::shared_ptr<const RootFolders> roots_;
  std::list<Copy> copies_;  // the home first
  std::vector<std::string> notes_;
  std::string why_none_;
  int round_ = 0;
  bool is_over_ = false;
};

ToolAnswer run_search(Call& call, LanguageServer& server, const FileWriter& writer) {
  const Result<Arguments> arguments = Arguments::of(call.arguments(), "path");
  if (!arguments) return failed(arguments.error().message());
  const Result<std::string> path = arguments->text("path");
  if (!path) return failed(path.error().message());
  const auto roots = call.roots();
  if (!roots) return failed(roots.error().message());
  Result<PermittedFile> file = PermittedFile::open(*roots, *path, {.ignored = true});
  if (!file) return failed(file.error().message());
  const std::shared_ptr<const std::string> before = writer.before(file->path().string());
  if (before == nullptr)
    return failed(file->shown() +
                  ": no tool of redraft has changed this file lately. find_consequences follows a "
                  "change that edit_file or edit_by_instruction has written");
  if (const Result<void> begun = server.begin(call, **roots); !begun)
    return failed(begun.error().message());
  return Search(call, server, *roots).run(*std::move(file), *before);
}

}  // namespace

Tool find_consequences_tool(std::shared_ptr<LanguageServer> server,
                            std::shared_ptr<const FileWriter> writer) {
  return {.name = "find_consequences",
          .title = "Find what follows from a change",
          .description = kDescription,
          .input_schema = {{"type", "object"},
                           {"properties",
                            {{"path", argument_schema("string", "The file that was changed")}}},
                           {"required", {"path"}},
                           {"additionalProperties", false}},
          .output_schema =
              edit_output_schema({{"notes", {{"type", "array"}, {"items", {{"type", "string"}}}}}}),
          .is_long = true,
          .run = [server = std::move(server), writer = std::move(writer)](Call& call) {
            return run_search(call, *server, *writer);
          }};
}

}  // namespace redraft::mcp
