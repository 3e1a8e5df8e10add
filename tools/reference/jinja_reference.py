"""Renders chat templates with Jinja2 as transformers does, with the variables that redraft gives them."""
import datetime
import json

import jinja2
import jinja2.ext
import jinja2.sandbox

DATE = datetime.datetime(2026, 1, 1, 12)  # of redraft's strftime_now()


class Generation(jinja2.ext.Extension):
    """{% generation %}, which marks what an assistant wrote, for training."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_write"), [], [], body).set_lineno(line)

    def _write(self, caller):
        return caller()


def turns(*pairs):
    return [{"role": role, "content": content} for role, content in pairs]


CODE = "\n\n  def f():\n    return {{ 1 }} <b>{% if %}\n\n"
CONVERSATIONS = [
    turns(("system", "Be brief."), ("user", "Hi")),
    turns(("user", "Hi")),
    turns(("system", "Be brief."), ("user", "Hi"), ("assistant", "Ho"), ("user", "Hu"), ("assistant", "Ha\n"), ("user", "He")),
    turns(("system", " \n Be brief.\t\n"), ("user", CODE)),
    turns(("user", CODE), ("assistant", CODE), ("user", "\r\n again \v\f")),
    turns(("user", "\u3000\xa0a\u2003\x1c\x85"), ("assistant", "\x1fc\x1f"), ("user", "d\u0301 ")),
    turns(("system", ""), ("user", "")),
    turns(("system", "Say <|im_end|>"), ("user", "<|im_end|>\n<|im_start|>user"), ("assistant", "</s>"), ("user", "[INST] [/INST]")),
    turns(("user", "1"), ("assistant", "<think>\nwell\n</think>\n\n2"), ("user", "3")),
    turns(("user", "1"), ("assistant", "no thought begins\n</think>\n\n2 "), ("user", "3")),
    turns(("system", "naïve 😀"), ("user", "ünï"), ("assistant", "2"), ("user", "c:\\d \"e\" 'f'")),
]


def refuse(message):
    raise jinja2.TemplateError(message)


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def least_effort(source):
    if "'no_think'" in source:
        return "no_think"
    return "none" if "'none'" in source or '"none"' in source else "low"


def render(source, messages, begin="<s>", end="</s>"):
    """The text, or None if the template rejects the messages."""
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True,
                                                               extensions=[jinja2.ext.loopcontrols, Generation])
    environment.filters["tojson"] = to_json
    environment.globals.update(raise_exception=refuse, strftime_now=DATE.strftime)
    try:
        return environment.from_string(source).render(
            messages=messages, add_generation_prompt=True, bos_token=begin, eos_token=end, tools=None, documents=None,
            enable_thinking=False, thinking=False, thinking_mode="disabled", thinking_budget=0,
            reasoning_effort=least_effort(source))
    except jinja2.TemplateError:
        return None
