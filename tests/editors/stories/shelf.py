import csv


def read_rows(path):
    with open(path) as file:
        return list(csv.DictReader(file))


class Shelf:
    def __init__(self, folder, encoding='utf-8'):
        self.folder = folder
        self.encoding = encoding

    def stock(self):
        return read_rows(self.folder / 'stock.csv')

    def prices(self):
        rows = read_rows(self.folder / 'prices.csv')
        return {row['name']: float(row['price']) for row in rows}

    def orders(self):
        return sorted(read_rows(self.folder / 'orders.csv'), key=lambda row: row['day'])
