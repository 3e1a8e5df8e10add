import os


class Notes:
    def __init__(self, path):
        self.path = path
        self.lines = []

    def load(self):
        with open(self.path) as file:
            self.lines = [line.strip() for line in file]

    def title(self):
        return os.path.basename(self.path)

    def backup(self):
        return os.path.join(os.path.dirname(self.path), 'backup.txt')

    def is_empty(self):
        return not os.path.exists(self.path)
