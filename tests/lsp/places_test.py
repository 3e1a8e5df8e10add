"""An edit of a large file: the places that it finds, what it says of them, and places that are requested. The model is a script."""

import unittest

from server_case import RENAME, STREAMING, URI, ServerTest, apply_edits, span

STEPS = "".join(f"def step_{i}(x):\n    old = step_{i - 1}(x)\n    # a line like this makes the file a large one\n"
                f"    return old\n\n\n" for i in range(120))


def lines_of(name):
    first = STEPS[:STEPS.index(f"def {name}(")].count("\n")
    return span(first, 0, first + 4, 0)


def renamed(*names):
    text = STEPS
    for name in names:
        begin = text.index(f"def {name}(")
        end = text.index("\n\n\n", begin)
        text = text[:begin] + text[begin:end].replace("old", "fresh") + text[end:]
    return text


class Places(ServerTest):
    def outcome(self, client, edit):
        """The places that were told, and the text after the edit."""
        self.assertEqual(self.end(client, edit)["state"], "done")
        events = self.events(client, edit)
        self.assertEqual([p["seq"] for p in events], list(range(len(events))))
        kinds = [p["kind"] for p in events if p["kind"] != "progress"]
        self.assertEqual(kinds[0], "places")
        self.assertEqual(kinds.count("places"), 1)
        hunks = self.events(client, edit, "hunk")
        self.assertEqual([h["hunkId"] for h in hunks], list(range(len(hunks))))
        reply = self.resolve(client, edit)
        return self.events(client, edit, "places")[0], apply_edits(STEPS, reply["edit"]["changes"][URI])

    def test_only_the_places_that_the_instruction_names_are_edited(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, STEPS)
        places, text = self.outcome(client, self.edit(client, "rename the variable of step_70", scope="file"))
        self.assertEqual((places["uri"], places["version"], places["parts"]), (URI, 1, 120))
        self.assertEqual([p["name"] for p in places["chosen"]], ["step_70, step_71"])
        first, last = lines_of("step_70"), lines_of("step_71")
        self.assertEqual(places["chosen"][0]["range"], {"start": first["start"], "end": last["end"]})
        self.assertEqual(text, renamed("step_70", "step_71"))
        self.assertEqual(len(places["others"]), 50)
        self.assertEqual({p["name"] for p in places["others"]} & {"step_70", "step_71"}, set())

    def test_ranges_are_edited_and_nothing_else(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, STEPS)
        ranges = [lines_of("step_40"), lines_of("step_3"), lines_of("step_4")]
        edit = self.edit(client, "rename the variable of step_70", ranges=ranges)
        places, text = self.outcome(client, edit)
        self.assertEqual([p["range"] for p in places["chosen"]], [ranges[1], ranges[2], ranges[0]])
        self.assertEqual(places["others"], [])
        self.assertEqual(text, renamed("step_3", "step_4", "step_40"))

    def test_added_places_leave_the_first_ones_alone(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, STEPS)
        found = self.edit(client, "rename the variable of step_70", scope="file")
        self.end(client, found)
        self.assertEqual(len(self.events(client, found, "hunk")), 4)
        added = self.edit(client, "rename it", ranges=[lines_of("step_60"), lines_of("step_80")])
        self.end(client, added)
        self.assertEqual(self.events(client, found, "dropped"), [])
        both = self.edit(client, "rename it", ranges=[lines_of("step_60"), lines_of("step_80"), lines_of("step_90")])
        self.end(client, both)
        self.assertEqual(len(self.events(client, added, "dropped")), 4)
        self.assertEqual(self.events(client, found, "dropped"), [])

    def test_nothing_found_says_what_to_do(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, STEPS)
        edit = self.edit(client, "make everything better", scope="file")
        end = self.end(client, edit)
        self.assertEqual(end["state"], "failed")
        self.assertRegex(end["error"], "found no part of the file.*select.*scope 'whole'")
        self.assertEqual(self.events(client, edit, "places"), [])

    def test_whole_goes_over_all_lines(self):
        client = self.start(RENAME, STREAMING, context_length=16384)
        self.open(client, STEPS)
        edit = self.edit(client, "rename the variable of step_70", scope="whole")
        self.assertEqual(self.end(client, edit)["state"], "done")
        self.assertEqual(self.events(client, edit, "places"), [])
        reply = self.resolve(client, edit)
        self.assertEqual(apply_edits(STEPS, reply["edit"]["changes"][URI]), STEPS.replace("old", "fresh"))

    def test_a_small_file_is_edited_as_a_whole(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, "old\n" * 30)
        edit = self.edit(client, "rename", scope="file")
        self.assertEqual(self.end(client, edit)["state"], "done")
        self.assertEqual(self.events(client, edit, "places"), [])
        self.assertGreater(len(self.events(client, edit, "hunk")), 0)

    def test_ranges_that_make_no_sense_are_refused(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, STEPS)
        somewhere = lines_of("step_5")
        for more in ({"ranges": []}, {"ranges": {}}, {"ranges": [1]}, {"ranges": [somewhere] * 257},
                     {"ranges": [somewhere], "range": somewhere}, {"ranges": [somewhere], "scope": "symbol"}):
            self.assert_error(-32602, self.edit, client, "rename", **more)
        self.assertEqual(self.end(client, self.edit(client, "rename", ranges=[span(9999, 0, 9999, 5)]))["state"], "done")


if __name__ == "__main__":
    unittest.main()
