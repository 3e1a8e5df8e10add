"""The HTTP server as a process: what OpenAI's and llama.cpp's clients request and are answered."""

import http.client
import json
import unittest

from http_case import TIME_LIMIT, HttpTest

HELLO = {"messages": [{"role": "system", "content": "Greet."}, {"role": "user", "content": "world"}]}
GREETING = "Grüße, 世界 🙂!\nEND of it\n"


def text_of(events):
    return "".join(choice["delta"].get("content") or "" for event in events for choice in event["choices"])


class HttpServerTest(HttpTest):
    def test_says_that_it_is_there_to_anybody(self):
        server = self.start()
        answer = server.get("/health", token="")
        self.assertIn(answer.status, (200, 503))  # 503 while the model is loaded
        server.post("/v1/completions", {"prompt": "world"})
        answer = server.get("/health", token="")
        self.assertEqual((answer.status, answer.json), (200, {"status": "ok"}))

    def test_names_its_model(self):
        server = self.start()
        server.post("/v1/completions", {"prompt": "world"})  # a scripted model's context is known once it is loaded
        models = server.get("/v1/models").json
        self.assertEqual([model["id"] for model in models["data"]], ["scripted"])
        self.assertEqual(server.get("/v1/models/scripted").json, models["data"][0])
        self.assertEqual(server.get("/v1/models/other").error["code"], "model_not_found")
        for name in ("gpt-4", "PLACEHOLDER", ""):
            answer = server.post("/v1/completions", {"model": name, "prompt": "a"})
            self.assertEqual((answer.status, answer.json["model"]), (200, "scripted"))

    def test_chats(self):
        server = self.start()
        answer = server.post("/v1/chat/completions", {"model": "scripted", **HELLO})
        choice, = answer.json["choices"]
        self.assertEqual((choice["message"]["content"], choice["finish_reason"]), (GREETING, "stop"))
        usage = answer.json["usage"]
        self.assertEqual(usage["completion_tokens"], len(GREETING.encode()))
        self.assertEqual(usage["total_tokens"], usage["prompt_tokens"] + usage["completion_tokens"])
        again = server.post("/v1/chat/completions", HELLO).json["usage"]
        self.assertGreater(again["prompt_tokens_details"]["cached_tokens"], usage["prompt_tokens"] // 2)

    def test_streams_what_it_answers_at_once(self):
        server = self.start()
        answer = server.post("/v1/chat/completions", {**HELLO, "stream": True, "stream_options": {"include_usage": True}})
        self.assertEqual(answer.headers["content-type"], "text/event-stream")
        self.assertTrue(answer.body.endswith(b"data: [DONE]\n\n"))
        events = answer.events
        self.assertEqual(text_of(events), GREETING)
        self.assertEqual(events[0]["choices"][0]["delta"], {"role": "assistant", "content": ""})
        self.assertEqual(events[-2]["choices"][0]["finish_reason"], "stop")
        self.assertEqual(events[-1]["choices"], [])
        self.assertEqual(events[-1]["usage"]["completion_tokens"], len(GREETING.encode()))

    def test_thoughts_are_apart_from_the_content(self):
        server = self.start()
        riddle = {"messages": [{"role": "user", "content": "riddle"}]}
        answer = server.post("/v1/chat/completions", {**riddle, "logprobs": True, "stop": "END"}).json
        choice, = answer["choices"]
        self.assertEqual(choice["message"], {"role": "assistant", "content": "No: 42.\n", "refusal": None,
                                             "reasoning_content": "Is it Grüße?"})
        self.assertEqual("".join(token["token"] for token in choice["logprobs"]["content"]), "No: 42.\n")
        self.assertEqual(answer["usage"]["completion_tokens"],
                         len("<think>\nIs it Grüße?\n</think>\n\nNo: 42.\nEND".encode()))
        events = server.post("/v1/chat/completions", {**riddle, "stop": "END", "stream": True}).events
        deltas = [choice["delta"] for event in events for choice in event["choices"]]
        self.assertEqual(text_of(events), "No: 42.\n")
        self.assertEqual("".join(delta.get("reasoning_content", "") for delta in deltas), "Is it Grüße?")
        thought = [i for i, delta in enumerate(deltas) if "reasoning_content" in delta]
        self.assertLess(max(thought), min(i for i, delta in enumerate(deltas) if delta.get("content")))

    def test_thinking_counts_as_tokens(self):
        server = self.start()
        answer = server.post("/v1/chat/completions", {"messages": [{"role": "user", "content": "riddle"}],
                                                      "max_tokens": 12}).json["choices"][0]
        self.assertEqual(answer["finish_reason"], "length")
        self.assertEqual((answer["message"]["content"], answer["message"]["reasoning_content"]), ("", "Is i"))

    def test_a_begun_thought_goes_on(self):
        server = self.start()
        begun = {"messages": [{"role": "user", "content": "riddle"}, {"role": "assistant", "content": "<think>\nIs"}]}
        message = server.post("/v1/chat/completions", begun).json["choices"][0]["message"]
        self.assertEqual((message["content"], message["reasoning_content"]), ("No: 42.\nEND\n", "it Grüße?"))

    def test_ends_before_a_stop_string(self):
        server = self.start()
        for stop, expected in (("END", "Grüße, 世界 🙂!\n"), (["zzz", "界 "], "Grüße, 世"), ("🙂!\nE", "Grüße, 世界 "),
                               ("END of it\n!", GREETING)):
            for stream in (False, True):
                answer = server.post("/v1/chat/completions", {**HELLO, "stop": stop, "stream": stream})
                text = text_of(answer.events) if stream else answer.json["choices"][0]["message"]["content"]
                self.assertEqual(text, expected, (stop, stream))

    def test_ends_where_it_may_write_no_more(self):
        server = self.start()
        answer = server.post("/v1/chat/completions", {**HELLO, "max_completion_tokens": 3})
        choice, = answer.json["choices"]
        self.assertEqual(choice["finish_reason"], "length")
        self.assertEqual(choice["message"]["content"], "Gr\ufffd")  # a token is a byte here
        plain = server.post("/v1/completions", {"prompt": "def f("}).json
        self.assertEqual(plain["usage"]["completion_tokens"], 16)

    def test_takes_a_prediction_as_its_draft(self):
        server = self.start()
        request = {"messages": [{"role": "user", "content": "rename it"}]}
        plain = server.post("/v1/chat/completions", request).json
        for content in ("def old(a):\n    return a + 1\n", [{"type": "text", "text": "def old(a):\n"}], "else"):
            for stream in (False, True):
                more = {"prediction": {"type": "content", "content": content}, "stream": stream}
                answer = server.post("/v1/chat/completions", {**request, **more})
                text = text_of(answer.events) if stream else answer.json["choices"][0]["message"]["content"]
                self.assertEqual(text, plain["choices"][0]["message"]["content"])

    def test_completes_and_fills_in(self):
        server = self.start()
        plain = server.post("/v1/completions", {"prompt": "def f(", "max_tokens": 100, "stop": "\n\n"}).json
        self.assertEqual(plain["choices"][0]["text"], "a):\n    return a")
        fill = server.post("/v1/completions", {"prompt": "x = ", "suffix": "\nz = 3\n", "max_tokens": 100}).json
        self.assertEqual(fill["choices"][0]["text"], "1\ny = 2\n")

    def test_infills_for_llama_vim(self):
        server = self.start()
        request = {"id_slot": 0, "input_prefix": "def f():\n", "input_suffix": "\n", "prompt": "    a", "stop": [],
                   "input_extra": [{"text": "b = 1\n", "time": [3, 4], "filename": "b.py"}], "n_predict": 128,
                   "n_indent": 4, "top_k": 40, "top_p": 0.9, "samplers": ["top_k", "top_p", "infill"], "stream": False,
                   "cache_prompt": True, "t_max_prompt_ms": 500, "t_max_predict_ms": 100000,
                   "response_fields": ["content", "timings/prompt_n", "timings/predicted_n", "truncated", "tokens_cached"]}
        answer = server.post("/infill", request).json
        self.assertEqual(set(answer), set(request["response_fields"]))
        self.assertEqual(answer["content"], " + b\n    c\n")  # "d" is indented less
        warm = {**request, "n_predict": 0, "samplers": [], "t_max_predict_ms": 1, "response_fields": [""]}
        self.assertEqual(server.post("/infill", warm).json, {})
        events = server.post("/infill", {"input_prefix": "x = ", "input_suffix": "", "stream": True}).events
        self.assertEqual("".join(event["content"] for event in events), "1\ny = 2\n")
        self.assertEqual([event["stop"] for event in events].count(True), 1)
        self.assertEqual(events[-1]["stop_type"], "eos")

    # Made after what the sources of these clients send.
    def test_takes_what_clients_of_local_servers_send(self):
        server = self.start()
        fill = {"input_prefix": "x = ", "input_suffix": "\n", "input_extra": [], "prompt": "", "n_predict": 128, "n_cmpl": 3,
                "id_slot": -1, "samplers": ["top_k", "top_p", "infill"], "top_k": 40, "top_p": 0.99, "t_max_prompt_ms": 500}
        self.assertEqual(server.post("/infill", fill).json["content"], "1\ny = 2\n")
        warm = {**fill, "temperature": 0.1, "top_k": 1, "samplers": "ktpm", "seed": 3}
        self.assertEqual([each["content"] for each in server.post("/infill", warm).json], 3 * ["1\ny = 2\n"])
        plain = {"model": "PLACEHOLDER", "prompt": "def f(", "top_k": 40, "n_predict": 100.0,
                 "stop": ["<a>", "<b>", "<c>", "<d>", "<e>", "<f>", "<g>", "<h>", "\n\n"]}
        self.assertEqual(server.post("/v1/completions", plain).json["choices"][0]["text"], "a):\n    return a")
        asked, = HELLO["messages"][1:]
        chat = {"messages": [HELLO["messages"][0], asked, {"role": "assistant", "content": None}, asked],
                "max_tokens": -1, "tool_choice": "auto", "reasoning_effort": "low"}
        self.assertEqual(server.post("/v1/chat/completions", chat).json["choices"][0]["message"]["content"], GREETING)
        read = server.post("/v1/chat/completions", {**HELLO, "n_predict": 0}).json
        self.assertEqual((read["choices"][0]["message"]["content"], read["usage"]["completion_tokens"]), ("", 0))

    def test_refuses_by_name_what_it_does_not_do(self):
        server = self.start()
        for more in ({"temperature": 2.7}, {"logprobs": 3}, {"n": 9}, {"tools": [{}]}, {"made_up": 1}):
            answer = server.post("/v1/chat/completions", {**HELLO, **more})
            name, = more
            self.assertEqual((answer.status, answer.error["param"]), (400, name))
            self.assertEqual(answer.error["type"], "invalid_request_error")
            self.assertIn(name, answer.error["message"])

    def test_writes_several_texts(self):
        server = self.start()
        same = server.post("/v1/chat/completions", {**HELLO, "n": 2}).json
        self.assertEqual([each["message"]["content"] for each in same["choices"]], [GREETING, GREETING])
        self.assertEqual(same["usage"]["completion_tokens"], len(GREETING.encode()), "written once")
        streamed = {**HELLO, "n": 2, "stream": True, "temperature": 0.5, "seed": 3, "max_tokens": 30}
        texts = {0: "", 1: ""}
        for event in server.post("/v1/chat/completions", streamed).events:
            choice, = event["choices"]
            texts[choice["index"]] += choice["delta"].get("content", "")
        for index, seed in ((0, 3), (1, 4)):
            alone = server.post("/v1/chat/completions", {**streamed, "n": 1, "stream": False, "seed": seed}).json
            self.assertEqual(texts[index], alone["choices"][0]["message"]["content"])

    def test_counts(self):
        server = self.start()
        server.post("/v1/chat/completions", HELLO)
        server.post("/v1/chat/completions", {"messages": []})
        text = server.get("/metrics").body.decode()
        self.assertIn('redraft_http_answers_total{path="/v1/chat/completions",status="200"} 1\n', text)
        self.assertIn('redraft_http_answers_total{path="/v1/chat/completions",status="400"} 1\n', text)
        self.assertEqual(server.metric("redraft_completion_tokens_total"), len(GREETING.encode()))
        self.assertEqual(server.metric("redraft_generations"), 0)

    def test_serves_one_connection_again_and_again(self):
        server = self.start()
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIME_LIMIT)
        self.addCleanup(connection.close)
        for _ in range(3):
            connection.request("POST", "/v1/completions", json.dumps({"prompt": "world"}),
                               {"Authorization": f"Bearer {server.token}"})
            socket = connection.sock
            self.assertTrue(json.loads(connection.getresponse().read())["choices"][0]["text"].startswith("Gr"))
            self.assertIs(connection.sock, socket)

    def test_says_why_the_model_cannot_be_loaded(self):
        server = self.start(load_error="does not have that model")
        answer = server.post("/v1/completions", {"prompt": "a", "stream": True})
        self.assertEqual((answer.status, answer.error["type"]), (503, "server_error"))
        self.assertIn("does not have that model", answer.error["message"])
        self.assertNotIn(b"does not have that model", server.get("/health", token="").body)

    def test_goes_on_after_the_device_failed(self):
        server = self.start(failing_pass=3)
        failed = server.post("/v1/completions", {"prompt": "world"})
        self.assertEqual(failed.status, 503)
        self.assertEqual(server.post("/v1/completions", {"prompt": "world"}).status, 200)


if __name__ == "__main__":
    unittest.main()
