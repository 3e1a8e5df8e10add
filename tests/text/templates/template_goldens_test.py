"""Published chat templates, as llama.cpp's source has them, against Jinja2: whatever becomes of a conversation is what
Jinja2 makes of it, or a refusal. Fetches that source (37 MB) by its hash."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "reference")]

import llama_cpp  # noqa: E402

try:
    import jinja_reference
except ImportError:
    jinja_reference = None

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
# Models that people run. Only what they make of thoughts in earlier answers may be refused.
FAMILIES = ["ByteDance-Seed-OSS", "GLM-4.7-Flash", "HuggingFaceTB-SmolLM3-3B", "LFM2-8B-A1B", "LFM2.5-8B-A1B",
            "LFM2.5-Instruct", "Mistral-Small-3.2-24B-Instruct-2506", "Qwen3-Coder", "Qwen3.5-4B", "Qwen-Qwen3-0.6B",
            "google-gemma-4-31B-it", "google-gemma-4-31B-it-interleaved", "ibm-granite-granite-4.0",
            "ibm-granite-granite-4.1", "microsoft-Phi-3.5-mini-instruct", "mistralai-Ministral-3-14B-Reasoning-2512",
            "openai-gpt-oss-120b", "poolside-Laguna-XS-2.1", "poolside-Laguna-XS.2", "unsloth-mistral-Devstral-Small-2507"]


@unittest.skipIf(jinja_reference is None, "Jinja2 is not installed")
class PublishedTemplates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        llama = llama_cpp.LlamaCpp(CACHE / "redraft" / "llama.cpp")
        try:
            llama.fetch()
        except (SystemExit, subprocess.CalledProcessError) as problem:
            raise unittest.SkipTest(f"llama.cpp's source could not be fetched: {problem}") from problem
        cls.templates = {file.stem: file.read_text(encoding="utf-8")
                         for file in sorted((llama.source / "models" / "templates").glob("*.jinja"))}
        asked = json.dumps({"templates": cls.templates, "conversations": jinja_reference.CONVERSATIONS})
        process = subprocess.run([os.environ["REDRAFT_RENDER_TEMPLATES"]], input=asked, capture_output=True, text=True,
                                 check=True)
        cls.rendered = json.loads(process.stdout)

    def golden(self, name):
        try:
            return [jinja_reference.render(self.templates[name], each) for each in jinja_reference.CONVERSATIONS]
        except TypeError:  # Jinja2 gives other types than the template expects
            return []

    def test_what_is_written_is_what_jinja2_writes(self):
        self.assertGreater(len(self.templates), 60)
        equal = refused = 0
        for name in self.templates:
            for number, (text, (_, prompt)) in enumerate(zip(self.golden(name), self.rendered[name])):
                if text is None:
                    continue
                refused += prompt is None
                if prompt is not None:
                    with self.subTest(template=name, conversation=number):
                        self.assertEqual(prompt, text)
                        equal += 1
        print(f"{len(self.templates)} templates: {equal} prompts are equal, {refused} are refused")
        self.assertGreater(equal, 600)
        self.assertLess(refused, equal / 12)

    def test_families_of_this_year_are_not_refused(self):
        for name in FAMILIES:
            golden = self.golden(name)
            with self.subTest(template=name):
                self.assertEqual(len(golden), len(jinja_reference.CONVERSATIONS))
                for number, conversation in enumerate(jinja_reference.CONVERSATIONS):
                    if any(message["role"] == "assistant" for message in conversation):
                        continue
                    self.assertIsNotNone(golden[number])
                    self.assertEqual(self.rendered[name][number], [self.rendered[name][number][0], golden[number]])


if __name__ == "__main__":
    unittest.main()
