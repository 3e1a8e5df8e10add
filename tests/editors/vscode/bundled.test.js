// The program within the extension, where it was packed for a platform.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const { load } = require('./source.js');

test('the program within the extension is found where there is one that can be started', (context) => {
  const { bundledProgram, findExecutable } = load('program.ts', { env: {} });
  const extension = fs.mkdtempSync(path.join(os.tmpdir(), 'redraft-'));
  context.after(() => fs.rmSync(extension, { recursive: true }));
  assert.strictEqual(bundledProgram(extension), undefined);
  const file = path.join(extension, 'server', 'bin', 'redraft');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, '#!/bin/sh\n', { mode: 0o644 });
  assert.strictEqual(bundledProgram(extension), undefined, 'a file that cannot be started does not count');
  fs.chmodSync(file, 0o755);
  assert.strictEqual(bundledProgram(extension), file);
  assert.strictEqual(findExecutable(file), file);
});

test('without a setting, the extension takes its own', () => {
  const { properties } = require(path.join(__dirname, '../../../editors/vscode/package.json')).contributes.configuration;
  assert.strictEqual(properties['redraft.path'].default, '');
});
