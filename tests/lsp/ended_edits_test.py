"""Edits of files that are closed, renamed or deleted meanwhile: each ends with a reason, none changes another file."""

import pathlib
import unittest

from server_case import LINES, RENAME, RESOLVING, STREAMING, URI, ServerTest, apply_edits

RENAMED = "file:///tmp/c.py"
OTHER = "".join(f"other {i} old\n" for i in range(10))


class EndedEdits(ServerTest):
    def close(self, client, uri=URI):
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def rename(self, client, old=URI, new=RENAMED):
        client.notify("workspace/didRenameFiles", {"files": [{"oldUri": old, "newUri": new}]})

    def delete(self, client, uri=URI):
        client.notify("workspace/didDeleteFiles", {"files": [{"uri": uri}]})

    def as_editors_rename(self, client):
        self.close(client)
        self.open(client, LINES, uri=RENAMED)
        self.rename(client)

    def reopen(self, client):
        self.close(client)
        self.open(client, OTHER)

    WAYS = {"closed": (close, "closed"), "renamed on disk": (rename, "renamed"), "deleted": (delete, "deleted"),
            "renamed by the editor": (as_editors_rename, "closed"), "replaced": (reopen, "closed"),
            "opened anew": (lambda self, client: self.open(client, OTHER), "opened anew"),
            "its folder renamed": (lambda self, client: self.rename(client, "file:///tmp", "file:///t"), "renamed")}

    def in_every_way(self, before=None):
        """`before`: where the model waits until the text is gone."""
        for name, (way, reason) in self.WAYS.items():
            with self.subTest(way=name):
                client = self.start(RENAME, STREAMING, **({} if before is None else self.hold(before)))
                self.open(client, LINES)

                def end(client=client, way=way):
                    way(self, client)
                    if before is not None:
                        self.release_when_told(client)

                yield client, end, reason

    def assert_alive(self, client):
        """And can edit the next file."""
        self.open(client, OTHER, uri="file:///tmp/next.py")
        edit = self.edit(client, textDocument={"uri": "file:///tmp/next.py", "version": 1})
        self.assertEqual(self.end(client, edit)["state"], "done")
        reply = self.resolve(client, edit)
        self.assertEqual(apply_edits(OTHER, reply["edit"]["changes"]["file:///tmp/next.py"]),
                         OTHER.replace("old", "fresh"))

    def test_an_edit_that_runs(self):
        for client, end, reason in self.in_every_way(before="line 10"):
            edit = self.edit(client)
            self.hunk(client, edit)
            end()
            event = self.end(client, edit)
            self.assertEqual(event["state"], "cancelled")
            self.assertIn(reason, event["error"])
            shown = [h["hunkId"] for h in self.events(client, edit, "hunk")]
            dropped = self.events(client, edit, "dropped")
            self.assertEqual([d["hunkId"] for d in dropped], shown)
            self.assertTrue(all(reason in d["reason"] for d in dropped))
            self.assert_error(-32602, self.resolve, client, edit)
            self.assert_alive(client)

    def test_an_edit_that_waits_for_another(self):
        for client, end, reason in self.in_every_way(before=""):
            uri = "file:///elsewhere.py"
            self.open(client, OTHER, uri=uri)
            running = self.edit(client, textDocument={"uri": uri, "version": 1})
            waiting = self.edit(client)
            end()
            self.assertIn(reason, self.end(client, waiting)["error"])
            self.assertEqual(self.end(client, running)["state"], "done")
            self.assertEqual(self.events(client, waiting, "hunk"), [])

    def test_hunks_that_wait_for_a_decision(self):
        for client, end, reason in self.in_every_way():
            edit = self.edit(client)
            self.end(client, edit)
            end()
            self.assert_error(-32602, self.resolve, client, edit)
            dropped = self.events(client, edit, "dropped")
            self.assertEqual([d["hunkId"] for d in dropped], [0, 1, 2, 3])
            self.assertTrue(all(reason in d["reason"] for d in dropped))
            self.assert_alive(client)

    def test_a_text_opened_under_the_new_name_is_edited_by_its_own_edits_alone(self):
        client = self.start(RENAME, STREAMING, **self.hold("line 10"))
        self.open(client, LINES)
        first = self.edit(client)
        self.hunk(client, first)
        self.as_editors_rename(client)
        second = self.edit(client, textDocument={"uri": RENAMED, "version": 1})
        self.release()
        self.assertEqual(self.end(client, first)["state"], "cancelled")
        self.assertEqual(self.end(client, second)["state"], "done")
        self.assertTrue(all(h["uri"] == RENAMED for h in self.events(client, second, "hunk")))
        reply = self.resolve(client, second)
        self.assertEqual(list(reply["edit"]["changes"]), [RENAMED])
        self.assertEqual(apply_edits(LINES, reply["edit"]["changes"][RENAMED]), LINES.replace("old", "fresh"))

    def test_another_file_of_the_folder_is_renamed(self):
        client = self.start(RENAME, STREAMING, **self.hold())
        self.open(client, LINES)
        edit = self.edit(client)
        self.rename(client, "file:///tmp/a", RENAMED)
        self.rename(client, "file:///tmp/a%20b.py.orig", RENAMED)
        self.rename(client, RENAMED, "file:///tmp/d.py")
        self.delete(client, "file:///tmp/a%20b.py/x")
        self.release_when_told(client)
        self.assertEqual(self.end(client, edit)["state"], "done")
        self.assertEqual(self.resolve(client, edit)["hunkIds"], [0, 1, 2, 3])

    def test_the_same_file_named_in_another_way(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, LINES)
        edit = self.edit(client)
        self.end(client, edit)
        self.rename(client, "file:///tmp/%61%20b.py")
        self.assert_error(-32602, self.resolve, client, edit)

    def test_a_file_that_goes_from_the_disk_stays_what_the_editor_has_of_it(self):
        file = pathlib.Path(self.folder.name) / "a.py"
        file.write_text(LINES, encoding="utf-8")
        client = self.start(RENAME, STREAMING, options=["--index"], **self.hold())
        self.open(client, LINES, uri=file.as_uri())
        edit = self.edit(client, textDocument={"uri": file.as_uri(), "version": 1})
        file.unlink()
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 3}]})
        self.release_when_told(client)
        self.assertEqual(self.end(client, edit)["state"], "done")
        reply = self.resolve(client, edit)
        self.assertEqual(apply_edits(LINES, reply["edit"]["changes"][file.as_uri()]), LINES.replace("old", "fresh"))

    def test_plain_clients(self):
        for name, (way, reason) in self.WAYS.items():
            with self.subTest(way=name):
                client = self.start(RENAME, RESOLVING, **self.hold())
                self.open(client, LINES)
                request = client.start_request("codeAction/resolve", self.actions(client)[0])
                way(self, client)
                self.release_when_told(client)
                with self.assertRaisesRegex(Exception, reason):
                    client.response(request)
                self.hold()
                self.open(client, LINES)
                self.edit(client)
                way(self, client)
                self.release_when_told(client)
                said = client.notification("window/showMessage", lambda p: "cancelled" in p["message"])
                self.assertIn(reason, said["message"])
                client.request("redraft/status")
                self.assertEqual(client.all("workspace/applyEdit"), [])


if __name__ == "__main__":
    unittest.main()
