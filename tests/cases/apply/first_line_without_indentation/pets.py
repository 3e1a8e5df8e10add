class Cat:
    def name(self):
        return 'cat'

    def feed(self):
        self.full = 1


class Bat:
    def name(self):
        return 'bat'

    def feed(self):
        self.full = 1
