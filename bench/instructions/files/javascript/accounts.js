'use strict'

// Accounts of a small shop: loaded from a service, kept in memory, shown as text.

const cache = new Map()
const MAX_AGE = 60 * 1000

function isFresh (entry, now) {
  return entry !== undefined && now - entry.time < MAX_AGE
}

function loadAccount (service, id) {
  return service.fetch('/accounts/' + id).then(answer => {
    if (!answer.ok) {
      throw new Error('no account ' + id)
    }
    return answer.json()
  }).then(account => {
    cache.set(id, { account, time: Date.now() })
    return account
  })
}

function cachedAccount (id, now) {
  const entry = cache.get(id)
  return isFresh(entry, now) ? entry.account : null
}

function displayName (account) {
  return account.first + ' ' + account.last
}

function openAccounts (accounts) {
  const open = []
  for (let i = 0; i < accounts.length; i++) {
    if (!accounts[i].closed) {
      open.push(accounts[i])
    }
  }
  return open
}

function balance (account) {
  let sum = 0
  for (const booking of account.bookings) {
    sum += booking.amount
  }
  return sum
}

function report (accounts) {
  for (const account of accounts) {
    console.log(displayName(account), balance(account))
  }
}

module.exports = { loadAccount, cachedAccount, displayName, openAccounts, balance, report }
