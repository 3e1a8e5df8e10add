#include "mcp/tools/language_server.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "support/system/descriptors.h"
#include "workspace/documents/file_uri.h"

namespace redraft::mcp {
namespace {

using namespace std::chrono_literals;

constexpr auto kSilence = 30min;  // of the server, while it works

constexpr const char* kEnded =
    "redraft's server, which has the model, has ended. Restart this MCP server";

Json folders_of(const RootFolders& roots) {
  Json folders = Json::array();
  for (const RootFolder& root : roots.folders())
    folders.push_back({{"uri", uri_of_path(root.path)}, {"name", root.path.filename().string()}});
  return folders;
}

// No completions, no reading ahead: an agent asks for what it wants.
Json begin_params(const Json& folders) {
  return {{"processId", nullptr},
          {"clientInfo", {{"name", "redraft mcp"}}},
          {"rootUri", nullptr},
          {"workspaceFolders", folders},
          {"capabilities",
           {{"general", {{"positionEncodings", {"utf-8"}}}},
            {"workspace", {{"workspaceFolders", true}}},
            {"experimental", {{"redraft", {{"streamedEdits", true}}}}}}},
          {"initializationOptions", {{"readAhead", "off"}, {"loadEarly", false}}}};
}

}  // namespace

Result<void> LanguageServer::begin(Call& call, const RootFolders& roots) {
  const Json before = std::exchange(folders_, folders_of(roots));
  if (has_begun_ && folders_ == before) return {};
  if (has_begun_)
    return notify("workspace/didChangeWorkspaceFolders",
                  {{"event", {{"added", folders_}, {"removed", before}}}});
  const Result<Json> answer = request(call, "initialize", begin_params(folders_));
  if (!answer) return answer.error();
  has_begun_ = true;
  return notify("initialized", Json::object());
}

Result<Json> LanguageServer::request(Call& call, std::string_view method, Json params) {
  response_.reset();
  const std::int64_t id = ++last_id_;
  if (Result<void> sent = send(request_message(id, method, std::move(params))); !sent)
    return sent.error();
  while (!response_) {
    Result<void> received = read(call);
    if (!received) {
      (void)notify("$/cancelRequest", {{"id", id}});
      return received.error();
    }
  }
  const Json& error = member(*response_, "error");
  if (!error.is_null()) return Error(text_member(error, "message").value_or("the request failed"));
  return member(*response_, "result");
}

Result<void> LanguageServer::notify(std::string_view method, Json params) {
  return send(notification_message(method, std::move(params)));
}

Result<void> LanguageServer::wait(Call& call, const std::function<bool()>& done) {
  while (!done()) {
    if (Result<void> received = read(call); !received) return received;
  }
  return {};
}

Result<void> LanguageServer::send(const Json& message) {
  const std::string bytes = lsp::frame(lsp::to_text(message));
  for (std::string_view left = bytes; !left.empty();) {
    const ssize_t size = ::send(client_.get(), left.data(), left.size(), kSendWithoutSignal);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return Error(kEnded);
    left.remove_prefix(static_cast<std::size_t>(size));
  }
  return {};
}

// At least one piece of input.
Result<void> LanguageServer::read(Call& call) {
  if (!call.await(client_.get(), kSilence)) {
    return Error(call.is_cancelled() ? "the call was cancelled"
                                     : "the model did not answer for half an hour");
  }
  std::string buffer(std::size_t{1} << 16, '\0');
  const ssize_t size = ::recv(client_.get(), buffer.data(), buffer.size(), 0);
  if (size < 0 && errno == EINTR) return {};
  if (size <= 0) return Error(kEnded);
  frames_.append(std::string_view(buffer).substr(0, static_cast<std::size_t>(size)));
  while (true) {
    const Result<std::optional<lsp::Frame>> frame = frames_.next();
    if (!frame) return Error(kEnded);
    if (!*frame) return {};
    const auto* content = std::get_if<std::string>(&**frame);
    if (content == nullptr) continue;
    if (Result<void> taken = take(*content); !taken) return taken;
  }
}

Result<void> LanguageServer::take(const std::string& content) {
  const Result<Json> message = lsp::parse_json(content);
  if (!message) return Error(kEnded);
  const std::optional<std::string> method = text_member(*message, "method");
  const Json& id = member(*message, "id");
  if (!method) {
    if (id == last_id_) response_ = *message;
    return {};
  }
  if (!id.is_null()) return send(result_message(id, nullptr));
  if (on_notification) on_notification(*method, member(*message, "params"));
  return {};
}

OpenInServer::OpenInServer(LanguageServer& server, std::string uri, const Document& document)
    : server_(server),
      uri_(std::move(uri)),
      opened_(server.notify("textDocument/didOpen", {{"textDocument",
                                                      {{"uri", uri_},
                                                       {"languageId", document.language()},
                                                       {"version", 1},
                                                       {"text", document.text()}}}})) {}

OpenInServer::~OpenInServer() {
  (void)server_.notify("textDocument/didClose", {{"textDocument", {{"uri", uri_}}}});
}

std::optional<ByteRange> byte_range(const Json& range, const Document& document) {
  const LineIndex& lines = document.lines();
  const auto offset_of = [&](const Json& position) -> std::optional<std::size_t> {
    const Json &line = member(position, "line"), &character = member(position, "character");
    if (!line.is_number_unsigned() || !character.is_number_unsigned()) return std::nullopt;
    const auto number = line.get<std::uint64_t>();
    if (number >= static_cast<std::uint64_t>(lines.line_count())) return document.text().size();
    const std::size_t begin = lines.start(static_cast<int>(number));
    const std::size_t length = lines.content_end(static_cast<int>(number)) - begin;
    return begin + std::min<std::uint64_t>(character.get<std::uint64_t>(), length);
  };
  const std::optional<std::size_t> begin = offset_of(member(range, "start")),
                                   end = offset_of(member(range, "end"));
  if (!begin || !end || *end < *begin) return std::nullopt;
  return ByteRange{*begin, *end};
}

Json lsp_position(std::size_t offset, const Document& document) {
  const int line = document.lines().line_of(offset);
  return {{"line", line}, {"character", offset - document.lines().start(line)}};
}

Json lsp_range(const ByteRange& range, const Document& document) {
  return {{"start", lsp_position(range.begin, document)},
          {"end", lsp_position(range.end, document)}};
}

}  // namespace redraft::mcp
