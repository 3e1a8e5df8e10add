"""Reads the vocabulary of a GGUF file: only its metadata, with only Python's standard library."""
import mmap
import struct

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


class _Reader:
    def __init__(self, data):
        self.data = data
        self.position = 0

    def scalar(self, code):
        (value,) = struct.unpack_from("<" + code, self.data, self.position)
        self.position += struct.calcsize("<" + code)
        return value

    def text(self):
        size = self.scalar("Q")
        self.position += size
        return self.data[self.position - size : self.position].decode("utf-8")

    def value(self, kind):
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            item, count = self.scalar("I"), self.scalar("Q")
            return [self.value(item) for _ in range(count)]
        return self.scalar(_SCALARS[kind])


def metadata(path):
    """Every key of the file's metadata with its value."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        reader = _Reader(data)
        magic, version = reader.scalar("I"), reader.scalar("I")
        if magic != 0x46554747 or version not in (2, 3):
            raise ValueError(f"{path} is not a GGUF file of version 2 or 3")
        reader.scalar("Q")  # the number of tensors
        pairs = {}
        for _ in range(reader.scalar("Q")):
            key = reader.text()
            pairs[key] = reader.value(reader.scalar("I"))
        return pairs


def vocabulary(path):
    """The fields of TokenizerSpec, as in tests/text/data/tiny.json."""
    fields = metadata(path)
    names = {"pre_tokenizer": "pre", "tokens": "tokens", "types": "token_type", "merges": "merges",
             "end_of_text": "eos_token_id"}
    fields.setdefault("tokenizer.ggml.pre", fields["tokenizer.ggml.model"])  # Gemma 4's files have only the latter
    return {ours: fields["tokenizer.ggml." + theirs] for ours, theirs in names.items()}
