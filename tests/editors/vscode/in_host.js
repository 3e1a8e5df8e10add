// Runs inside VS Code's extension host: the extension's commands and what they do to documents.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');
const { before, after, controlsOf } = require('./example.js');
const { until } = require('./wait.js');

const { executeCommand } = vscode.commands;
let server; // what controls it

const workspace = () => vscode.workspace.workspaceFolders[0].uri;

async function open(name) {
  const uri = vscode.Uri.joinPath(workspace(), name);
  return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
}

// The hunks that are shown: [{line, id}], from the lenses that decide on them.
async function hunks(document) {
  const lenses = await executeCommand('vscode.executeCodeLensProvider', document.uri);
  return lenses
    .filter((lens) => lens.command?.command === 'redraft.acceptHunk')
    .map((lens) => ({ line: lens.range.start.line, id: lens.command.arguments[1], editId: lens.command.arguments[2] }));
}

async function untilHunks(document, n) {
  let seen;
  const test = async () => {
    seen = await hunks(document);
    return seen.length === n;
  };
  await until(test, () => `${n} hunks, there are ${JSON.stringify(seen)}`);
  return seen;
}

// Runs `step`, in which an edit ends, and waits until all that the server said of it has arrived.
async function untilEnded(document, step, how) {
  const ends = server.ends(how);
  await step();
  await until(() => server.ends(how) > ends, 'the end of the edit');
  await executeCommand('vscode.executeCodeActionProvider', document.uri, new vscode.Range(0, 0, 0, 0)); // is answered after it
}

function edit(document, instruction, range = null) {
  const textDocument = { uri: document.uri.toString(), version: document.version };
  return executeCommand('redraft.prompt', { textDocument, range, instruction });
}

const accept = (document, id) => executeCommand('redraft.acceptHunk', document.uri.toString(), id);
const reject = (document, id) => executeCommand('redraft.rejectHunk', document.uri.toString(), id);

function replaced(text, line, ...lines) {
  const all = text.split('\n');
  all.splice(line, 1, ...lines);
  return all.join('\n');
}

async function acceptRejectUndo() {
  const { document } = await open('a.py');
  await edit(document, 'use pathlib');
  const found = await untilHunks(document, 3);
  assert.strictEqual(document.getText(), before); // nothing has entered the document
  assert.strictEqual(document.isDirty, false);
  await accept(document, found[1].id);
  const once = before.replace('    f = open(path)\n    return', '    with open(path) as f:\n        return');
  assert.strictEqual(document.getText(), once);
  await reject(document, found[2].id);
  assert.strictEqual(document.getText(), once);
  assert.strictEqual((await untilHunks(document, 1))[0].id, found[0].id);
  await executeCommand('undo');
  assert.strictEqual(document.getText(), before);
  await executeCommand('redo');
  assert.strictEqual(document.getText(), once);
  await executeCommand('redraft.rejectAll');
  await untilHunks(document, 0);
  await executeCommand('undo');
}

async function acceptAllIsOneUndoStep() {
  const { document } = await open('a.py');
  await edit(document, 'use pathlib');
  await untilHunks(document, 3);
  const preview = vscode.Uri.from({ scheme: 'redraft-preview', path: document.uri.path, query: document.uri.toString() });
  assert.strictEqual((await vscode.workspace.openTextDocument(preview)).getText(), after);
  await executeCommand('redraft.acceptAll');
  assert.strictEqual(document.getText(), after);
  await untilHunks(document, 0);
  await executeCommand('undo');
  assert.strictEqual(document.getText(), before);
}

async function theClipboardIsPutInItsPlace() {
  const { document } = await open('a.py');
  await vscode.env.clipboard.writeText('```python\ndef name(path):\n    return os.path.basename(path).lower()\n```\n');
  await executeCommand('redraft.applyClipboard');
  await untilHunks(document, 1);
  assert.strictEqual(document.getText(), before);
  await executeCommand('redraft.acceptAll');
  assert.strictEqual(document.getText(), before.replace('os.path.basename(path)', 'os.path.basename(path).lower()'));
  await executeCommand('undo');
}

