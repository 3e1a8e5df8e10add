"""--head: a draft head guesses, and nothing that is written depends on it. The model and the head know nothing, so all guesses
are wrong or right by chance; what is tested is that they are asked, and that they change no byte."""

import json
import os
import random
import struct
import subprocess
import unittest

from redraft_process import InFolder, run

HIDDEN, LAYERS, WIDTH, VOCABULARY, TOKENS = 64, 2, 32, 50, 2  # the first two are the model's (write_model)
PROMPT = "def add(a, b):\n"


def tensors():
    """Name, shape and numbers of each tensor but the vocabulary's tokens."""
    numbers = random.Random(1)
    shapes = {"input.weight": (HIDDEN, 2 * HIDDEN), "input_norm.feature.0": (HIDDEN,), "input_norm.token": (HIDDEN,),
              "mlp_norm": (HIDDEN,), "mlp.gate.weight": (WIDTH, HIDDEN), "mlp.up.weight": (WIDTH, HIDDEN),
              "mlp.down.weight": (HIDDEN, WIDTH), "place_norm": (HIDDEN,), "output_norm": (HIDDEN,),
              "vocabulary.weight": (VOCABULARY, HIDDEN)}
    shapes.update({f"place.{place}.weight": (HIDDEN, HIDDEN) for place in range(TOKENS)})
    for name, shape in shapes.items():
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        yield name, shape, [numbers.uniform(-0.2, 0.2) for _ in range(count)]


def write_head(folder, **changes):
    """A head for the model of write_model, with changes of its configuration."""
    folder.mkdir()
    config = {"format": "redraft-draft-head", "version": 1, "hidden": HIDDEN, "target_layers": LAYERS,
              "target_vocabulary": 300, "layers": [1], "tokens": TOKENS, "width": WIDTH, "vocabulary": VOCABULARY}
    (folder / "draft_head.json").write_text(json.dumps({**config, **changes}))
    header, data = {}, b""
    for name, shape, numbers in tensors():
        part = struct.pack(f"<{len(numbers)}f", *numbers)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    part = struct.pack(f"<{VOCABULARY}i", *range(0, 5 * VOCABULARY, 5))
    header["vocabulary.tokens"] = {"dtype": "I32", "shape": [VOCABULARY], "data_offsets": [len(data), len(data) + len(part)]}
    text = json.dumps(header).encode()
    (folder / "draft_head.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data + part)
    return str(folder)


class Head(InFolder):
    def setUp(self):
        super().setUp()
        self.model = str(self.folder / "target.gguf")
        subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], self.model, "1"], check=True)

    def generate(self, *arguments):
        return run("generate", "--target", self.model, "--prompt", PROMPT, "--max-new-tokens", "80", "--format", "json",
                   *arguments, environment={"XDG_CACHE_HOME": str(self.folder / "cache"),
                                            "REDRAFT_PINNED_COST": "1:0.05,64:0.06"})

    def written(self, *arguments):
        return json.loads(self.assert_succeeds(self.generate(*arguments)))

    def test_changes_nothing_that_is_written(self):
        plain = self.written("--decoder", "ar")
        head = write_head(self.folder / "head")
        for decoder in ("head", "head:tokens=1", "redraft", "redraft:no-head"):
            with_head = self.written("--decoder", decoder, "--head", head)
            self.assertEqual(with_head["text"], plain["text"], decoder)
        figures = self.written("--decoder", "head", "--head", head)
        self.assertGreater(figures["rows"], figures["passes"], "it drafts")

    def test_the_decoder_needs_one(self):
        self.assert_fails(self.generate("--decoder", "head"), 1, "the target has no draft head: give one with --head")

    def test_one_that_does_not_fit_is_refused(self):
        other = write_head(self.folder / "other", target_layers=3, target="big")
        self.assert_fails(self.generate("--head", other), 1, "draft_head.json: target_layers: the head is for a target with 3 "
                          "(it was trained for 'big'), and", "has 2")
        unknown = write_head(self.folder / "unknown", attention=True)
        self.assert_fails(self.generate("--head", unknown), 1, "attention: is not known to this version")
        self.assert_fails(self.generate("--head", str(self.folder / "none")), 1, "none/draft_head.json")


if __name__ == "__main__":
    unittest.main()
