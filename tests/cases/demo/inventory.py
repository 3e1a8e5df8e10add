"""A small warehouse: what is in stock, what is reserved, and what has to be ordered."""

import csv
import json
from dataclasses import dataclass, field


@dataclass
class Item:
    """One kind of thing on the shelves."""

    sku: str
    name: str
    quantity: int = 0
    price: float = 0.0
    reorder_level: int = 5
    tags: list[str] = field(default_factory=list)

    @property
    def value(self):
        return self.quantity * self.price


class Inventory:
    def __init__(self):
        self.items = {}
        self.reserved = {}

    def add(self, item):
        """Adds an item, or raises the stock of one that is already known."""
        if item.sku in self.items:
            self.items[item.sku].quantity += item.quantity
        else:
            self.items[item.sku] = item

    def remove(self, sku, quantity):
        """Takes items off the shelf."""
        item = self.items[sku]
        item.quantity -= quantity
        return item

    def reserve(self, sku, quantity):
        """Sets items aside for an order."""
        item = self.items[sku]
        if item.quantity - self.reserved.get(sku, 0) < quantity:
            return False
        self.reserved[sku] = self.reserved.get(sku, 0) + quantity
        return True

    def release(self, sku, quantity):
        """Puts reserved items back."""
        left = self.reserved.get(sku, 0) - quantity
        if left > 0:
            self.reserved[sku] = left
        else:
            self.reserved.pop(sku, None)

    def available(self, sku):
        """How many can still be promised to somebody."""
        return self.items[sku].quantity - self.reserved.get(sku, 0)

    def total_value(self):
        total = 0
        for item in self.items.values():
            total += item.value
        return total

    def low_stock(self):
        """Items that should be ordered again."""
        result = []
        for item in self.items.values():
            if item.quantity <= item.reorder_level:
                result.append(item)
        return result

    def find(self, text):
        """Items whose name or tags hold the text."""
        found = []
        for item in self.items.values():
            if text in item.name or text in item.tags:
                found.append(item)
        return found


def load_csv(path):
    inventory = Inventory()
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            inventory.add(
                Item(
                    sku=row["sku"],
                    name=row["name"],
                    quantity=int(row["quantity"]),
                    price=float(row["price"]),
                )
            )
    return inventory


def save_json(inventory, path):
    with open(path, "w") as file:
        json.dump([vars(item) for item in inventory.items.values()], file, indent=2)


def report(inventory):
    """A table for people to read."""
    lines = []
    for item in sorted(inventory.items.values(), key=lambda item: item.name):
        lines.append(f"{item.name:30} {item.quantity:6d} {item.price:10.2f}")
    lines.append(f"{'total':30} {inventory.total_value():17.2f}")
    return "\n".join(lines)