async function previewFollowsTheEdit() {
  const { document } = await open('a.py');
  await edit(document, 'use pathlib');
  const uri = vscode.Uri.from({ scheme: 'redraft-preview', path: document.uri.path, query: document.uri.toString() });
  const preview = await vscode.workspace.openTextDocument(uri);
  await until(() => preview.getText() === after, 'the preview of the whole edit');
  assert.strictEqual(document.getText(), before);
  await untilHunks(document, 3); // a change of the preview moves and drops nothing
  await executeCommand('redraft.rejectAll');
  await until(() => preview.getText() === before, 'the preview of nothing');
  assert.strictEqual(document.getText(), before);
}

async function severalEditsStay() {
  const { document } = await open('c.py');
  const text = document.getText();
  const line = (n) => ({ start: { line: n, character: 0 }, end: { line: n + 1, character: 0 } });
  await edit(document, 'write the body', line(4));
  await edit(document, 'write the body', line(1));
  const found = await untilHunks(document, 2);
  assert.deepStrictEqual(found.map((hunk) => hunk.line), [1, 4]);
  await executeCommand('redraft.acceptHunk', document.uri.toString(), found[1].id, found[1].editId);
  assert.strictEqual(document.getText(), replaced(text, 4, '    return a + b'));
  await untilHunks(document, 1);
  await executeCommand('undo');
  await edit(document, 'write the body'); // covers what is left, and finds more
  await untilHunks(document, 2);
  await executeCommand('redraft.acceptAll');
  assert.strictEqual(document.getText(), text.replaceAll('    pass', '    return a + b'));
  await executeCommand('undo');
  assert.strictEqual(document.getText(), text);
}

async function typingElsewhereMovesHunks() {
  const { document } = await open('a.py');
  const editor = vscode.window.activeTextEditor;
  server.hold();
  await edit(document, 'use pathlib');
  await untilHunks(document, 1);
  await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), '# one\n# two\n'));
  server.release();
  const found = await untilHunks(document, 3);
  assert.strictEqual(found[0].line, 2); // the line that it follows
  await editor.edit((builder) => builder.insert(document.lineAt(document.lineCount - 1).range.end, '# end\n'));
  await executeCommand('redraft.acceptAll');
  assert.strictEqual(document.getText(), `# one\n# two\n${after}# end\n`);
  await executeCommand('workbench.action.files.revert');
  assert.strictEqual(document.getText(), before);
}

async function whatIsReadAgainFromTheDiskMovesHunks() {
  const { document } = await open('a.py');
  await edit(document, 'use pathlib');
  await untilHunks(document, 3);
  fs.writeFileSync(document.uri.fsPath, `# by another program\n${before}`);
  await until(() => document.lineAt(0).text === '# by another program', 'the new text of the file');
  const found = await untilHunks(document, 3);
  assert.strictEqual(found[0].line, 1);
  await executeCommand('redraft.acceptAll');
  assert.strictEqual(document.getText(), `# by another program\n${after}`);
  await executeCommand('workbench.action.files.revert');
  fs.writeFileSync(document.uri.fsPath, before);
  await until(() => document.getText() === before, 'the text as it was');
}

const tries = async (document) => (await executeCommand('vscode.executeCodeLensProvider', document.uri))
  .filter((lens) => lens.command?.command === 'redraft.anotherTry').length;

async function anotherTryIsOfTheTextAsItWas() {
  const { document } = await open('a.py');
  await edit(document, 'use pathlib');
  const found = await untilHunks(document, 3);
  await until(async () => (await tries(document)) === 1, 'the lens of the edit');
  const known = server.requested().length;
  await accept(document, found[1].id);
  await until(async () => (await tries(document)) === 0, 'no lens: the text is another');
  await executeCommand('redraft.anotherTry');
  await untilHunks(document, 2); // the others wait still
  assert.strictEqual(server.requested().length, known);
  await executeCommand('undo');
  await until(async () => (await tries(document)) === 1, 'the lens: the text is as it was');
  await untilEnded(document, () => executeCommand('redraft.anotherTry'));
  assert.deepStrictEqual(server.requested().slice(known).map(({ another }) => another), [1]);
  await executeCommand('redraft.rejectAll');
  await untilHunks(document, 0);
  await executeCommand('workbench.action.files.revert');
}

