"""With real weights: what `/v1/chat/completions` answers is what `redraft generate --chat` prints, byte for byte."""

import os
import subprocess
import unittest

from http_case import HttpTest, Server

REDRAFT = os.environ["REDRAFT"]
MODEL = "smollm2-135m"
QUESTIONS = ["Write a Python function that adds two numbers.",
             "Repeat this exactly:\n```python\ndef area(width, height):\n    return width * height\n```"]
PREDICTION = "```python\ndef area(width, height):\n    return width * height\n```"
TOKENS = 60


def generated(question, *where, key=""):
    """By another process; without `where` without any server."""
    where = where or ("--target", MODEL, "--decoder", "ar")
    run = subprocess.run([REDRAFT, "generate", "--chat", *where, "--prompt", question, "--max-new-tokens", str(TOKENS)],
                         capture_output=True, check=True, env={**os.environ, "REDRAFT_REMOTE_KEY": key})
    return run.stdout.removesuffix(b"\n").decode()


class ModelTest(HttpTest):
    def test_is_what_generate_prints(self):
        server = Server([REDRAFT, "serve", "--http", "0", "--target", MODEL, "--device", "cpu", "--token-file",
                         str(self.folder / "token")])
        self.addCleanup(self._end, server)
        server.token = (self.folder / "token").read_text(encoding="utf-8").strip()
        for question in QUESTIONS:
            expected = generated(question)
            for stream in (False, True):
                for prediction in (None, {"type": "content", "content": PREDICTION}):
                    body = {"model": MODEL, "messages": [{"role": "user", "content": question}], "stream": stream,
                            "max_completion_tokens": TOKENS, "prediction": prediction}
                    answer = server.post("/v1/chat/completions", body)
                    text = ("".join(event["choices"][0]["delta"].get("content", "") for event in answer.events) if stream
                            else answer.json["choices"][0]["message"]["content"])
                    self.assertEqual(text, expected, (question, stream, prediction is not None))
            remote = generated(question, "--remote", f"http://127.0.0.1:{server.port}", key=server.token)
            self.assertEqual(remote, expected, "as a remote engine")

    def test_samples_are_those_of_generate(self):
        server = Server([REDRAFT, "serve", "--http", "0", "--target", MODEL, "--device", "cpu", "--token-file",
                         str(self.folder / "token")])
        self.addCleanup(self._end, server)
        server.token = (self.folder / "token").read_text(encoding="utf-8").strip()
        how = ("--target", MODEL, "--decoder", "ar", "--temperature", "0.9", "--top-p", "0.8")
        texts = set()
        for seed, cut, options in ((1, {}, ()), (2, {"top_k": 30, "min_p": 0.02}, ("--top-k", "30", "--min-p", "0.02"))):
            body = {"messages": [{"role": "user", "content": QUESTIONS[0]}], "max_completion_tokens": TOKENS,
                    "temperature": 0.9, "top_p": 0.8, "seed": seed, **cut}
            text = server.post("/v1/chat/completions", body).json["choices"][0]["message"]["content"]
            self.assertEqual(text, generated(QUESTIONS[0], *how, *options, "--seed", str(seed)))
            texts.add(text)
        self.assertEqual(len(texts), 2)

    def test_several_texts_are_those_of_the_next_seeds(self):
        server = Server([REDRAFT, "serve", "--http", "0", "--target", MODEL, "--device", "cpu", "--token-file",
                         str(self.folder / "token")])
        self.addCleanup(self._end, server)
        server.token = (self.folder / "token").read_text(encoding="utf-8").strip()
        body = {"prompt": QUESTIONS[0], "max_tokens": TOKENS, "temperature": 1.2, "seed": 7, "logprobs": 0}
        alone = [server.post("/v1/completions", {**body, "seed": seed}).json["choices"][0] for seed in range(7, 11)]
        texts = [choice["text"] for choice in alone]
        self.assertGreater(len(set(texts)), 1)
        several = server.post("/v1/completions", {**body, "n": 4}).json
        self.assertEqual([choice["text"] for choice in several["choices"]], texts)
        self.assertEqual(several["choices"][2]["logprobs"], alone[2]["logprobs"])

        def likelihood(choice):
            values = choice["logprobs"]["token_logprobs"]
            return sum(values) / len(values)
        best = server.post("/v1/completions", {**body, "best_of": 4, "n": 2, "logprobs": None}).json["choices"]
        ranked = sorted(alone, key=likelihood, reverse=True)
        self.assertEqual([choice["text"] for choice in best], [choice["text"] for choice in ranked[:2]])
        self.assertIsNone(best[0]["logprobs"])


if __name__ == "__main__":
    unittest.main()
