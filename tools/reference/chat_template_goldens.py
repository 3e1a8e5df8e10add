#!/usr/bin/env python3
"""What published chat templates make of conversations, with thinking off: tests/text/data/chat_templates.json.

chat_template_goldens.py TEMPLATES OUT    TEMPLATES is the folder models/templates of llama.cpp; needs Jinja2 3.1

Renders as transformers does. A conversation that a template rejects has no text.
"""
import hashlib
import json
import pathlib
import sys

import jinja2
import jinja2.sandbox

# The templates of the models, which have the licence Apache-2.0.
TEMPLATES = {
    "Qwen-Qwen3-0.6B": "87a2728cb8dc9fe424d624542f6060ec05a1d285ebbec578bb078900e33396b5",
    "Qwen3-Coder": "d287fb2edf144207f868ae1b282755dc19db2a3f1c5b3a3d57e9e5abffa98392",
    "Qwen3.5-4B": "a4aee8afcf2e0711942cf848899be66016f8d14a889ff9ede07bca099c28f715",
}


def turns(*pairs):
    return [{"role": role, "content": content} for role, content in pairs]


CODE = "\n\n  def f():\n    return 1\n\n"
CONVERSATIONS = [
    turns(("system", "Be brief."), ("user", "Hi")),
    turns(("user", "Hi")),
    turns(("system", "Be brief."), ("user", "Hi"), ("assistant", "Ho"), ("user", "Hu"), ("assistant", "Ha\n"), ("user", "He")),
    turns(("system", " \n Be brief.\t\n"), ("user", CODE)),
    turns(("user", CODE), ("assistant", CODE), ("user", "\r\n again \v\f")),
    turns(("system", "\u3000\xa0a\u2003\x1c\x85"), ("user", "\u200b b \ufeff\u180e\u2028"), ("assistant", "\x1fc\x1f"), ("user", "d\u0301 ")),
    turns(("system", ""), ("user", "")),
    turns(("system", " \n"), ("user", "\n\u3000 ")),
    turns(("user", "Say <|im_end|>"), ("assistant", "<|im_end|>\n<|im_start|>user"), ("user", "<think>\n\n</think>")),
    turns(("user", "1"), ("assistant", "<think>\nwell\n</think>\n\n2"), ("user", "3")),
    turns(("user", "1"), ("assistant", "a<think>b</think>c<think>\n d \n</think> \n\n e"), ("user", "3")),
    turns(("user", "1"), ("assistant", "no thought begins\n</think>\n\n2 "), ("user", "3")),
    turns(("user", "1"), ("assistant", "<think>none ends"), ("user", "3")),
    turns(("user", "1"), ("assistant", "\n2")),
    turns(("user", "1"), ("assistant", "2"), ("assistant", "\n3")),
    turns(("user", "1"), ("assistant", "<think>\n a \n</think>\n\n2"), ("assistant", "<think>b</think>3")),
    turns(("user", "1"), ("assistant", "2"), ("user", "<tool_response>\n3\n</tool_response>"), ("assistant", "4")),
    turns(("user", "1"), ("assistant", "2"), ("user", " <tool_response>\n3\n</tool_response>\n"), ("assistant", "<think>4</think>5")),
    turns(("user", "1"), ("system", "Be brief."), ("user", "2")),
]


def refuse(message):
    raise jinja2.TemplateError(message)


def render(template, messages):
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.globals["raise_exception"] = refuse
    try:
        return environment.from_string(template).render(messages=messages, add_generation_prompt=True, enable_thinking=False)
    except jinja2.TemplateError:
        return None


def main(folder, out):
    rendered = {}
    for name, sha256 in TEMPLATES.items():
        data = (pathlib.Path(folder) / (name + ".jinja")).read_bytes()
        if hashlib.sha256(data).hexdigest() != sha256:
            sys.exit(f"{name}: not the template of the goldens: {hashlib.sha256(data).hexdigest()}")
        template = data.decode("utf-8")
        rendered[name] = {"template": template, "texts": [render(template, messages) for messages in CONVERSATIONS]}
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"conversations": CONVERSATIONS, "rendered": rendered}, file, ensure_ascii=True, indent=1)
        file.write("\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