async function typingInsideDropsAHunk() {
  const { document } = await open('a.py');
  await edit(document, 'use pathlib');
  await untilHunks(document, 3);
  const mine = '    return os.path.basename(path)  # mine';
  await vscode.window.activeTextEditor.edit((builder) => builder.insert(new vscode.Position(7, 30), '# mine'));
  await untilHunks(document, 2);
  await executeCommand('redraft.acceptAll');
  const text = document.getText();
  assert(text.includes('# mine') && text.includes('from pathlib import Path') && !text.includes('Path(path)'), text + mine);
  await executeCommand('workbench.action.files.revert');
}

async function cancelKeepsWhatHasCome() {
  const { document } = await open('a.py');
  server.hold();
  await edit(document, 'use pathlib');
  await untilHunks(document, 1);
  await executeCommand('redraft.cancelEdit');
  await untilEnded(document, server.release, 'cancelled');
  await untilHunks(document, 1);
  await executeCommand('redraft.acceptAll');
  assert.strictEqual(document.getText(), replaced(before, 0, 'import os', 'from pathlib import Path'));
  await executeCommand('workbench.action.files.revert');
}

async function crlfSurvives() {
  const { document } = await open('crlf.py');
  await edit(document, 'use pathlib');
  await untilHunks(document, 3);
  await executeCommand('redraft.acceptAll');
  assert(await document.save());
  assert.strictEqual(fs.readFileSync(document.uri.fsPath, 'utf8'), after.trimEnd().replaceAll('\n', '\r\n'));
}

async function firstLineAndBeyondTheLast() {
  const { document } = await open('b.py');
  await edit(document, 'add comments');
  const found = await untilHunks(document, 2);
  await accept(document, found[1].id);
  assert.strictEqual(document.getText(), 'a = 1\nb = 2\n# tail\n');
  await accept(document, found[0].id);
  assert.strictEqual(document.getText(), '# head\na = 1\nb = 2\n# tail\n');
}

async function onlyTheSelectionIsEdited() {
  const { document } = await open('c.py');
  await edit(document, 'write the body', { start: { line: 1, character: 0 }, end: { line: 1, character: 8 } });
  await untilHunks(document, 1);
  await executeCommand('redraft.acceptAll');
  assert.strictEqual(document.getText(), 'def add(a, b):\n    return a + b\n\ndef sub(a, b):\n    pass\n');
}

async function aRangeOfAnOlderVersionIsRefused() {
  const { document } = await open('stale.py');
  const textDocument = { uri: document.uri.toString(), version: document.version };
  const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 8 } };
  const above = (builder) => builder.insert(new vscode.Position(0, 0), 'def mul(a, b):\n    pass\n\n');
  await vscode.window.activeTextEditor.edit(above); // another function's body is in that range now
  const ends = server.ends();
  await executeCommand('redraft.prompt', { textDocument, range, instruction: 'write the body' });
  await untilHunks(document, 0);
  await untilEnded(document, () => edit(document, 'write the body', range));
  assert.strictEqual(server.ends(), ends + 1); // edits end in the order in which they were asked for
  await untilHunks(document, 1);
  await executeCommand('redraft.rejectAll');
  await executeCommand('workbench.action.files.revert');
}

async function anEditThatTheServerForgotGoes() {
  const { document } = await open('refused.py');
  await untilEnded(document, () => edit(document, 'use pathlib'));
  await untilHunks(document, 3);
  const nul = (builder) => builder.insert(document.lineAt(document.lineCount - 1).range.end, '# \0\n');
  await vscode.window.activeTextEditor.edit(nul); // now the server takes it for a binary file
  await edit(document, 'use pathlib');
  await untilHunks(document, 0);
  await executeCommand('workbench.action.files.revert');
}

