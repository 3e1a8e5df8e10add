// What VS Code offers: commands that apply, what to try when the model changed nothing, another try, what a search found.
'use strict';
const assert = require('node:assert');
const test = require('node:test');
const { makeWorkspace } = require('./example.js');
const { CodeServer, Workbench } = require('./editor.js');
const { until } = require('./wait.js');

const text = 'def add(a, b):\n    pass\n\n\ndef sub(a, b):\n    pass\n';
const edits = [
  { instruction: 'body', find: '    pass', replace: '    return a + b' },
  { instruction: 'two', find: 'x = 1', replace: 'x = 2' },
];
const workspace = makeWorkspace({ 'c.py': text, 'x.py': 'x = 1\n', 'load.py': 'def load(path, mode):\n    return path\n\n\nload(1, 2)\n' }, { edits });
let server;

test.before(async () => {
  server = await CodeServer.start({ 'redraft.path': workspace.server });
});
test.after(async () => {
  await server?.stop();
  workspace.remove();
});

// The titles of redraft's commands that the command palette shows.
async function titles(workbench) {
  await workbench.key('F1');
  await workbench.page.locator('.quick-input-widget input').first().fill('>redraft:');
  const rows = workbench.page.locator('.quick-input-list .monaco-list-row');
  let seen = [];
  await until(async () => {
    const now = (await rows.evaluateAll((all) => all.map((row) => row.getAttribute('aria-label')))).filter((each) => /^redraft: /.test(each));
    const isSame = now.length > 0 && JSON.stringify(now) === JSON.stringify(seen);
    seen = now;
    return isSame;
  }, 'the commands');
  await workbench.key('Escape');
  return seen.map((label) => label.replace(/^redraft: /, '').replace(/,.*/, ''));
}

const { requested } = workspace;

async function showsWhatApplies(workbench) {
  let shown = await titles(workbench);
  const has = (...names) => names.forEach((name) => assert(shown.includes(name), `${name} is not in ${shown}`));
  const hasNot = (...names) => names.forEach((name) => assert(!shown.includes(name), `${name} is in ${shown}`));
  has('Disable Suggestions', 'Disable Suggestions in This Workspace', 'Edit Selection or Code at Cursor…');
  hasNot('Enable Suggestions', 'Accept Change at Cursor', 'Cancel Edit', 'Dismiss Next Edit');
  await workbench.command('redraft: Disable Suggestions in This Workspace');
  await workbench.status('redraft: suggestions are off');
  shown = await titles(workbench);
  has('Enable Suggestions', 'Enable Suggestions in This Workspace');
  hasNot('Disable Suggestions', 'Disable Suggestions in This Workspace');
  await until(() => /completion off/.test(workspace.log().split('settings: ').pop()), 'the setting at the server');
  await workbench.command('redraft: Enable Suggestions');
  const message = await workbench.notification('suggestions are on, but this workspace turns them off');
  await message.getByText('Turn On Here Too', { exact: true }).click();
  await until(() => !/completion off/.test(workspace.log().split('settings: ').pop()), 'the setting at the server');
}

const whatToTry = 'the model changed nothing. You can widen the region, rephrase the instruction, or request another try.';
const whatToTryInAll = 'the model changed nothing. Rephrase the instruction, or request another try.';

async function offersAWiderRegion(workbench) {
  await workbench.page.locator('.editor-instance .view-lines').first().click();
  await workbench.goToLine(2);
  await workbench.key('Control+Alt+E');
  await workbench.titled('edit function add, 2 lines').waitFor();
  await workbench.instruct('do what the model does not know');
  const message = await workbench.notification(whatToTry);
  await workbench.screenshot('vscode-nothing');
  assert.strictEqual(requested().length, 1);
  await message.getByText('Edit file, 6 lines', { exact: true }).click();
  await until(() => requested().length === 2, 'another request');
  const [first, second] = requested();
  assert.deepStrictEqual([first.range.end.line, second.range.start.line, second.range.end.line], [2, 0, 6]);
  assert.strictEqual(second.instruction, first.instruction);
}

