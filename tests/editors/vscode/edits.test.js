// The extension in a real VS Code: what a person does and sees, then the commands inside the extension host.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const { before, after, makeWorkspace } = require('./example.js');
const { CodeServer, Workbench, runInExtensionHost } = require('./editor.js');
const { until } = require('./wait.js');

const crlf = before.trimEnd().replaceAll('\n', '\r\n');
const c = 'def add(a, b):\n    pass\n\ndef sub(a, b):\n    pass\n';
const filler = Array.from({ length: 16 }, (_, i) => `x${i} = ${i}`);
const calls = ['a = fetch(1)', ...filler, 'b = fetch(2)', ''].join('\n');
const files = {
  'a.py': before, 'user.py': before, 'crlf.py': crlf, 'b.py': 'a = 1\nb = 2\n', 'c.py': c, 'stale.py': c, 'refused.py': before,
  'calls.py': calls, 'more_calls.py': calls, 'elsewhere.py': '\n', // a window restores what one before it left unsaved
};
const workspace = makeWorkspace(files);
// Of its functions number N, from 0, is lines 6 N + 3 to 6 N + 6. A pass takes so long that reading is seen.
const manyFunctions = Array.from({ length: 80 }, (_, i) => `def f${i}(a, b):\n    x = a + ${i}\n    y = b * 2\n    pass\n\n\n`);
const slow = makeWorkspace({ 'long.py': 'import os\n\n' + manyFunctions.join('') }, { delay_ms_per_pass: 500 });
let server;

test.before(async () => {
  server = await CodeServer.start({ 'redraft.path': workspace.server });
});
test.after(async () => {
  await server?.stop();
  workspace.remove();
  slow.remove();
});

async function untilAttached(workbench, text) {
  await until(async () => (await workbench.attachedText()).some((line) => line.trim() === text), `"${text}" on the screen`);
}

// Widens what is edited until it is the file.
async function askForFile(workbench, instruction) {
  await workbench.key('Control+Alt+E');
  await workbench.titled('').waitFor(); // "edit …", or "insert …" where a window before left the cursor
  await until(async () => {
    const isFile = (await workbench.titled('edit file').count()) > 0;
    if (!isFile) await workbench.key('Alt+ArrowUp');
    return isFile;
  }, 'the title that names the file');
  await workbench.instruct(instruction);
}

async function askAndWatch(workbench) {
  await workbench.status('redraft');
  workspace.hold();
  await askForFile(workbench, 'use pathlib and close files');
  await workbench.status(/redraft: \d+ %, \d change/);
  await untilAttached(workbench, 'from pathlib import Path');
  assert(!(await workbench.attachedText()).some((line) => line.includes('return Path(path).name')), 'the last hunk has not come yet');
  await workbench.screenshot('vscode-running');
  workspace.release();
  await untilAttached(workbench, 'return Path(path).name');
  await workbench.status(/redraft: 3 changes, \d+ tokens\/s/);
  await until(async () => (await workbench.lens('Accept').count()) === 3, 'three lenses');
  assert.strictEqual((await workbench.lines()).join('\n').trimEnd(), before.trimEnd()); // nothing has entered the file
  await workbench.screenshot('vscode-hunks');
}

async function acceptOneRejectOneAcceptTheRest(workbench) {
  await workbench.lens('Accept').nth(1).click();
  await workbench.untilLines(['import os', '', 'def read(path):', '    with open(path) as f:', '        return f.read()']);
  await workbench.goToLine(8);
  await workbench.key('Control+Alt+N');
  await workbench.status('redraft: 1 change,');
  await workbench.key('Control+Alt+Enter');
  await workbench.untilLines(['import os', 'from pathlib import Path', '', 'def read(path):', '    with open(path) as f:']);
  await workbench.status(/redraft: \d+ tokens\/s/);
}

async function undoStepByStep(workbench) {
  await workbench.key('Control+Z');
  await workbench.untilLines(['import os', '', 'def read(path):', '    with open(path) as f:']);
  await workbench.key('Control+Z');
  await workbench.untilLines(before.trimEnd().split('\n'));
}

async function cancelAndPreview(workbench) {
  workspace.hold();
  await askForFile(workbench, 'use pathlib');
  await untilAttached(workbench, 'from pathlib import Path');
  await workbench.key('Escape');
  await until(() => workspace.ends(': cancellation requested') === 1, 'the cancellation');
  workspace.release();
  await workbench.status('redraft: edit cancelled');
  await until(async () => (await workbench.lens('Accept').count()) === 1, 'one lens');
  await workbench.lens('+1 −0').first().click();
  await workbench.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
  await workbench.screenshot('vscode-preview');
}

