// Runs inside VS Code's extension host: an edit by real weights. expected.json says what is to come of it.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const vscode = require('vscode');

exports.run = async () => {
  const folder = vscode.workspace.workspaceFolders[0].uri;
  const { instruction, before, after } = JSON.parse(fs.readFileSync(vscode.Uri.joinPath(folder, 'expected.json').fsPath, 'utf8'));
  await vscode.extensions.getExtension('redraft.redraft').activate();
  const uri = vscode.Uri.joinPath(folder, 'shapes.py');
  const { document } = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
  const textDocument = { uri: uri.toString(), version: document.version };
  await vscode.commands.executeCommand('redraft.prompt', { textDocument, range: null, instruction });
  const preview = vscode.Uri.from({ scheme: 'redraft-preview', path: uri.path, query: uri.toString() });
  const previewed = await vscode.workspace.openTextDocument(preview);
  for (const end = Date.now() + 100000; previewed.getText() !== after; await new Promise((resolve) => setTimeout(resolve, 100))) {
    assert(Date.now() < end, `the preview should become\n${after}\nbut is\n${previewed.getText()}`);
  }
  assert.strictEqual(document.getText(), before);
  await vscode.commands.executeCommand('redraft.acceptAll');
  assert.strictEqual(document.getText(), after);
  await vscode.commands.executeCommand('undo');
  assert.strictEqual(document.getText(), before);
};
