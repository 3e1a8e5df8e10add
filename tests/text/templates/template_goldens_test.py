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

import gguf_vocabulary  # noqa: E402

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

# What shows that a family's template has switched thinking off: a part of the prompt and how it ends. Then what redraft adds
# because the template leaves it to the model.
GEMMA4_IN_GGUF = "ggml-vocab-gemma-4"  # of the 26B-A4B
GEMMA4_WITHOUT_THOUGHT = "gemma-4 without a thought"  # as those of E2B and E4B, and early ones
EMPTY_CHANNEL = "<|channel>thought\n<channel|>"
THINKING_OFF = {
    "google-gemma-4-31B-it": ("", "<turn|>\n<|turn>model\n" + EMPTY_CHANNEL, ""),
    "google-gemma-4-31B-it-interleaved": ("", "<turn|>\n<|turn>model\n" + EMPTY_CHANNEL, ""),
    GEMMA4_IN_GGUF: ("", "<turn|>\n<|turn>model\n" + EMPTY_CHANNEL, ""),
    GEMMA4_WITHOUT_THOUGHT: ("", "<turn|>\n<|turn>model\n", EMPTY_CHANNEL),
    "openai-gpt-oss-120b": ("Reasoning: low\n", "<|end|><|start|>assistant", "<|channel|>final<|message|>"),
    "HuggingFaceTB-SmolLM3-3B": ("Reasoning Mode: /no_think\n", "<|im_start|>assistant\n<think>\n\n</think>\n", ""),
    "ByteDance-Seed-OSS": ("your thinking budget is 0", "</seed:cot_budget_reflect>\n</seed:think>", ""),
    "ibm-granite-granite-4.0": ("", "<|start_of_role|>assistant<|end_of_role|>", ""),
    "ibm-granite-granite-4.1": ("", "<|start_of_role|>assistant<|end_of_role|>", ""),
    "unsloth-mistral-Devstral-Small-2507": ("", "[/INST]", ""),
    "Mistral-Small-3.2-24B-Instruct-2506": ("", "[/INST]", ""),
}
CONTROLS = ["<|turn>", "<turn|>", "<|channel>", "<channel|>", "<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|return|>",
            "<seed:bos>", "<seed:eos>", "<seed:think>", "</seed:think>", "<|start_of_role|>", "<|end_of_role|>",
            "<|end_of_text|>", "[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "<think>", "</think>", "<s>", "</s>"]


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
        gemma4 = gguf_vocabulary.metadata(str(llama.source / "models" / (GEMMA4_IN_GGUF + ".gguf")))
        cls.templates[GEMMA4_IN_GGUF] = gemma4["tokenizer.chat_template"]
        writes = "{{- '" + EMPTY_CHANNEL.replace("\n", "\\n") + "' -}}"
        parts = cls.templates["google-gemma-4-31B-it"].split(writes)
        assert len(parts) == 2
        cls.templates[GEMMA4_WITHOUT_THOUGHT] = "".join(parts)
        asked = json.dumps({"templates": cls.templates, "conversations": jinja_reference.CONVERSATIONS, "controls": CONTROLS,
                            "chats": list(THINKING_OFF)})
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
            for number, (text, (_, prompt, _)) in enumerate(zip(self.golden(name), self.rendered[name])):
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
                    self.assertEqual(self.rendered[name][number][1], golden[number])

    def test_thinking_is_off_by_each_familys_own_switch(self):
        for name, (part, end, added) in THINKING_OFF.items():
            for number, conversation in enumerate(jinja_reference.CONVERSATIONS):
                if any(message["role"] == "assistant" for message in conversation):
                    continue
                with self.subTest(template=name, conversation=number):
                    golden = self.golden(name)[number]
                    self.assertIn(part, golden)
                    self.assertTrue(golden.endswith(end), golden)
                    # encode_prompt() writes the token that begins every prompt where the vocabulary asks for it.
                    self.assertEqual(self.rendered[name][number][2], golden + added)


if __name__ == "__main__":
    unittest.main()