// What VS Code draws behind the cursor.
async function untilGhost(workbench, text) {
  const ghost = workbench.page.locator('.ghost-text-decoration, .ghost-text');
  await until(async () => (await ghost.allTextContents()).join('').replace(/\u00a0/g, ' ').includes(text), `ghost text "${text}"`);
}

async function takesGhostText(workbench) {
  await workbench.untilServed();
  await workbench.key('Control+Home');
  await workbench.key('Enter');
  await workbench.key('ArrowUp');
  await workbench.type('area = ');
  await untilGhost(workbench, 'width * height');
  await workbench.screenshot('vscode-ghost');
  await workbench.key('Control+ArrowRight');
  await until(async () => (await workbench.lines())[0].startsWith('area = width'), 'the word that was taken');
  await untilGhost(workbench, '* height');
  await workbench.key('Tab');
  await workbench.untilLines(['area = width * height', 'import os']);
  await workbench.key('Enter');
  await workbench.key('Tab'); // without a suggestion it indents
  await workbench.untilLines(['area = width * height', '    ', 'import os']);
  await until(async () => {
    await workbench.key('Control+Z');
    return (await workbench.lines()).join('\n').trimEnd() === before.trimEnd();
  }, 'the text as it was');
}

async function nextEdit(workbench) {
  await workbench.untilServed();
  await workbench.untilLines(['a = fetch(1)', ...filler, 'b = fetch(2)']);
  await workbench.goToLine(1);
  await workbench.key('Shift+End');
  await workbench.type('a = load(1)');
  await workbench.status('next change: calls.py:18');
  await workbench.screenshot('vscode-next-edit');
  await workbench.key('Tab');
  await workbench.status('Ln 18, Col 1');
  await workbench.key('Tab');
  await workbench.untilLines(['a = load(1)', ...filler, 'b = load(2)']);
  await workbench.key('Control+Z');
  await workbench.untilLines(['a = load(1)', ...filler, 'b = fetch(2)']);
}

async function untilHighlighted(workbench, lines) {
  let seen;
  const test = async () => JSON.stringify((seen = await workbench.linesIn('redraft.regionBackground'))) === JSON.stringify(lines);
  await until(test, () => `the lines ${JSON.stringify(lines)}, there are ${JSON.stringify(seen)}`);
}

const position = (line, character) => ({ line, character });
const toldOfReading = () => slow.told('redraft/prepare', 'redraft/stopPreparing', 'workspace/executeCommand');

async function seesTheLinesBeforeEnter(workbench) {
  await workbench.untilServed();
  await workbench.goToLine(101);
  await workbench.key('Control+Alt+E');
  const body = ['    x = a + 16', '    y = b * 2', '    pass'];
  await workbench.titled('edit function f16, 4 lines').waitFor();
  await untilHighlighted(workbench, ['def f16(a, b):', ...body]);
  await workbench.status(/redraft: edit function f16, 4 lines, reading \d+ %/);
  await workbench.screenshot('vscode-region');
  const [{ params }] = toldOfReading();
  assert.deepStrictEqual([params.range.start, params.range.end, params.scope], [position(98, 0), position(102, 0), 'selection']);
  await workbench.key('Alt+ArrowDown');
  await workbench.titled('edit part of function f16, 3 lines').waitFor();
  await untilHighlighted(workbench, body);
  await workbench.key('Alt+ArrowUp');
  await workbench.titled('edit function f16, 4 lines').waitFor();
  await untilHighlighted(workbench, ['def f16(a, b):', ...body]);
  await until(() => toldOfReading().length === 3, 'all that was announced');
  await workbench.page.locator('.quick-input-widget input').first().fill('something else');
  await workbench.key('Escape');
  await workbench.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  await untilHighlighted(workbench, []);
  await until(() => toldOfReading().length === 4, 'the end of reading');
  assert.strictEqual(toldOfReading()[3].method, 'redraft/stopPreparing');
  await until(async () => !(await workbench.statusTexts()).some((text) => /f16/.test(text)), 'the status as it was');
}

async function aStandingSelectionIsRead(workbench) {
  await workbench.key('Shift+ArrowDown');
  await until(() => toldOfReading().length === 5, 'the selection that stands');
  const { method, params } = toldOfReading()[4];
  assert.deepStrictEqual([method, params.range], ['redraft/prepare', { start: position(100, 0), end: position(101, 0) }]);
  await workbench.status('redraft: line 101, read');
  await untilHighlighted(workbench, []);
  await workbench.key('ArrowLeft');
  await until(() => toldOfReading().length === 6, 'the end of reading');
  assert.strictEqual(toldOfReading()[5].method, 'redraft/stopPreparing');
}