// VS Code and other programs change documents that nobody looks at.
async function aChangeElsewhereLeavesTheNextEdit() {
  const elsewhere = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(workspace(), 'elsewhere.py'));
  const editor = await open('more_calls.py');
  await editor.edit((builder) => builder.replace(editor.document.lineAt(0).range, 'a = load(1)'));
  await until(async () => {
    const change = new vscode.WorkspaceEdit();
    change.insert(elsewhere.uri, new vscode.Position(0, 0), '\n');
    assert(await vscode.workspace.applyEdit(change));
    await executeCommand('redraft.nextEdit'); // goes to the one that is shown, asks for one where none is
    return editor.selection.active.line === 17;
  }, 'the way to the next edit');
  await executeCommand('redraft.dismissNextEdit');
  await executeCommand('workbench.action.files.revert');
}

// The file is opened to show what follows there; the user goes to it as to any other.
async function aNextEditIsFoundInAFileThatIsNotOpen() {
  const at = (name) => vscode.Uri.joinPath(workspace(), name);
  await vscode.workspace.fs.writeFile(at('callee.py'), Buffer.from('def find(path, mode):\n    return path\n'));
  await vscode.workspace.fs.writeFile(at('caller.py'), Buffer.from('from callee import find\n\nfind("a", "r")\n'));
  server.index(true);
  await executeCommand('redraft.restart');
  const editor = await open('callee.py');
  await editor.edit((builder) => builder.replace(editor.document.lineAt(0).range, 'def find(mode, path):'));
  await until(async () => {
    if (vscode.window.activeTextEditor.document.fileName.endsWith('caller.py')) {
      return true;
    }
    await executeCommand('redraft.nextEdit'); // the index may not be made yet
    return false;
  }, 'the way to the other file');
  assert.strictEqual(vscode.window.activeTextEditor.selection.active.line, 2);
  await executeCommand('redraft.nextEdit');
  const { document } = vscode.window.activeTextEditor;
  await until(() => document.getText() === 'from callee import find\n\nfind("r", "a")\n', 'the change');
  await executeCommand('workbench.action.files.revert');
  await open('callee.py');
  await executeCommand('workbench.action.files.revert');
  server.index(false);
  await executeCommand('redraft.restart');
}

// How often a server has taken a client.
const starts = () => server.log().split(', positions in ').length - 1;

async function settingsAreInForceAtOnce() {
  await open('a.py');
  const settings = vscode.workspace.getConfiguration('redraft');
  const { log } = server;
  await until(() => log().includes('settings: index on'), 'the first answer');
  const asked = log().length;
  await settings.update('index', false, vscode.ConfigurationTarget.Global);
  await until(() => log().slice(asked).includes('settings: index off'), 'the change');
  const started = starts();
  await settings.update('completion.delay', 9999, vscode.ConfigurationTarget.Global);
  await until(() => log().slice(asked).split('settings: index off').length > 2, 'the next change');
  await settings.update('index', undefined, vscode.ConfigurationTarget.Global);
  await settings.update('completion.delay', undefined, vscode.ConfigurationTarget.Global);
  await until(() => log().trimEnd().split('settings: ').pop().startsWith('index on'), 'the default again');
  assert.strictEqual(starts(), started); // the server is the same
}

async function whatStartsTheServerStartsItAnew() {
  const settings = vscode.workspace.getConfiguration('redraft');
  for (const value of [['--threads', '1'], undefined]) {
    const started = starts();
    await settings.update('arguments', value, vscode.ConfigurationTarget.Global);
    await until(() => starts() === started + 1, 'another server');
  }
}

async function aServerThatDoesNotEndIsReplaced() {
  await executeCommand('redraft.restart'); // has started one when it is done
  const [started, pid] = [starts(), server.pid()];
  process.kill(pid, 'SIGSTOP');
  try {
    await executeCommand('redraft.restart');
    assert.strictEqual(starts(), started + 1);
    assert.notStrictEqual(server.pid(), pid);
  } finally {
    end(pid); // the extension does so some seconds later, if the window is still there
  }
}

function end(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    assert.strictEqual(error.code, 'ESRCH'); // it has gone
  }
}

