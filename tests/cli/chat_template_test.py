"""The chat template of a model's file is run: by commands, and by a server that has confined itself before. The model
knows nothing."""

import http.client
import json
import os
import pathlib
import struct
import subprocess
import time
import unittest

from redraft_process import PROGRAM, TIME_LIMIT, InFolder, run

QUESTION = "def add(a, b):\n"
# Without control tokens, so that the same prompt can be given as plain text.
PLAIN = "{% for message in messages %}{{ message.role ~ ': ' ~ message.content ~ ' ;' }}{% endfor %}{{ 'A:' }}"
ENDLESS = "{% for i in range(9999) %}{% for j in range(9999) %}{% for k in range(9999) %}{% endfor %}{% endfor %}{% endfor %}"
NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}" + PLAIN


def with_template(model, template):
    """The bytes of a GGUF file with one more entry, as long as the alignment of the file's tensors."""
    magic, version, tensors, entries = struct.unpack_from("<4sIQQ", model)
    key = b"tokenizer.chat_template"
    text = template.encode() + b"{##}"
    size = 8 + len(key) + 4 + 8 + len(text)
    text = text[:-2] + b" " * (-size % 64) + b"#}"
    entry = struct.pack("<Q", len(key)) + key + struct.pack("<IQ", 8, len(text)) + text
    return struct.pack("<4sIQQ", magic, version, tensors, entries + 1) + entry + model[24:]


@unittest.skipUnless(pathlib.Path("/proc/sys/kernel/seccomp").exists(), "this kernel cannot filter system calls")
class ChatTemplates(InFolder):
    def setUp(self):
        super().setUp()
        plain = self.folder / "plain.gguf"
        subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], plain, "1"], check=True)
        self.model = plain.read_bytes()
        self.environment = {"XDG_CACHE_HOME": str(self.folder / "cache"), "XDG_STATE_HOME": str(self.folder / "state"),
                            "REDRAFT_PINNED_COST": "1:0.05,64:0.06"}

    def model_with(self, template):
        return self.write("model.gguf", with_template(self.model, template))

    def generate(self, model, prompt, *arguments):
        process = run("generate", "--target", model, "--prompt", prompt, "--max-new-tokens", "20", "--format", "json",
                      *arguments, environment=self.environment)
        return json.loads(self.assert_succeeds(process)), process.stderr.decode()

    def test_a_command_writes_the_prompt_that_the_template_writes(self):
        model = self.model_with(PLAIN)
        by_template, messages = self.generate(model, QUESTION, "--chat")
        as_text, _ = self.generate(model, f"user: {QUESTION} ;A:")
        self.assertEqual(by_template["prompt_tokens"], as_text["prompt_tokens"])
        self.assertEqual(by_template["output_sha256"], as_text["output_sha256"])
        self.assertNotIn("warning", messages)

    def test_a_template_that_never_ends_is_replaced_and_named(self):
        model = self.model_with(ENDLESS)
        replaced, messages = self.generate(model, QUESTION, "--chat")
        without, _ = self.generate(str(self.folder / "plain.gguf"), QUESTION, "--chat")
        self.assertEqual(replaced["prompt_tokens"], without["prompt_tokens"])
        self.assertEqual(replaced["output_sha256"], without["output_sha256"])
        self.assertIn(f"{model}: The model's chat template is not used: it took longer than ", messages)
        self.assertIn("the format of ChatML instead", messages)

    def serve(self, model):
        process = subprocess.Popen([PROGRAM, "serve", "--http", "0", "--no-token", "--target", model], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **self.environment})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        port = int(process.stdout.readline().rsplit(":", 1)[1])

        def ask(path, body):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIME_LIMIT)
            connection.request("POST", path, json.dumps({"max_tokens": 8, "temperature": 0, **body}))
            answer = connection.getresponse()
            content = json.loads(answer.read())
            connection.close()
            self.assertEqual(answer.status, 200, content)
            return content
        return process, ask

    def children_of(self, process):
        return [int(child) for task in pathlib.Path(f"/proc/{process}/task").iterdir()
                for child in (task / "children").read_text().split()]

    def test_a_confined_server_runs_templates(self):
        process, ask = self.serve(self.model_with(NO_SYSTEM))
        chat = ask("/v1/chat/completions", {"messages": [{"role": "system", "content": "Be brief."},
                                                         {"role": "user", "content": QUESTION}]})
        text = ask("/v1/completions", {"prompt": f"user: Be brief.\n\n{QUESTION} ;A:"})
        self.assertEqual(chat["usage"]["prompt_tokens"], text["usage"]["prompt_tokens"])
        self.assertEqual(chat["choices"][0]["message"]["content"], text["choices"][0]["text"])
        keeper, = self.children_of(process.pid)
        renderer, = self.children_of(keeper)
        for each in (keeper, renderer):
            self.assertIn("Seccomp:\t2", pathlib.Path(f"/proc/{each}/status").read_text())
        process.kill()
        process.wait()
        deadline = time.monotonic() + TIME_LIMIT
        while any(pathlib.Path(f"/proc/{each}").exists() for each in (keeper, renderer)):
            self.assertLess(time.monotonic(), deadline, "a process for templates outlives its server")
            time.sleep(0.05)

    def test_a_server_whose_model_needs_none_starts_none(self):
        process, ask = self.serve(str(self.folder / "plain.gguf"))
        ask("/v1/chat/completions", {"messages": [{"role": "user", "content": QUESTION}]})
        self.assertEqual(self.children_of(process.pid), [])


if __name__ == "__main__":
    unittest.main()