async function theEditIsOfWhatWasAnnounced(workbench) {
  await workbench.key('Control+Alt+E');
  await workbench.titled('edit function f16').waitFor();
  await workbench.instruct('write the body');
  await workbench.status(/redraft: lines 99–102, \d+ %, \d changes?/);
  await untilHighlighted(workbench, []);
  const [announced, edit, ...rest] = toldOfReading().slice(6);
  assert.deepStrictEqual([announced.method, edit.method, rest], ['redraft/prepare', 'workspace/executeCommand', []]);
  const { instruction, ...place } = edit.params.arguments[0];
  assert.deepStrictEqual([instruction, place], ['write the body', announced.params]);
  await untilAttached(workbench, 'return a + b');
}

// A model would take minutes, and change something else.
async function aRenameNeedsNoModel(workbench) {
  await workbench.goToLine(303);
  await workbench.key('Control+Alt+E');
  await workbench.titled('edit function f50, 4 lines').waitFor();
  await workbench.instruct('rename a to first');
  await untilAttached(workbench, 'def f50(first, b):');
  await untilAttached(workbench, 'x = first + 50');
  await workbench.status(/redraft: \d+ changes?$/); // no model, no tokens
}

// What was announced did not move the cursor.
async function aJumpIsTold(workbench) {
  const lines = () => slow.told('redraft/expectCompletion').map(({ params }) => params.position.line);
  assert.deepStrictEqual(lines(), [100]);
  await workbench.goToLine(110);
  await workbench.goToLine(300);
  await until(() => lines().length === 2, 'the jump');
  assert.deepStrictEqual(lines(), [100, 299]);
}

async function missingExecutable(workbench) {
  const missing = workspace.server + '-late';
  fs.mkdirSync(path.join(workspace.folder, '.vscode'));
  fs.writeFileSync(path.join(workspace.folder, '.vscode', 'settings.json'), JSON.stringify({ 'redraft.path': missing }));
  try {
    await workbench.problem();
    const text = await (await workbench.notification(missing)).textContent();
    assert(text.includes(`"${missing}" is not an executable file. It must be on the remote machine`), text);
    assert(/"Get redraft" says how to install it/.test(text) && !text.includes('make build'), text);
    const messages = workbench.page.locator('.notifications-center .notification-list-item');
    assert.deepStrictEqual(await messages.filter({ hasText: 'Sending notification' }).allTextContents(), []);
    await workbench.screenshot('vscode-missing');
    fs.copyFileSync(workspace.server, missing); // it is found once it is there
    await workbench.problem(false);
  } finally {
    fs.rmSync(path.join(workspace.folder, '.vscode'), { recursive: true });
  }
}

test('a person at the keyboard', async (t) => {
  const workbench = await Workbench.open(server, workspace.folder, 'user.py');
  let skip = false; // what a step leaves the next one starts with
  const step = (name, run) => t.test(name, { skip }, async () => {
    try {
      await run(workbench);
    } catch (error) {
      skip = 'a step before it failed';
      await workbench.screenshot(`vscode-failed-${run.name}`);
      console.log((await workbench.statusTexts()).join('\n'), '\n--- the server\'s log\n' + workspace.log());
      throw error;
    }
  });
  try {
    await step('takes ghost text, by a word and the rest', takesGhostText);
    await step('asks and watches hunks arrive', askAndWatch);
    await step('accepts one, rejects one, accepts the rest', acceptOneRejectOneAcceptTheRest);
    await step('undoes step by step', undoStepByStep);
    await step('cancels with Escape, looks at the preview', cancelAndPreview);
    await step('learns that the executable is missing', missingExecutable);
  } finally {
    await workbench.close();
  }
});

test('a setting that comes late, and what follows from a change', async () => {
  server.writeSettings('Machine', {});
  const workbench = await Workbench.open(server, workspace.folder, 'calls.py');
  try {
    await workbench.problem(); // there is no "redraft" in PATH
    await workbench.page.locator('.statusbar-item[id="status.notifications"]').click(); // which nobody has asked for
    const messages = workbench.page.locator('.notifications-center .notification-list-item', { hasText: 'redraft' });
    assert.deepStrictEqual(await messages.allTextContents(), []);
    await workbench.key('Escape');
    await workbench.page.locator('.editor-instance .view-lines').first().click();
    await workbench.key('Control+Alt+E');
    await workbench.titled('edit the code at the cursor').waitFor();
    server.writeSettings('Machine', { 'redraft.path': workspace.server });
    await workbench.problem(false);
    await workbench.titled('edit statements, 18 lines').waitFor(); // once there is a server
    await workbench.key('Escape');
    await nextEdit(workbench);
  } catch (error) {
    await workbench.screenshot('vscode-failed-nextEdit');
    console.log(workspace.log(), server.extensionLogs());
    throw error;
  } finally {
    await workbench.close();
  }
});

