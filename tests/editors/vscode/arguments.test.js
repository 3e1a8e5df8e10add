// What the settings make of the server's command line.
'use strict';
const assert = require('node:assert');
const test = require('node:test');
const { load } = require('./source.js');

const { remoteServer, serverArguments } = load('arguments.ts');

// What the user has set, and what a workspace has.
function settings(user, workspace = {}) {
  const all = { ...user, ...workspace };
  return {
    get: (name, byDefault) => all[name] ?? byDefault,
    inspect: (name) => ({ globalValue: user[name], workspaceValue: workspace[name] }),
  };
}

test('each setting is an option', () => {
  assert.deepStrictEqual(serverArguments(settings({})), ['lsp']);
  assert.deepStrictEqual(
    serverArguments(settings({ target: ' a ', draft: 'b', commonFolders: ['~/c'], arguments: ['--threads', '4'] })),
    ['lsp', '--target', 'a', '--draft', 'b', '--common', '~/c', '--threads', '4']);
});

test('models of their own have an option each', () => {
  assert.deepStrictEqual(serverArguments(settings({ 'completion.model': 'c', 'nextEdit.model': 'n' })),
    ['lsp', '--completion-model', 'c', '--next-edit-model', 'n']);
});

test('a server is named by the user', () => {
  const user = { remote: 'https://gpu:8000', remoteModel: 'coder' };
  assert.deepStrictEqual(serverArguments(settings(user)),
    ['lsp', '--remote', 'https://gpu:8000', '--remote-model', 'coder']);
  assert.strictEqual(remoteServer(settings(user)), 'https://gpu:8000');
  assert.deepStrictEqual(serverArguments(settings({ remoteModel: 'coder' })), ['lsp'], 'a model of no server');
});

test('a workspace cannot name one among the arguments', () => {
  const own = { arguments: ['--threads', '2'] };
  for (const others of [['--remote', 'http://evil'], ['--threads', '4', '--remote=http://evil'], ['--remote-model', 'x'], ['--common', 'x'],
    ['--completion-model', '/m.gguf'], ['--next-edit-model=/m.gguf']]) {
    assert.deepStrictEqual(serverArguments(settings(own, { arguments: others })), ['lsp', '--threads', '2']);
    assert.deepStrictEqual(serverArguments(settings({}, { arguments: others })), ['lsp']);
  }
  assert.deepStrictEqual(serverArguments(settings(own, { arguments: ['--threads', '4'] })), ['lsp', '--threads', '4']);
  assert.deepStrictEqual(serverArguments(settings({ arguments: ['--remote', 'http://mine'] })), ['lsp', '--remote', 'http://mine']);
});
