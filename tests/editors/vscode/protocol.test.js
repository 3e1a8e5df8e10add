// Whether the program and the extension speak the same protocol.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const { load } = require('./source.js');

const { protocolProblem, protocolVersion } = load('protocol.ts', {});
const root = path.join(__dirname, '../../..');
const number = (file, pattern) => Number(pattern.exec(fs.readFileSync(path.join(root, file), 'utf8'))[1]);

test('the plugins have the number of the server', () => {
  assert.strictEqual(protocolVersion, number('lsp/wire/version.h', /kProtocolVersion = (\d+);/));
  assert.strictEqual(protocolVersion, number('editors/neovim/lua/redraft/client.lua', /^M\.protocol = (\d+)/m));
});

test('the same number is no problem', () => {
  assert.strictEqual(protocolProblem({ experimental: { redraft: { protocol: protocolVersion } } }), undefined);
});

test('another one is told, with what to update', () => {
  const problem = (protocol) => protocolProblem({ experimental: { redraft: { protocol } } });
  assert.match(problem(protocolVersion + 1), /speaks protocol 2, the extension 1.*Update the extension/);
  assert.match(problem(protocolVersion - 1), /speaks protocol 0, the extension 1.*Update the program/);
  assert.match(problem(undefined), /speaks protocol unknown.*Update the program/);
  assert.match(protocolProblem({}), /Update the program/);
  assert.match(protocolProblem(undefined), /Update the program/);
});
