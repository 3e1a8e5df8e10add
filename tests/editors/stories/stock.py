import os

class Stock:
    def __init__(self, path):
        self.path = path
        self.items = {}

    def load(self):
        f = open(self.path)
        for line in f:
            name, count = line.split(',')
            self.items[name] = int(count)
        f.close()

    def take(self, name, count):
        self.items[name] -= count
        return self.items[name]

    def label(self):
        return os.path.basename(self.path)
