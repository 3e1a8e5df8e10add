// Runs inside VS Code's extension host: an edit by real weights. expected.json says what is to come of it.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const vscode = require('vscode');

// Until hunks have come and for two seconds no more.
async function untilHunksStay(uri) {
  let [n, since] = [0, Date.now()];
  for (const end = Date.now() + 100000; n === 0 || Date.now() - since < 2000; await new Promise((resolve) => setTimeout(resolve, 100))) {
    assert(Date.now() < end, 'no hunks within 100 s');
    const lenses = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', uri);
    const now = lenses.filter((lens) => lens.command?.command === 'redraft.acceptHunk').length;
    [n, since] = now === n ? [n, since] : [now, Date.now()];
  }
}

exports.run = async () => {
  const folder = vscode.workspace.workspaceFolders[0].uri;
  const { instruction, before, after } = JSON.parse(fs.readFileSync(vscode.Uri.joinPath(folder, 'expected.json').fsPath, 'utf8'));
  await vscode.extensions.getExtension('redraft.redraft').activate();
  const uri = vscode.Uri.joinPath(folder, 'shapes.py');
  const { document } = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
  const textDocument = { uri: uri.toString(), version: document.version };
  await vscode.commands.executeCommand('redraft.prompt', { textDocument, range: null, instruction });
  await untilHunksStay(uri);
  assert.strictEqual(document.getText(), before);
  await vscode.commands.executeCommand('redraft.acceptAll');
  assert.strictEqual(document.getText(), after);
  await vscode.commands.executeCommand('undo');
  assert.strictEqual(document.getText(), before);
};