// Stops the extension's clock: its timers of `delay` wait until they are fired.
function heldTimers(delay) {
  const { setTimeout, clearTimeout } = globalThis;
  const held = new Set();
  globalThis.setTimeout = (callback, ms, ...rest) => {
    if (ms !== delay || !new Error().stack.includes('extension.js')) {
      return setTimeout(callback, ms, ...rest);
    }
    const timer = { fire: () => held.delete(timer) && callback() };
    held.add(timer);
    return timer;
  };
  globalThis.clearTimeout = (timer) => held.delete(timer) || clearTimeout(timer);
  const release = () => Object.assign(globalThis, { setTimeout, clearTimeout });
  return { held, release };
}

async function onlyASelectionThatStandsIsAnnounced() {
  const editor = await open('c.py');
  const told = () => server.told('redraft/prepare', 'redraft/stopPreparing').slice(known);
  const known = server.told('redraft/prepare', 'redraft/stopPreparing').length;
  const clock = heldTimers(300);
  const untilTimer = (than) => until(() => [...clock.held].find((timer) => timer !== than), 'the timer');
  const select = (from, to) => (editor.selection = new vscode.Selection(from, 0, to, 0));
  try {
    select(0, 1);
    const first = await untilTimer();
    select(0, 2);
    await untilTimer(first);
    assert.strictEqual(clock.held.size, 1); // it begins anew
    select(3, 3);
    await until(() => clock.held.size === 0, 'the end of the timer');
    await executeCommand('vscode.executeCodeActionProvider', editor.document.uri, new vscode.Range(0, 0, 0, 0)); // is answered after it
    assert.deepStrictEqual(told(), []);
    select(3, 5);
    (await untilTimer()).fire();
    await until(() => told().length === 1, 'the selection that stands');
    const { start, end } = told()[0].params.range;
    assert.deepStrictEqual([start, end], [{ line: 3, character: 0 }, { line: 5, character: 0 }]);
    select(0, 0);
    await until(() => told().length === 2, 'the end of reading');
    assert.strictEqual(told()[1].method, 'redraft/stopPreparing');
  } finally {
    clock.release();
  }
}

async function codeActionsLeadToThePrompt() {
  const { document } = await open('c.py');
  const range = new vscode.Range(4, 0, 4, 8);
  const action = await until(async () => {
    const actions = await executeCommand('vscode.executeCodeActionProvider', document.uri, range);
    return actions.find((each) => each.title.startsWith('Edit with redraft'));
  }, 'the code action of the server that was just started');
  assert.strictEqual(action.command.command, 'redraft.prompt');
  const wish = action.command.arguments[0];
  assert.strictEqual(wish.instruction, null);
  assert.strictEqual(wish.range.start.line, 4);
}

exports.run = async () => {
  const start = () => vscode.workspace.getConfiguration('redraft').get('path');
  await until(() => path.isAbsolute(start()), 'the setting redraft.path');
  server = controlsOf(start());
  await vscode.extensions.getExtension('redraft.redraft').activate();
  const cases = [acceptRejectUndo, acceptAllIsOneUndoStep, theClipboardIsPutInItsPlace, previewFollowsTheEdit, severalEditsStay,
    typingElsewhereMovesHunks, whatIsReadAgainFromTheDiskMovesHunks, anotherTryIsOfTheTextAsItWas,
    typingInsideDropsAHunk, cancelKeepsWhatHasCome, crlfSurvives, firstLineAndBeyondTheLast, onlyTheSelectionIsEdited,
    aRangeOfAnOlderVersionIsRefused,
    anEditThatTheServerForgotGoes, onlyASelectionThatStandsIsAnnounced, aChangeElsewhereLeavesTheNextEdit, aNextEditIsFoundInAFileThatIsNotOpen,
    settingsAreInForceAtOnce,
    whatStartsTheServerStartsItAnew, aServerThatDoesNotEndIsReplaced, codeActionsLeadToThePrompt];
  for (const test of cases) {
    const began = Date.now();
    try {
      await test();
      console.log(`${test.name}: ok, ${Date.now() - began} ms`);
    } catch (error) {
      console.log(`${test.name}: FAILED, ${error.stack}`);
      throw error; // what it leaves the next one would start with
    } finally {
      server.release();
    }
  }
};
