"""redraft generate draws from the model's distribution, and says how likely tokens were. The model knows nothing."""

import json
import math
import os
import subprocess
import unittest

from redraft_process import InFolder, run

PROMPT = "def add(a, b):\n"


class Sampling(InFolder):
    def setUp(self):
        super().setUp()
        self.model = str(self.folder / "target.gguf")
        subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], self.model, "1"], check=True)

    def generate(self, *arguments):
        return run("generate", "--target", self.model, "--prompt", PROMPT, "--max-new-tokens", "30", *arguments,
                   environment={"XDG_CACHE_HOME": str(self.folder / "cache"), "REDRAFT_PINNED_COST": "1:0.05,64:0.06"})

    def written(self, *arguments):
        return json.loads(self.assert_succeeds(self.generate("--format", "json", *arguments)))

    def test_a_seed_writes_one_text_with_every_decoder(self):
        for cut in (("--top-p", "0.9"), ("--top-k", "7"), ("--min-p", "0.4"), ("--top-k", "9", "--top-p", "0.8", "--min-p", "0.1")):
            texts = set()
            for seed in ("1", "2", "18446744073709551615"):
                drawn = ("--temperature", "1.5", *cut, "--seed", seed)
                plain, drafted = (self.written(*drawn, "--decoder", name) for name in ("ar", "redraft"))
                self.assertEqual(plain["output_sha256"], drafted["output_sha256"], drawn)
                texts.add(plain["output_sha256"])
            self.assertEqual(len(texts), 3, cut)
        first = self.written("--temperature", "1")
        self.assertEqual(first["output_sha256"],
                         self.written("--temperature", "1.0", "--seed", "0", "--top-p", "1")["output_sha256"])

    def test_greedy_is_the_default(self):
        greedy = self.written()
        self.assertNotIn("log_probabilities", greedy)
        self.assertEqual(greedy["output_sha256"], self.written("--temperature", "0")["output_sha256"])
        self.assertEqual(greedy["output_sha256"], self.written("--logprobs", "0")["output_sha256"])
        self.assertNotEqual(greedy["output_sha256"], self.written("--temperature", "2")["output_sha256"])
        for one in (("--top-k", "1"), ("--min-p", "1"), ("--top-p", "0")):
            self.assertEqual(greedy["output_sha256"], self.written("--temperature", "2", *one)["output_sha256"], one)

    def test_log_probabilities_are_in_the_object(self):
        for temperature in ("0", "1.3"):
            answer = self.written("--logprobs", "3", "--temperature", temperature)
            tokens = answer["log_probabilities"]
            self.assertEqual(len(tokens), answer["new_tokens"])
            for token in tokens:
                self.assertLess(token["log_probability"], 0)
                likeliest = [other["log_probability"] for other in token["likeliest"]]
                self.assertEqual(len(likeliest), 3)
                self.assertEqual(likeliest, sorted(likeliest, reverse=True))
                self.assertLessEqual(sum(map(math.exp, likeliest)), 1)
                self.assertLessEqual(token["log_probability"], likeliest[0])
                if temperature == "0":
                    self.assertEqual(token["token"], token["likeliest"][0]["token"])
                    self.assertEqual(token["text"], token["likeliest"][0]["text"])
            self.assertEqual(tokens, self.written("--logprobs", "3", "--temperature", temperature, "--decoder", "ar")
                             ["log_probabilities"])

    def test_a_prediction_is_drafted_from(self):
        greedy = self.written("--decoder", "ar")
        prediction = self.folder / "prediction.txt"
        prediction.write_text(greedy["text"])
        predicted = self.written("--prediction", str(prediction), "--decoder", "fastfixer")
        self.assertEqual(predicted["output_sha256"], greedy["output_sha256"])
        self.assert_fails(self.generate("--prediction", str(self.folder / "none")), 1, "none: cannot read the file")

    def test_what_is_not_possible_is_refused(self):
        for value in ("-0.1", "2.1", "warm", "nan"):
            self.assert_fails(self.generate("--temperature", value), 2, "temperature")
        for value in ("-0.1", "1.1", "most", "nan"):
            self.assert_fails(self.generate("--temperature", "1", "--top-p", value), 2, "top-p")
            self.assert_fails(self.generate("--temperature", "1", "--min-p", value), 2, "min-p")
        for value in ("-1", "0.5", "2147483648", "all"):
            self.assert_fails(self.generate("--temperature", "1", "--top-k", value), 2, "top-k")
        self.assert_fails(self.generate("--top-k", "5"), 2, "--top-k", "--temperature")
        self.assert_fails(self.generate("--min-p", "0.5"), 2, "--min-p", "--temperature")
        for value in ("-1", "x", "18446744073709551616"):
            self.assert_fails(self.generate("--temperature", "1", "--seed", value), 2, "--seed")
        for value in ("-1", "21"):
            self.assert_fails(self.generate("--format", "json", "--logprobs", value), 2, "--logprobs")
        self.assert_fails(self.generate("--logprobs", "1"), 2, "--format json")
        self.assert_fails(self.generate("--seed", "1"), 2, "--seed", "--temperature")
        self.assert_fails(self.generate("--top-p", "0.5", "--temperature", "0"), 2, "--top-p", "--temperature")

    def test_lossy_rules_are_refused_by_name(self):
        lossy = ("--decoder", "efficientedit:direct", "--draft", self.model)
        self.written(*lossy)
        self.assert_fails(self.generate(*lossy, "--temperature", "1"), 2, "efficientedit:direct", "to sample", "lossless")
        self.assert_fails(self.generate(*lossy, "--logprobs", "1", "--format", "json"), 2, "efficientedit:direct", "lossless")


if __name__ == "__main__":
    unittest.main()
