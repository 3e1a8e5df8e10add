"""`redraft models pull OWNER/NAME` from a server that speaks as the hub does, who gets the token, and HTTPS."""

import json
import os
import shutil
import subprocess
import unittest

from loopback_web import Page, Web
from pull_any_test import NAME, PATH, Any, sha256

TOKEN = "hf_a_token_that_nobody_else_sees"
COMMIT = "a" * 40


class Hub(Any):
    def setUp(self):
        super().setUp()
        self.environment = {"HF_ENDPOINT": self.web.origin}
        self.offer(**{NAME: self.content})

    def offer(self, digests=True, **files):
        """Makes a repository of these files, each of which is at a server of its contents."""
        self.cdn = getattr(self, "cdn", None) or self.make_web()
        described = {}
        for path, content in files.items():
            described[path] = (len(content), sha256(content) if digests else None)
            self.web.pages[f"/owner/model/resolve/{COMMIT}/{path}"] = Page(location=f"{self.cdn.origin}/{path}?signature=x")
            self.page = self.cdn.pages[f"/{path}"] = Page(content)
        self.web.list_repository("owner/model", described, tags=["gguf", "license:apache-2.0"])


class Choosing(Hub):
    def test_the_only_file(self):
        told = self.assert_pulled(self.pull("owner/model"))
        self.assertIn(f"{NAME}: owner/model on 127.0.0.1, 0 MB, licence apache-2.0", told.out)
        self.assertNotIn("nothing says what its SHA-256 should be", told.err)

    def test_by_a_part_of_the_name(self):
        self.offer(**{NAME: self.content, "tiny-IQ4_K_M.gguf": b"", "tiny-Q4_K_S.gguf": b"", "q8/tiny-Q8_0.gguf": b"",
                     "mmproj-tiny-Q4_K_M.gguf": b"", "README.md": b"", "tiny-Q4_K_M-00001-of-00002.gguf": b""})
        for part in ("Q4_K_M", "q4_k_m", NAME):
            with self.subTest(part):
                self.assert_pulled(self.pull(f"owner/model:{part}"))
                (self.store() / NAME).unlink()

    def test_what_there_is_where_it_is_not_certain(self):
        self.offer(**{NAME: self.content, "tiny-Q4_K_S.gguf": b"", "tiny-Q8_0.gguf": b""})
        for word, there in (("owner/model", "tiny-Q8_0.gguf"), ("owner/model:Q4", "tiny-Q4_K_S.gguf"),
                            ("owner/model:Q6_K", "no GGUF file is called 'Q6_K'")):
            refused = self.pull(word)
            self.assert_refused(refused, there, NAME, "as in owner/model:Q4_K_M")
        self.assertNotIn("tiny-Q8_0.gguf", self.pull("owner/model:Q4").err)

    def test_a_repository_without_one(self):
        self.offer(**{"model.safetensors": b"", "config.json": b""})
        self.assert_refused(self.pull("owner/model"), "has no GGUF file")
        self.offer(**{"a-00001-of-00003.gguf": b"", "a-00003-of-00003.gguf": b""})
        self.assert_refused(self.pull("owner/model"), "has all of its parts", "a-00003-of-00003.gguf")

    def test_one_that_there_is_not(self):
        self.assert_refused(self.pull("owner/none"), "404", "HF_TOKEN")

    def test_hostile_answers(self):
        listing = self.web.pages["/api/models/owner/model"]
        for answer in (b"", b"[]", b"{", b"[" * 100_000, b'{"siblings": 7}', b'{"siblings": [7, {"rfilename": 7}]}',
                       b'{"siblings": [{"rfilename": "../../x/.gguf"}]}', b'{"siblings": [{"rfilename": "a/..\\\\b.gguf"}]}',
                       b'{"siblings": [{"rfilename": "a\\nb.gguf"}]}', b'{"siblings": [{"rfilename": ".a.gguf"}]}',
                       b'{"sha": "../..", "siblings": [{"rfilename": "a.gguf", "size": "x", "lfs": [1]}]}',
                       b'{"siblings": [{"rfilename": "a.gguf", "size": 1' + b"0" * 400 + b"}]}"):
            with self.subTest(answer[:60]):
                listing.content = answer
                self.assert_refused(self.pull("owner/model"))

    def test_no_network(self):
        self.environment["HF_ENDPOINT"] = "http://127.0.0.1:9"  # "discard": nothing listens
        self.assert_refused(self.pull("owner/model"), "is there a network")


