// Runs inside VS Code's extension host: an edit by real weights. expected.json says what is to come of it.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');
const { until } = require('./wait.js');

exports.run = async () => {
  const folder = vscode.workspace.workspaceFolders[0].uri;
  const { instruction, before, after } = JSON.parse(fs.readFileSync(vscode.Uri.joinPath(folder, 'expected.json').fsPath, 'utf8'));
  // A window may read the settings late; the server is then started anew, and an edit requested before is lost.
  const setting = (name) => vscode.workspace.getConfiguration('redraft').get(name);
  await until(() => path.isAbsolute(setting('path')) && setting('target') !== '', 'the settings');
  await vscode.extensions.getExtension('redraft.redraft').activate();
  const uri = vscode.Uri.joinPath(folder, 'shapes.py');
  const { document } = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
  const textDocument = { uri: uri.toString(), version: document.version };
  await vscode.commands.executeCommand('redraft.prompt', { textDocument, range: null, instruction });
  // What the document would be with all hunks that have come.
  const preview = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: 'redraft-preview', path: uri.path, query: uri.toString() }));
  await until(() => preview.getText() === after, () => `the whole edit, not only\n${preview.getText()}`);
  assert.strictEqual(document.getText(), before);
  await vscode.commands.executeCommand('redraft.acceptAll');
  assert.strictEqual(document.getText(), after);
  await vscode.commands.executeCommand('undo');
  assert.strictEqual(document.getText(), before);
};
