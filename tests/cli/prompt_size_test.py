"""The same command shows the model the same text on any machine. The model knows nothing: another prompt is another text."""

import json
import os
import subprocess
import unittest

from redraft_process import InFolder, run

# Machines that read 20, 200 and 20,000 tokens a second.
COSTS = ("1:0.3,64:3.2", "1:0.03,64:0.32", "1:0.0003,64:0.0032")
CODE = "".join(f"def area_{i}(width, height):\n    scaled = width * {i}\n    return scaled * height\n\n\n" for i in range(200))
TOKENS = ("--max-new-tokens", "12", "--format", "json")


class PromptSize(InFolder):
    def setUp(self):
        super().setUp()
        self.model = str(self.folder / "target.gguf")
        subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], self.model, "1"], check=True)
        self.file = self.folder / "code.py"
        self.file.write_text(CODE)

    def written(self, *arguments, cost=None):
        environment = {"XDG_CACHE_HOME": str(self.folder / "cache")}
        if cost:
            environment["REDRAFT_PINNED_COST"] = cost
        process = run(*arguments, "--target", self.model, *TOKENS, environment=environment)
        return json.loads(self.assert_succeeds(process)), process.stderr.decode()

    def facts(self, *arguments, cost=None):
        result, _ = self.written(*arguments, cost=cost)
        return {name: result[name] for name in ("prompt_size", "prompt_tokens", "new_tokens", "output_sha256")}

    def edit(self, *more):
        return ("edit", str(self.file), "make it faster", "--range", "502:5-502:5", *more)

    def complete(self, *more):
        return ("complete", str(self.file), "--at", "502:5", *more)

    def test_is_the_same_on_any_machine(self):
        for command in (self.edit(), self.complete()):
            first, *others = (self.facts(*command, cost=cost) for cost in COSTS)
            self.assertEqual(first["prompt_size"], "medium")
            self.assertEqual(others, [first] * len(others), command)

    def test_is_the_one_that_a_command_names(self):
        for command in (self.edit, self.complete):
            found = [self.facts(*command("--prompt-size", size), cost=COSTS[1]) for size in ("small", "medium", "large")]
            self.assertEqual([each["prompt_size"] for each in found], ["small", "medium", "large"])
            tokens = [each["prompt_tokens"] for each in found]
            self.assertEqual(tokens, sorted(set(tokens)), command)
            self.assertGreater(len({each["output_sha256"] for each in found}), 1)

    def test_is_that_of_the_machine_on_request(self):
        found = [self.facts(*self.edit("--prompt-size", "auto"), cost=cost)["prompt_size"] for cost in COSTS]
        self.assertEqual(found, ["small", "medium", "huge"])

    def test_is_chosen_once_for_a_machine(self):
        kept = self.folder / "cache" / "redraft" / "cost" / "prompt-sizes.json"
        first = self.facts(*self.edit("--prompt-size", "auto"))
        (choice,) = json.loads(kept.read_text())["choices"]
        self.assertEqual(choice["size"], first["prompt_size"])
        # Whatever the machine measured, this is what it chose.
        choice["size"] = "small" if first["prompt_size"] != "small" else "large"
        kept.write_text(json.dumps({"format": 1, "choices": [choice]}))
        for _ in range(2):
            self.assertEqual(self.facts(*self.edit("--prompt-size", "auto"))["prompt_size"], choice["size"])
        # It was chosen for another machine: this one has its own, and the user is told if it is another.
        choice["cpu"] = "Abacus 9000"
        kept.write_text(json.dumps({"format": 1, "choices": [choice]}))
        result, told = self.written(*self.edit("--prompt-size", "auto"))
        self.assertEqual(result["prompt_size"], first["prompt_size"])
        self.assertIn(f"The machine changed, so prompts have the size {first['prompt_size']} instead of {choice['size']}", told)
        _, told = self.written(*self.edit("--prompt-size", "auto"))
        self.assertNotIn("The machine changed", told, "that was said")

    def test_wrong_names(self):
        process = run(*self.edit("--prompt-size", "gigantic"), "--target", self.model)
        self.assert_fails(process, 2, "--prompt-size", "gigantic")


if __name__ == "__main__":
    unittest.main()
