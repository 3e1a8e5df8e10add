"""A byte-level BPE vocabulary, trained on a text, in the form of the tokenizer `qwen35`."""

import collections
import heapq
import re

# The words of Qwen's pre-tokenizer in ASCII text.
WORDS = re.compile(r"'(?i:[sdmt]|ll|ve|re)|[^\r\nA-Za-z0-9]?[A-Za-z]+|[0-9]| ?[^\sA-Za-z0-9]+[\r\n]*|\s*[\r\n]+"
                   r"|\s+(?!\S)|\s+")
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"]


def byte_alphabet():
    """The character that stands for each byte."""
    printable = [byte for byte in range(256) if 33 <= byte <= 126 or 161 <= byte != 173]
    others = iter(range(256, 512))
    return [chr(byte if byte in printable else next(others)) for byte in range(256)]


class Vocabulary:
    def __init__(self, text, size):
        """Trains on `text`, in ASCII, until there are `size` tokens."""
        self.tokens = byte_alphabet()
        self.merges = []  # pairs of ids, the most frequent first
        self.ranks = {}
        self.words = {}  # the ids of words seen
        self._train(collections.Counter(WORDS.findall(text)), size - len(SPECIAL))
        self.special = {name: len(self.tokens) + i for i, name in enumerate(SPECIAL)}

    def _train(self, words, size):
        spelled = [[list(word.encode()), count] for word, count in words.items()]
        pairs, places = collections.Counter(), collections.defaultdict(set)
        for i, (ids, count) in enumerate(spelled):
            for pair in zip(ids, ids[1:]):
                pairs[pair] += count
                places[pair].add(i)
        queue = [(-count, pair) for pair, count in pairs.items()]
        heapq.heapify(queue)
        while len(self.tokens) < size and queue:
            count, pair = heapq.heappop(queue)
            if -count != pairs[pair] or not pairs[pair]:
                if pairs[pair]:
                    heapq.heappush(queue, (-pairs[pair], pair))
                continue
            self.ranks[pair] = len(self.tokens)
            self.merges.append(pair)
            self.tokens.append(self.tokens[pair[0]] + self.tokens[pair[1]])
            changed = set()
            for i in places.pop(pair):
                ids, times = spelled[i]
                for old in zip(ids, ids[1:]):
                    pairs[old] -= times
                ids = spelled[i][0] = self._joined(ids, pair)
                for new in zip(ids, ids[1:]):
                    pairs[new] += times
                    places[new].add(i)
                    changed.add(new)
            for new in sorted(changed):
                heapq.heappush(queue, (-pairs[new], new))

    def _joined(self, ids, pair):
        out, i = [], 0
        while i < len(ids):
            if tuple(ids[i:i + 2]) == pair:
                out.append(self.ranks[pair])
                i += 2
            else:
                out.append(ids[i])
                i += 1
        return out

    def _word(self, word):
        ids = list(word.encode())
        while len(ids) > 1:
            best = min(zip(ids, ids[1:]), key=lambda pair: self.ranks.get(pair, len(self.tokens)))
            if best not in self.ranks:
                break
            ids = self._joined(ids, best)
        return ids

    def encode(self, text):
        """The ids of an ASCII text without special tokens."""
        out = []
        for word in WORDS.findall(text):
            if word not in self.words:
                self.words[word] = self._word(word)
            out += self.words[word]
        return out
