#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lsp/server.h"
#include "tests/kit/hang_limit.h"

namespace redraft::lsp {

// The server without a transport: messages in, messages out, in one thread.
class ServerTest : public testing::Test {
 protected:
  ServerTest()
      : host_(std::make_shared<EngineHost>(
            [](const LoadControl&) -> Result<std::unique_ptr<Engine>> {
              return Error("no model in this test");
            },
            post())),
        server_(
            host_, post(),
            {.send = [this](const std::string& content) { sent_.push_back(Json::parse(content)); },
             .congested = [] { return false; }},
            [this](int code) { exit_code_ = code; },
            {.of_workspace = [this](const Server::Folders& folders) { return index_of(folders); },
             .of_common_code =
                 [this](const Server::Folders& folders, bool dependencies,
                        const Server::Folders& others) {
                   return common_of(folders, dependencies, others);
                 }}) {}

  Post post() {
    return [this](std::function<void()> function) {
      const std::lock_guard lock(mutex_);
      posted_.push_back(std::move(function));
      news_.notify_all();
    };
  }

  // Runs what other threads posted until `done`; false: it took too long.
  bool run_until(const std::function<bool()>& done) {
    const auto deadline = std::chrono::steady_clock::now() + kHangLimit;
    while (!done()) {
      std::function<void()> function;
      {
        std::unique_lock lock(mutex_);
        if (!news_.wait_until(lock, deadline, [this] { return !posted_.empty(); })) return false;
        function = std::move(posted_.front());
        posted_.pop_front();
      }
      function();
    }
    return true;
  }

  // Makes no index; notes what was requested.
  RepositoryIndexer::MakeIndex index_of(const Server::Folders& folders) {
    indexed_.push_back(folders);
    return [](std::string&) -> Result<std::unique_ptr<WorkspaceIndex>> {
      return Error("no index in this test");
    };
  }
  RepositoryIndexer::MakeIndex common_of(const Server::Folders& folders, bool dependencies,
                                         const Server::Folders& others) {
    common_.push_back({folders, dependencies, others});
    return [](std::string&) -> Result<std::unique_ptr<WorkspaceIndex>> {
      return Error("no index in this test");
    };
  }

  // Everything that the server sends in response to this message.
  std::vector<Json> receive(const std::string& content) {
    sent_.clear();
    server_.receive(content);
    return sent_;
  }
  Json request(const std::string& method, Json params = Json::object()) {
    const int id = ++last_id_;
    const auto sent = receive(
        Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump());
    if (sent.size() != 1) return nullptr;
    EXPECT_EQ(sent[0].at("id"), id);
    return sent[0];
  }
  std::vector<Json> notify(const std::string& method, Json params = Json::object()) {
    return receive(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}}.dump());
  }
  static int code(const Json& response) {
    return response.is_object() && response.contains("error") ? response["error"]["code"].get<int>()
                                                              : 0;
  }
  // `more`: further members of the params.
  Json initialize(Json capabilities = Json::object(), const Json& more = Json::object()) {
    Json params = {{"processId", nullptr}, {"capabilities", std::move(capabilities)}};
    params.update(more);
    return request("initialize", std::move(params));
  }
  // Answers a request of the server.
  std::vector<Json> answer(const Json& asked, Json result) {
    return receive(
        Json{{"jsonrpc", "2.0"}, {"id", asked.at("id")}, {"result", std::move(result)}}.dump());
  }
  // The params of messages with this method among those sent last.
  std::vector<Json> params_of(const std::string& method) const {
    std::vector<Json> found;
    for (const Json& message : sent_) {
      if (message.value("method", "") == method) found.push_back(message.at("params"));
    }
    return found;
  }
  Json status() { return request("redraft/status").at("result"); }
  void open(const std::string& text, int version = 1) {
    notify("textDocument/didOpen", {{"textDocument",
                                     {{"uri", "file:///a.py"},
                                      {"languageId", "python"},
                                      {"version", version},
                                      {"text", text}}}});
  }
  Json edit(Json argument) {
    return request("workspace/executeCommand",
                   {{"command", "redraft.edit"}, {"arguments", {std::move(argument)}}});
  }

  struct Common {
    Server::Folders workspace;
    bool dependencies;
    Server::Folders others;
  };
  std::vector<Server::Folders> indexed_;  // each time an index was to be made
  std::vector<Common> common_;

  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<std::function<void()>> posted_;
  std::vector<Json> sent_;
  std::optional<int> exit_code_;
  int last_id_ = 0;
  std::shared_ptr<EngineHost> host_;
  Server server_;
};

}  // namespace redraft::lsp
