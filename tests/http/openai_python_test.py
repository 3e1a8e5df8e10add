"""OpenAI's own client for Python. Exit code 77: it is not installed; `tools/setup.py tests` installs it."""

import sys
import unittest

try:
    import openai
except ImportError as missing:
    print(f"SKIPPED: {missing}; tools/setup.py tests installs it")
    sys.exit(77)

from http_case import TIME_LIMIT, HttpTest

GREETING = "Grüße, 世界 🙂!\nEND of it\n"
RENAMED = "def fresh(a):\n    return a + 1\n"
HELLO = [{"role": "developer", "content": "Greet."}, {"role": "user", "content": [{"type": "text", "text": "world"}]}]
RENAME = [{"role": "user", "content": "rename it"}]
PREDICTION = {"type": "content", "content": "def old(a):\n    return a + 1\n"}


class OpenAiTest(HttpTest):
    def client(self, *options, **script):
        server = self.start(*options, **script)
        client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.port}/v1", api_key=server.token or "none",
                               timeout=TIME_LIMIT, max_retries=0)
        self.addCleanup(client.close)
        return client

    def test_lists_models(self):
        client = self.client()
        self.assertEqual([model.id for model in client.models.list()], ["scripted"])
        self.assertEqual(client.models.retrieve("scripted").owned_by, "redraft")

    def test_chats(self):
        client = self.client()
        answer = client.chat.completions.create(model="scripted", messages=HELLO, temperature=0, seed=1, user="me")
        self.assertEqual(answer.choices[0].message.content, GREETING)
        self.assertEqual(answer.choices[0].finish_reason, "stop")
        self.assertEqual(answer.usage.completion_tokens, len(GREETING.encode()))

    def test_streams(self):
        client = self.client()
        chunks = list(client.chat.completions.create(model="scripted", messages=HELLO, stream=True, stop=["END"],
                                                     stream_options={"include_usage": True}))
        text = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
        self.assertEqual(text, GREETING[:GREETING.index("END")])
        self.assertEqual(chunks[-2].choices[0].finish_reason, "stop")
        self.assertGreater(chunks[-1].usage.completion_tokens, 0)
        with client.chat.completions.stream(model="scripted", messages=HELLO) as stream:
            self.assertEqual(stream.get_final_completion().choices[0].message.content, GREETING)

    def test_predicts(self):
        client = self.client()
        answer = client.chat.completions.create(model="scripted", messages=RENAME, prediction=PREDICTION)
        self.assertEqual(answer.choices[0].message.content, RENAMED)
        details = answer.usage.completion_tokens_details
        self.assertGreater(details.accepted_prediction_tokens, 10)
        self.assertGreater(details.rejected_prediction_tokens, 0)
        stream = client.chat.completions.create(model="scripted", messages=RENAME, prediction=PREDICTION, stream=True)
        self.assertEqual("".join(chunk.choices[0].delta.content or "" for chunk in stream), RENAMED)

    def test_samples_and_tells_how_likely(self):
        client = self.client()
        texts = {client.chat.completions.create(model="scripted", messages=RENAME, temperature=1, top_p=0.9, seed=5,
                                                max_tokens=20).choices[0].message.content for _ in range(2)}
        self.assertEqual(len(texts), 1)
        answer = client.chat.completions.create(model="scripted", messages=RENAME, logprobs=True, top_logprobs=2)
        tokens = answer.choices[0].logprobs.content
        self.assertEqual(b"".join(bytes(token.bytes) for token in tokens).decode(), RENAMED)
        self.assertTrue(all(len(token.top_logprobs) == 2 and token.logprob <= 0 for token in tokens))
        several = client.chat.completions.create(model="scripted", messages=RENAME, n=3, temperature=1, seed=5, max_tokens=20)
        self.assertEqual([choice.index for choice in several.choices], [0, 1, 2])
        plain = client.completions.create(model="scripted", prompt="def f(", max_tokens=3, logprobs=1)
        self.assertEqual(plain.choices[0].logprobs.tokens, ["a", ")", ":"])

    def test_completes(self):
        client = self.client()
        answer = client.completions.create(model="scripted", prompt="x = ", suffix="\nz = 3\n", max_tokens=50)
        self.assertEqual(answer.choices[0].text, "1\ny = 2\n")
        chunks = client.completions.create(model="scripted", prompt="def f(", max_tokens=8, stream=True)
        self.assertEqual("".join(chunk.choices[0].text for chunk in chunks), "a):\n    ")

    def test_reads_errors(self):
        client = self.client()
        with self.assertRaises(openai.BadRequestError) as refused:
            client.chat.completions.create(model="scripted", messages=HELLO, presence_penalty=1.5)
        self.assertEqual(refused.exception.param, "presence_penalty")
        with self.assertRaises(openai.NotFoundError) as unknown:
            client.models.retrieve("gpt-4")
        self.assertEqual(unknown.exception.code, "model_not_found")
        with self.assertRaises(openai.AuthenticationError):
            client.with_options(api_key="wrong").models.list()

    def test_frees_the_model_when_a_stream_is_closed(self):
        server = self.start(answers=[{"after": "", "write": "x" * 5000}], delay_ms_per_pass=10)
        client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.port}/v1", api_key=server.token, timeout=TIME_LIMIT)
        self.addCleanup(client.close)
        stream = client.chat.completions.create(model="scripted", messages=HELLO, stream=True)
        next(stream)
        stream.close()
        # It would be another fifty seconds before this one's turn.
        self.assertEqual(client.completions.create(model="scripted", prompt="x", max_tokens=1).choices[0].text, "x")
        self.assertEqual(server.metric("redraft_generations_cancelled_total"), 1)


if __name__ == "__main__":
    unittest.main()
