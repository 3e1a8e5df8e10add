#!/usr/bin/env python3
"""What Jinja2 makes of the templates in tests/text/templates/own: tests/text/data/own_templates.json.

own_template_goldens.py    needs Jinja2 3.1
"""
import json
import pathlib

import jinja_reference

TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "text"


def main():
    rendered = {}
    for file in sorted((TESTS / "templates" / "own").glob("*.jinja")):
        source = file.read_text(encoding="utf-8")
        rendered[file.stem] = {"template": source,
                               "texts": [jinja_reference.render(source, each) for each in jinja_reference.CONVERSATIONS]}
    with open(TESTS / "data" / "own_templates.json", "w", encoding="utf-8") as out:
        json.dump({"conversations": jinja_reference.CONVERSATIONS, "rendered": rendered}, out, ensure_ascii=True, indent=1)
        out.write("\n")


if __name__ == "__main__":
    main()
