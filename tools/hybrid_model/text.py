"""What a hybrid learns: Python files of pinned packages, and edits of them in the form of a chat."""

import keyword
import re
import zipfile

NAME = re.compile(r"\b[a-z_]{3,}\b")
MOST_LINES = 24  # of an edit


def python_files(archives):
    """The ASCII texts of all Python files of these wheels, in a fixed order."""
    texts = []
    for archive in sorted(archives):
        with zipfile.ZipFile(archive) as packed:
            for name in sorted(packed.namelist()):
                data = packed.read(name)
                if name.endswith(".py") and len(data) > 400 and data.isascii():
                    texts.append(data.decode().replace("\r\n", "\n").expandtabs(4))
    return texts


class Samples:
    """Sequences of tokens: a quarter of each batch are pieces of files, the others edits. `random` is numpy's generator."""

    def __init__(self, texts, vocabulary, random):
        self.vocabulary, self.random = vocabulary, random
        self.files = [text.splitlines(keepends=True) for text in texts]
        self.stream = []
        for text in texts:
            self.stream += vocabulary.encode(text) + [vocabulary.special["<|endoftext|>"]]

    def piece(self, length):
        start = self.random.integers(len(self.stream) - length)
        return self.stream[start:start + length]

    def _lines(self):
        lines = self.files[self.random.integers(len(self.files))]
        count = int(self.random.integers(3, MOST_LINES))
        start = int(self.random.integers(max(1, len(lines) - count)))
        return "".join(lines[start:start + count])

    def _names(self, text):
        return sorted(set(NAME.findall(text)) - set(keyword.kwlist))

    def edit(self):
        """A renaming of one name in a few lines, or a request to repeat them."""
        before, ask = self._lines(), "Repeat"
        after, names = before, self._names(before)
        if names and self.random.random() < 0.7:
            old, others = names[self.random.integers(len(names))], self._names(self._lines())
            if others:
                new = others[self.random.integers(len(others))]
                ask, after = f"Rename {old} to {new}", re.sub(rf"\b{old}\b", new, before)
        encode, special = self.vocabulary.encode, self.vocabulary.special
        start, end = special["<|im_start|>"], special["<|im_end|>"]
        return [start, *encode(f"user\n{ask}:\n```python\n{before}```"), end, *encode("\n"),
                start, *encode("assistant\n"), special["<think>"], *encode("\n\n"), special["</think>"],
                *encode(f"\n\n```python\n{after}```"), end, *encode("\n")]

    def edits(self, length):
        tokens = []
        while len(tokens) < length:
            tokens += self.edit()
        return tokens[:length]

    def batch(self, rows, length):
        return [self.piece(length) if i % 4 == 0 else self.edits(length) for i in range(rows)]
