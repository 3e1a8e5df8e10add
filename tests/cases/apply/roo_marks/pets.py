class Cat:
    def name(self):
        return 'cat'

    def feed(self):
        self.full = 1


class Dog:
    def name(self):
        return 'dog'

    def feed(self):
        self.full = 1
