#include "lsp/recording/replay_report.h"

#include <algorithm>
#include <utility>

#include "text/strings/joined.h"

namespace redraft::lsp {
namespace {

struct Difference {
  int line;  // of the recording
  std::string text;
};

bool is_end_of_edit(const AnswerStreams::Answer& answer) {
  const Json& message = answer.message;
  return message.value("method", Json()) == "$/redraft/edit" && message.contains("params") &&
         message["params"].is_object() && message["params"].value("kind", Json()) == "end";
}

// For an edit that was cancelled while it ran, or when it was just done. How far it had come by
// then is random. Removes its end, and the surplus of the run that said more.
void leave_out_chance(bool client_cancelled, AnswerStreams::Stream& recorded,
                      AnswerStreams::Stream& replayed) {
  const auto end = std::ranges::find_if(recorded, is_end_of_edit);
  if (end == recorded.end()) return;
  if (!client_cancelled && end->message["params"].value("state", Json()) != "cancelled") return;
  const auto end_now = std::ranges::find_if(replayed, is_end_of_edit);
  // A replay waits for as many messages as were recorded. If they arrive before the cancellation,
  // it does not wait for the end.
  if (end_now == replayed.end() && replayed.size() < recorded.size()) return;
  recorded.erase(end);
  if (end_now != replayed.end()) replayed.erase(end_now);
  const std::size_t common = std::min(recorded.size(), replayed.size());
  recorded.resize(common);
  replayed.resize(common);
}

// `recorded` belongs to the recorded session `of`.
void compare(const std::string& name, const AnswerStreams& of, AnswerStreams::Stream recorded,
             AnswerStreams::Stream replayed, std::vector<Difference>& found) {
  leave_out_chance(of.client_cancelled(name), recorded, replayed);
  // The recording ends where the client left, so the replay may contain more.
  if (of.cut_short() && replayed.size() > recorded.size()) replayed.resize(recorded.size());
  const std::size_t common = std::min(recorded.size(), replayed.size());
  for (std::size_t i = 0; i < common; ++i) {
    const std::vector<std::string> places =
        differing_places(recorded[i].message, replayed[i].message);
    if (!places.empty()) found.push_back({recorded[i].line, name + ": " + joined(places, "; ")});
  }
  for (std::size_t i = common; i < recorded.size(); ++i)
    found.push_back({recorded[i].line, name + ": missing in the replay"});
  const int end = recorded.empty() ? 0 : recorded.back().line;
  if (replayed.size() > common) {
    found.push_back({end, name + ": sent " + std::to_string(replayed.size() - common) +
                              " times more often than recorded"});
  }
}

}  // namespace

std::vector<std::string> differences(const AnswerStreams& recorded, const AnswerStreams& replayed) {
  static const AnswerStreams::Stream kNone;
  std::vector<Difference> found;
  for (const auto& [name, stream] : recorded.streams()) {
    const auto now = replayed.streams().find(name);
    compare(name, recorded, stream, now == replayed.streams().end() ? kNone : now->second, found);
  }
  for (const auto& [name, stream] : replayed.streams()) {
    if (!recorded.streams().contains(name)) compare(name, recorded, kNone, stream, found);
  }
  std::ranges::stable_sort(found, {}, &Difference::line);
  std::vector<std::string> lines;
  for (const Difference& each : found) {
    lines.push_back((each.line > 0 ? "line " + std::to_string(each.line) + ": " : "") + each.text);
  }
  return lines;
}

}  // namespace redraft::lsp
