#!/usr/bin/env python3
"""Writes the editors' settings and the documentation of settings from the table in lsp/settings/setting_table.cpp.

--check writes nothing and fails if a file differs from what would be written; `make check` runs it.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = "build/lsp/settings/redraft_print_settings"
SETTINGS = "<!-- The settings, written by tools/settings.py -->\n"
OPTIONS = "<!-- The options, written by tools/settings.py -->\n"
END = "<!-- to here -->\n"


def replaced(text, begin, end, content, name):
    """Replaces the text between the first `begin` and the next `end` with `content`; both marks stay."""
    start = text.find(begin)
    stop = text.find(end, start + len(begin))
    if start < 0 or stop < 0:
        raise SystemExit(f"settings: {name} has no place for the settings: {begin.strip()!r} … {end.strip()!r}")
    return text[:start + len(begin)] + content + text[stop:]


def limits(schema):
    return f"{schema['minimum']:g} to {schema['maximum']:g}" if "minimum" in schema else ""


def kind(schema):
    """The kind of a value, in a few words."""
    if "enum" in schema:
        return ", ".join(f"`{choice}`" for choice in schema["enum"])
    return {"boolean": "`true`, `false`", "integer": limits(schema), "number": limits(schema), "string": "text", "array": "list of texts",
            "object": "object of `true`, `false`"}[schema["type"]]


def value(json_value):
    return f"`{json.dumps(json_value)}`"


def docs_table(table, start):
    rows = [f"| `redraft.{s['name']}` | {kind(s['schema'])} | {value(s['schema']['default'])} | {s['scope']} | "
            f"{s['description']} |" for s in table if s["start"] == start]
    return "\n".join(["| Setting | Values | Default | VS Code's scope | |", "|---|---|---|---|---|", *rows]) + "\n"


def inline_json(json_value):
    """JSON on one line, with the same spaces as in package.json."""
    if isinstance(json_value, dict) and json_value:
        members = ", ".join(f"{json.dumps(k)}: {inline_json(v)}" for k, v in json_value.items())
        return "{ " + members + " }"
    return json.dumps(json_value, ensure_ascii=False)


def vscode_properties(table):
    order = ["type", "items", "additionalProperties", "enum", "minimum", "maximum", "default"]
    entries = []
    for setting in table:
        schema = {key: setting["schema"][key] for key in order if key in setting["schema"]}
        schema["scope"] = setting["scope"]
        members = ", ".join(f"{json.dumps(key)}: {inline_json(v)}" for key, v in schema.items())
        entries.append(f'        "redraft.{setting["name"]}": {{\n          {members},\n'
                       f'          "markdownDescription": {json.dumps(setting["description"], ensure_ascii=False)}\n'
                       f'        }}')
    return ",\n".join(entries) + "\n"


def as_lua(text):
    """A description with Lua tables instead of JSON in its examples."""
    text = re.sub(r'\{"(\w+)": (\w+)\}', r"{ \1 = \2 }", text)
    return re.sub(r'\["([^"]+)"\]', r"{ '\1' }", text)


def vim_help(table):
    lines = []
    for setting in table:
        if setting["start"]:
            continue
        default = json.dumps(setting["schema"]["default"]).replace("[]", "{}").replace('"', "'")
        choices = re.sub("`", "", kind(setting["schema"]))
        head = f"{setting['name']} = {default}"
        lines.append(f"{head:<40}{choices}".rstrip())
        whole = re.sub("`[^`]*`", lambda code: code[0].replace(" ", "\0"), as_lua(setting["description"]))
        wrapped = textwrap.wrap(whole, 62, initial_indent="\t\t", subsequent_indent="\t\t", break_long_words=False,
                                break_on_hyphens=False)
        lines += [line.replace("\0", " ") for line in wrapped]
        lines.append("")
    return "\n".join(lines)


def lua_types(table):
    types = {"boolean": "boolean", "integer": "number", "number": "number", "string": "string", "array": "table", "object": "table"}
    tops = {}
    for setting in table:
        if not setting["start"]:
            name, dot, _ = setting["name"].partition(".")
            tops[name] = "table" if dot else types[setting["schema"]["type"]]
    rows = "".join(f"  {name} = '{type_name}',\n" for name, type_name in tops.items())
    return ("-- The server's settings and their types; for a group only its name. Written by tools/settings.py from the table in\n"
            "-- lsp/settings/setting_table.cpp.\nreturn {\n" + rows + "}\n")


def documents(root, table):
    """Every generated file and its new contents."""
    def edited(name, *parts):
        text = (root / name).read_text(encoding="utf-8")
        for begin, end, content in parts:
            text = replaced(text, begin, end, content, name)
        return name, text

    yield edited("docs/settings.md", (SETTINGS, END, docs_table(table, False)), (OPTIONS, END, docs_table(table, True)))
    yield edited("editors/vscode/package.json", ('      "title": "redraft",\n      "properties": {\n', "      }\n    },\n",
                                                 vscode_properties(table)))
    yield edited("editors/neovim/doc/redraft.txt", ("All settings, with their defaults and values:\n\n", "=" * 78,
                                                    vim_help(table) + "\n"))
    yield "editors/neovim/lua/redraft/settings.lua", lua_types(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=ROOT / PROGRAM, help="program that prints the table (default: %(default)s)")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the source tree")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    table = json.loads(subprocess.run([arguments.program], check=True, capture_output=True).stdout)
    outdated = []
    for name, text in documents(arguments.root, table):
        file = arguments.root / name
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        outdated.append(name)
        if not arguments.check:
            file.write_text(text, encoding="utf-8")
            print(f"settings: wrote {name}")
    if arguments.check and outdated:
        sys.exit(f"settings: not up to date: {', '.join(outdated)}; run python3 tools/settings.py")


if __name__ == "__main__":
    main()