test('what is read before it is asked for', async () => {
  server.writeSettings('Machine', { 'redraft.path': slow.server });
  const workbench = await Workbench.open(server, slow.folder, 'long.py');
  try {
    await seesTheLinesBeforeEnter(workbench);
    await aStandingSelectionIsRead(workbench);
    await theEditIsOfWhatWasAnnounced(workbench);
    await aJumpIsTold(workbench);
    await aRenameNeedsNoModel(workbench);
  } catch (error) {
    await workbench.screenshot('vscode-failed-reading');
    console.log((await workbench.statusTexts()).join('\n'), slow.log(), server.extensionLogs());
    throw error;
  } finally {
    await workbench.close();
    server.writeSettings('Machine', { 'redraft.path': workspace.server });
  }
});

// The docstring takes the place of the line that begins the method.
const head = '    def put(self, line):\n';
const client = `class Client:\n    def send(self, line):\n        self.sock.send(line)\n\n${head}        self.send(line)\n`;
const store = 'class Store:\n    count = 0\n    def add(self, other):\n        self.count += 1\n        return other.count\n';
const sized = store.replaceAll('count', 'size');
const docstring = '        """Send a line."""\n';
const gone = "the definition of 'Client.put' is gone";

async function isNotAcceptedWithoutAWord(workbench) {
  await workbench.goToLine(1); // the keys may still go to the notification that was clicked
  await askForFile(workbench, 'add a docstring');
  await until(async () => (await workbench.lens(gone).count()) === 1, 'the reason above the change');
  await workbench.screenshot('vscode-doubt');
  await workbench.goToLine(5);
  await workbench.key('Control+K');
  await workbench.key('Control+I');
  const hover = workbench.page.locator('.monaco-hover', { hasText: gone });
  await hover.filter({ hasText: 'Send a line.' }).first().waitFor(); // the reason, and the text, also for a screen reader
  await workbench.key('Escape');
  await workbench.command('redraft: Accept All Changes');
  const message = await workbench.notification(`1 change not accepted: ${gone}.`);
  await workbench.screenshot('vscode-doubt-left');
  assert.strictEqual((await workbench.lines()).join('\n').trimEnd(), (client + sized).trimEnd());
  await message.getByText('Accept It Too', { exact: true }).click();
  await workbench.untilLines((client.replace(head, docstring) + sized).trimEnd().split('\n'));
}

// The rename is certain of self.count, not of other.count.
async function whatIsCertainIsAccepted(workbench) {
  await workbench.goToLine(8);
  await workbench.key('Control+Alt+E');
  await workbench.titled('edit').waitFor();
  await workbench.instruct('rename count to size');
  await until(async () => (await workbench.lens("'count' of 'other'").count()) === 1, 'the doubt above the change');
  await workbench.command('redraft: Accept All Changes');
  const message = await workbench.notification('1 change not accepted: ');
  const certain = store.replace('    count', '    size').replace('self.count', 'self.size');
  await workbench.untilLines((client + certain).trimEnd().split('\n'));
  await until(async () => (await workbench.lens("'count' of 'other'").count()) === 1, 'the doubt that stays');
  await message.getByText('Accept It Too', { exact: true }).click();
  await workbench.untilLines((client + sized).trimEnd().split('\n'));
}

test('an edit in which something is wrong', async () => {
  const edits = [{ instruction: 'docstring', find: head, replace: docstring }];
  const faulty = makeWorkspace({ 'client.py': client + store }, { edits });
  server.writeSettings('Machine', { 'redraft.path': faulty.server });
  const workbench = await Workbench.open(server, faulty.folder, 'client.py');
  try {
    await workbench.untilServed();
    await whatIsCertainIsAccepted(workbench);
    await isNotAcceptedWithoutAWord(workbench);
  } catch (error) {
    await workbench.screenshot('vscode-failed-doubt');
    console.log(faulty.log(), server.extensionLogs());
    throw error;
  } finally {
    await workbench.close();
    faulty.remove();
    server.writeSettings('Machine', { 'redraft.path': workspace.server });
  }
});

test('commands and documents, inside the extension host', async () => {
  const { code, log } = await runInExtensionHost(server, workspace.folder, path.join(__dirname, 'in_host.js')).catch((error) => {
    error.message += `\n--- the servers' log\n${workspace.log()}\n${server.extensionLogs()}`;
    throw error;
  });
  console.log(log.split('\n').filter((line) => /: (ok|FAILED),/.test(line)).join('\n'));
  assert.strictEqual(code, 0, `${log}\n--- the servers' log\n${workspace.log()}\n${server.extensionLogs()}`);
});
