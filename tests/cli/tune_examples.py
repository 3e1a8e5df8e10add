"""Examples for `redraft tune`, made here: small edits of small functions."""

import json
import random

NAMES = ("count", "total", "items", "value", "result", "index", "buffer", "token")


def example(number):
    chosen = random.Random(number)
    name, other, new = chosen.sample(NAMES, 3)
    body = f"    {name} = {name} + {other}\n"
    before = f"def f{number}({name}, {other}):\n{body}    return {name}\n"
    lines = [f"def f{number}({name}, {other}, {new}=0):\n", body, f"    return {name} - {new}\n", "```<|im_end|>"]
    target = "".join(lines)
    learn, at = [], 0
    for line in lines:
        if line not in before.splitlines(keepends=True):
            learn.append([at, at + len(line)])
        at += len(line)
    prompt = (f"<|im_start|>user\n```python\n{before}```\nSubtract a parameter {new}.<|im_end|>\n"
              "<|im_start|>assistant\n```python\n")
    return {"prompt": prompt, "target": target, "learn": learn, "source": f"made {number}"}


def lines(numbers):
    return "".join(json.dumps(example(number)) + "\n" for number in numbers)
