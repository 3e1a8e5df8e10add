// What the extension does while its server is missing, by a clock of the test's own.
'use strict';
const assert = require('node:assert');
const test = require('node:test');
const { load } = require('./source.js');

const { MissingExecutable, lookAgainAfter, looksAtStart } = load('missing.ts');

// Calls `run` with an executable that is missing, a way to let looks pass, and what has happened.
function withMissing(run) {
  test.mock.timers.enable({ apis: ['setInterval'] });
  const seen = { isThere: false, found: 0, complaints: 0, messages: 0 };
  const complain = (isForUser) => {
    seen.complaints++;
    seen.messages += isForUser ? 1 : 0;
  };
  const missing = new MissingExecutable(() => seen.isThere, () => seen.found++, complain);
  try {
    run(missing, seen, (n) => test.mock.timers.tick(n * lookAgainAfter));
  } finally {
    test.mock.timers.reset();
  }
}

test('an executable whose setting comes late is never called missing', () =>
  withMissing((missing, seen, look) => {
    missing.wait(false);
    look(looksAtStart - 1);
    seen.isThere = true;
    look(1);
    assert.deepStrictEqual(seen, { isThere: true, found: 1, complaints: 0, messages: 0 });
    look(10);
    assert.deepStrictEqual(seen, { isThere: true, found: 1, complaints: 0, messages: 0 }, 'it is found once');
  }));

test('one that stays away is called missing once, without a message, and found when it comes', () =>
  withMissing((missing, seen, look) => {
    missing.wait(false);
    look(looksAtStart - 1);
    assert.strictEqual(seen.complaints, 0);
    look(1);
    assert.strictEqual(seen.complaints, 1);
    look(100);
    assert.deepStrictEqual([seen.complaints, seen.messages], [1, 0]);
    seen.isThere = true;
    look(1);
    assert.strictEqual(seen.found, 1);
  }));

test('who asks for it at the start is told when it is certain, later at once', () =>
  withMissing((missing, seen, look) => {
    missing.wait(false);
    missing.wait(true);
    assert.strictEqual(seen.messages, 0);
    look(looksAtStart);
    assert.strictEqual(seen.messages, 1);
    look(10);
    assert.strictEqual(seen.messages, 1);
    missing.wait(true);
    assert.strictEqual(seen.messages, 2);
  }));

test('after it was there, a setting that loses it is told of at once', () =>
  withMissing((missing, seen) => {
    missing.end();
    missing.wait(false);
    assert.strictEqual(seen.messages, 1);
  }));

test('nothing is looked for after the end', () =>
  withMissing((missing, seen, look) => {
    missing.wait(false);
    missing.stop();
    seen.isThere = true;
    look(10);
    assert.deepStrictEqual(seen, { isThere: true, found: 0, complaints: 0, messages: 0 });
  }));