class Promises(Hub):
    """What the hub says of a file before it comes."""

    def test_another_sha256_than_it_says(self):
        self.page.content = self.content[:-1] + bytes([self.content[-1] ^ 1])
        self.assert_refused(self.pull("owner/model"), "has the SHA-256", f"where {sha256(self.content)} is expected")

    def test_another_length_than_it_says(self):
        self.page.content = self.content + b"more"
        self.assert_refused(self.pull("owner/model"), f"where {len(self.content)} are expected")

    def test_another_sha256_than_the_user_says(self):
        self.assert_refused(self.pull("owner/model", "--sha256", "0" * 64), "not the one that was given")
        self.assertEqual(self.cdn.requests, [])

    def test_the_address_of_a_file_of_the_hub_is_checked_too(self):
        where = f"/owner/model/resolve/{COMMIT}/{NAME}"
        self.web.pages[where].headers = {"X-Linked-Etag": f'"{"0" * 64}"'}
        self.assert_refused(self.pull(self.address(where)), f"where {'0' * 64} is expected")
        self.web.pages[where].headers = {"X-Linked-Etag": f'"{sha256(self.content)}"'}
        self.assertNotIn("nothing says", self.assert_pulled(self.pull(self.address(where))).err)

    def test_another_server_promises_nothing(self):
        self.environment["HF_ENDPOINT"] = self.cdn.origin
        self.page = self.web.pages["/m/" + NAME] = Page(self.content, headers={"X-Linked-Etag": f'"{"0" * 64}"'})
        self.assert_pulled(self.pull(self.address("/m/" + NAME)))


class Token(Hub):
    def setUp(self):
        super().setUp()
        self.environment["HF_TOKEN"] = TOKEN

    def test_only_the_hub_gets_it(self):
        told = self.assert_pulled(self.pull("owner/model", "--format", "json"))
        self.assertEqual(set(self.web.tokens()), {f"Bearer {TOKEN}"})
        self.assertEqual(set(self.cdn.tokens()), {None})
        self.assertNotIn(TOKEN, told.out + told.err)
        for kept in (self.folder / "data").rglob("*"):
            self.assertTrue(kept.is_dir() or TOKEN.encode() not in kept.read_bytes(), kept)

    def test_no_other_address_does(self):
        self.cdn.pages["/m/" + NAME] = Page(self.content)
        self.assert_pulled(self.pull(f"{self.cdn.origin}/m/{NAME}"))
        self.assertEqual(self.cdn.tokens(), [None])

    def test_a_port_is_another_server(self):
        """As is one to which the hub leads, though on the same machine."""
        self.web.pages["/m/" + NAME] = Page(location=f"{self.cdn.origin}/{NAME}")
        self.assert_pulled(self.pull(self.address("/m/" + NAME)))
        self.assertEqual((self.web.tokens(), self.cdn.tokens()), ([f"Bearer {TOKEN}"], [None]))

    def test_who_is_not_let_in(self):
        for status in (401, 403):
            self.web.pages["/api/models/owner/model"].status = status
            refused = self.pull("owner/model")
            self.assert_refused(refused, str(status), "HF_TOKEN")
            self.assertNotIn(TOKEN, refused.err)

    def test_a_server_that_says_it_again(self):
        self.web.pages["/api/models/owner/model"].content = json.dumps({"siblings": [], "tags": [TOKEN]}).encode()
        self.assertNotIn(TOKEN, self.pull("owner/model").err)

    def test_one_that_would_be_more_than_a_header(self):
        self.environment["HF_TOKEN"] = "a\r\nX-Other: b"
        refused = self.pull("owner/model")
        self.assert_refused(refused, "HF_TOKEN is not a token")
        self.assertEqual(self.web.requests, [])

    def test_it_is_not_sent_where_it_could_be_read(self):
        proxy = self.make_web()
        self.environment.update(HF_ENDPOINT="http://hub.example", http_proxy=proxy.origin)
        self.pull("owner/model")
        self.pull("owner/model", "--sha256", sha256(self.content))
        self.assertEqual(proxy.tokens(), [None])  # asked only where it is known what should come


@unittest.skipUnless(shutil.which("openssl"), "a certificate is made with openssl")
class Https(Any):
    def make_web(self):
        self.certificate = self.folder / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-out", self.certificate, "-keyout", self.folder / "key.pem"],
                       check=True, capture_output=True)
        self.certificate.write_text(self.certificate.read_text() + (self.folder / "key.pem").read_text())
        web = Web(self.certificate)
        self.addCleanup(web.close)
        return web

    def setUp(self):
        super().setUp()
        self.environment = {"SSL_CERT_FILE": str(self.certificate)}

    def test_a_certificate_that_is_trusted(self):
        self.assert_pulled(self.pull())

    def test_one_that_is_not(self):
        self.environment = {"SSL_CERT_FILE": os.devnull, "SSL_CERT_DIR": str(self.folder / "none")}
        self.assert_refused(self.pull(), "certificate verify failed")
        self.assertEqual(self.web.requests, [])

    def test_https_never_leads_to_http(self):
        other = Web()
        self.addCleanup(other.close)
        other.pages["/" + NAME] = self.page
        self.web.pages[PATH] = Page(location=f"{other.origin}/{NAME}")
        self.assert_refused(self.pull(), "where what comes could be changed on the way")
        self.assertEqual(other.requests, [])


if __name__ == "__main__":
    unittest.main()
