// How the tests wait: for what is to happen, never for a time in which it should have. Also inside the extension host.
'use strict';

// Milliseconds; on an idle machine nothing that is waited for takes a twentieth of it. Only what never comes takes all.
const patience = 120000;

// Calls `test` until it gives something true, and gives that. `what`, if not said as a text, is asked for when it failed.
async function until(test, what, limit = patience) {
  for (const end = Date.now() + limit; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const result = await test();
    if (result) {
      return result;
    }
    if (Date.now() > end) {
      throw new Error(`${typeof what === 'function' ? what() : what}: not within ${limit / 1000} s`);
    }
  }
}

module.exports = { patience, until };