async function offersOtherWords(workbench) {
  const message = await workbench.notification(whatToTryInAll);
  assert.strictEqual(await message.getByText('Edit file', { exact: false }).count(), 0); // there is no wider region
  await message.getByText('Other Words…', { exact: true }).click();
  await workbench.titled('edit function add, 2 lines').waitFor();
  const input = workbench.page.locator('.quick-input-widget input').first();
  assert.strictEqual(await input.inputValue(), 'do what the model does not know');
  await input.fill('write the body');
  await workbench.key('Enter');
  await until(() => requested().length === 3, 'another request');
  assert.strictEqual(requested()[2].instruction, 'write the body');
  await workbench.status('redraft: 1 change,');
}

async function ask(workbench, instruction) {
  await workbench.key('Control+Alt+E');
  await workbench.titled('edit statement').waitFor();
  await workbench.instruct(instruction);
}

// The last request is one more than there were, and is the one before again, but for the other try.
async function untilAnother(n, another) {
  await until(() => requested().length === n + 1, 'another request');
  const [earlier, { another: which, ...last }] = requested().slice(-2);
  const { another: _, ...first } = earlier;
  assert.deepStrictEqual([which, last], [another, first]);
}

async function writesItAnotherWay(workbench) {
  const untilOffered = () => until(async () => (await workbench.lens('Another Try').count()) === 1, 'the offer of another try');
  // Which place the scripted model hesitates at depends on all that it reads, so only that the texts differ is known.
  const seen = [];
  const untilNew = async (what) => {
    const shown = async () => (await workbench.attachedText()).join('\n');
    await until(async () => (await shown()) !== '' && !seen.includes(await shown()), what);
    seen.push(await shown());
  };
  await workbench.goToLine(1);
  await ask(workbench, 'make it two');
  await untilOffered();
  await untilNew('the first answer');
  assert.strictEqual(seen[0], 'x = 2');
  await workbench.screenshot('vscode-another-try');
  const n = requested().length;
  await workbench.lens('Another Try').click();
  await untilAnother(n, 1);
  await untilOffered();
  await untilNew('the second answer');
  await workbench.goToLine(1);
  await workbench.key('Control+Alt+A');
  await untilAnother(n + 1, 2);
  await untilOffered();
  await untilNew('the third answer');
  assert.deepStrictEqual(workspace.told('redraft/resolveEdit').map(({ params }) => params.action), ['reject', 'reject']);
  assert.strictEqual((await workbench.lines())[0], 'x = 1');
  await workbench.command('redraft: Reject All Changes');
  await until(async () => (await workbench.lens('Accept').count()) === 0, 'no changes');
}

async function offersAnotherTryOfNothing(workbench) {
  const n = requested().length;
  await workbench.goToLine(1);
  await ask(workbench, 'do what no model knows');
  const message = await workbench.notification(whatToTryInAll);
  await message.getByText('Another Try', { exact: true }).click();
  await untilAnother(n + 1, 1);
  await workbench.status(/redraft: \d+ changes?,/);
}

async function withWindow(file, run) {
  const workbench = await Workbench.open(server, workspace.folder, file);
  try {
    await workbench.untilServed();
    await run(workbench);
  } catch (error) {
    await workbench.screenshot('vscode-failed-hints');
    console.log((await workbench.statusTexts()).join('\n'), workspace.log(), server.extensionLogs());
    throw error;
  } finally {
    await workbench.close();
  }
}

test('commands that apply, and what to try when nothing changed', () => withWindow('c.py', async (workbench) => {
  await showsWhatApplies(workbench);
  await offersAWiderRegion(workbench);
  await offersOtherWords(workbench);
}));

test('another try', () => withWindow('x.py', async (workbench) => {
  await writesItAnotherWay(workbench);
  await offersAnotherTryOfNothing(workbench);
}));

test('what a search for calls found is said', () => withWindow('load.py', async (workbench) => {
  const found = "the parameters of 'load' changed: 1 call found in the open files, 1 to change";
  await workbench.goToLine(1);
  await workbench.key('Shift+End');
  await workbench.type('def load(mode, path):');
  await workbench.status(`redraft: ${found}`);
  await workbench.status('next change: load.py:5');
  const texts = await workbench.statusTexts();
  const about = texts.find((each) => each.includes('next change'));
  assert(about.includes(`${found}; by the syntax tree, without the model`), texts.join('\n'));
  await workbench.screenshot('vscode-found');
  await workbench.key('Tab'); // at once again: it need not wait for the jump
  await workbench.key('Tab');
  await workbench.untilLines(['def load(mode, path):', '    return path', '', '', 'load(2, 1)']);
}));
