// What the extension makes of a login shell and of a model that do not write what is expected.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const { load } = require('./source.js');
const { until } = require('./wait.js');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'redraft-shell-'));
const beside = (name) => path.join(folder, name);
const pids = () => fs.readFileSync(beside('pids'), 'utf8').trim().split('\n').map(Number);

test.before(() => {
  fs.writeFileSync(beside('redraft'), '#!/bin/sh\n', { mode: 0o755 });
  test.mock.timers.enable({ apis: ['setTimeout'] }); // for the extension no time passes but what a test lets pass
});
test.after(() => {
  test.mock.timers.reset();
  fs.rmSync(folder, { recursive: true });
});

function isAlive(pid) {
  try {
    return /^State:\s+[^Z]/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

// Calls `run` with the extension's part, while the login shell is one that runs `script` before it carries out its command.
async function withShell(script, run) {
  const text = `#!/bin/sh\necho $$ >>'${beside('pids')}'\nPATH="$PATH:${folder}"\nexport PATH\n${script}\n`
    + 'while [ $# -gt 1 ]; do shift; done\neval "$1"\n';
  fs.writeFileSync(beside('shell'), text, { mode: 0o755 });
  fs.rmSync(beside('pids'), { force: true });
  const { SHELL } = process.env;
  process.env.SHELL = beside('shell');
  try {
    await run(load('program.ts', { env: {} }));
  } finally {
    process.env.SHELL = SHELL;
    pids().filter(isAlive).forEach((pid) => process.kill(pid, 'SIGKILL'));
  }
}

const background = `sleep 600 & echo $! >>'${beside('pids')}'`;

test('a login shell may greet, and leave something that holds its output open', () =>
  withShell(`echo welcome "$@"\n${background}`, async ({ readLoginPath, findExecutable }) => {
    assert.strictEqual(findExecutable('redraft'), undefined);
    await readLoginPath();
    assert.strictEqual(findExecutable('redraft'), beside('redraft'));
    assert(isAlive(pids()[1]), 'what it left lives on');
  }));

test('one that never stops writing is ended', () =>
  withShell(`while :; do echo welcome; done`, async ({ readLoginPath, findExecutable }) => {
    await readLoginPath();
    assert.strictEqual(findExecutable('redraft'), undefined);
    await until(() => !pids().some(isAlive), 'its end');
  }));

test('one that waits for somebody is ended in time, with what it waits for', () =>
  withShell(`${background}; wait`, async ({ readLoginPath, findExecutable }) => {
    const read = readLoginPath();
    await until(() => fs.existsSync(beside('pids')) && pids().length === 2, 'the wait');
    test.mock.timers.tick(10000);
    await read;
    assert.strictEqual(findExecutable('redraft'), undefined);
    await until(() => !pids().some(isAlive), 'its end');
  }));

test('a shell that is not there is no error', async () => {
  const { SHELL } = process.env;
  process.env.SHELL = '/nowhere/shell';
  await load('program.ts', { env: {} }).readLoginPath();
  process.env.SHELL = SHELL;
});

test('characters that change the order of others, or that do not show, are shown', () => {
  const { rowsOf } = load('card.ts', { ThemeColor: class {} });
  const newLines = ['if (is_admin\u202e \u2066) {\u2069 \u2066// check', '\tbell\x07 and escape\x1b[2J', 'é 漢字 ➜'];
  const { text } = rowsOf({ newLines, added: [] }, 4);
  assert.deepStrictEqual(text.split('\n'), ['if (is_admin\ufffd \ufffd) {\ufffd \ufffd// check', '    bell\ufffd and escape\ufffd[2J', 'é 漢字 ➜']);
});
