'use strict'

const assert = require('assert')
const test = require('node:test')

class Cart {
  constructor () {
    this.items = []
  }

  add (name, price, count = 1) {
    this.items.push({ name, price, count })
    return this
  }

  total () {
    return this.items.reduce((sum, item) => sum + item.price * item.count, 0)
  }
}

test('the total of one item', () => {
  assert.strictEqual(new Cart().add('tea', 4).total(), 4)
})

test('an item that is there several times', () => {
  assert.strictEqual(new Cart().add('tea', 4, 3).total(), 12)
})

