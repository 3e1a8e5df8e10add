// How the tests wait: for an event, never for a time in which it should have happened. Also used inside the extension host.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

// Milliseconds. On an idle machine a window opens in ten seconds and nothing else takes one; where two dozen others compile
// it has taken minutes.
const patience = 1000 * Number(fs.readFileSync(path.join(__dirname, '..', '..', 'kit', 'hang_seconds'), 'utf8'));

const { setTimeout } = globalThis; // in place of which a test may put its own

// Calls `test` until it gives something true, and gives that. `what`, if not said as a text, is asked for when it failed.
async function until(test, what) {
  for (const end = Date.now() + patience; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const result = await test();
    if (result) {
      return result;
    }
    if (Date.now() > end) {
      throw new Error(`${typeof what === 'function' ? what() : what}: not within ${patience / 1000} s`);
    }
  }
}

module.exports = { patience, until };
