// Suggestions that the user does not want: turned down, snoozed; and those beside brackets that the editor closed.
'use strict';
const assert = require('node:assert');
const test = require('node:test');
const { makeWorkspace } = require('./example.js');
const { CodeServer, Workbench } = require('./editor.js');
const { until } = require('./wait.js');

const fills = [
  { after: 'area = ', write: 'width * height' },
  { after: 'f(', write: 'one, two)' },
  { after: 'say("', write: 'it\'s me (again)")' },
];
const workspace = makeWorkspace({ 's.py': 'x = 1\n' }, { fills });
let server;

test.before(async () => {
  server = await CodeServer.start({ 'redraft.path': workspace.server, 'editor.quickSuggestions': { other: 'off' }, 'editor.wordBasedSuggestions': 'off' });
});
test.after(async () => {
  await server?.stop();
  workspace.remove();
});

function ghost(workbench) {
  const parts = workbench.page.locator('.ghost-text-decoration, .ghost-text');
  return parts.allTextContents().then((texts) => texts.join('').replace(/\u00a0/g, ' '));
}

async function untilGhost(workbench, text) {
  await until(async () => (await ghost(workbench)).includes(text), `ghost text "${text}"`);
}

async function take(workbench, suggestion, line) {
  await untilGhost(workbench, suggestion);
  await workbench.key('Tab');
  let last;
  await until(async () => {
    last = await workbench.lines();
    return last.some((each) => each.trimEnd() === line);
  }, () => `"${line}" is none of ${JSON.stringify(last)}`);
}

const commands = () => workspace.told('workspace/executeCommand').map(({ params }) => params.command);

async function beginLine(workbench, text) {
  await workbench.key('Control+End');
  await workbench.type('\n' + text);
}

// The editor closes none before it has read the language's configuration.
async function untilBracketsAreClosed(workbench) {
  await beginLine(workbench, '');
  await until(async () => {
    await workbench.type('(');
    const closed = (await workbench.lines()).some((each) => each.trim() === '()');
    await workbench.key('Backspace');
    return closed;
  }, 'the editor closes brackets');
}

async function closedBracketsStay(workbench) {
  await workbench.untilServed();
  await untilBracketsAreClosed(workbench);
  await beginLine(workbench, 'f(');
  await take(workbench, 'one, two', 'f(one, two)');
  await beginLine(workbench, 'say("');
  await take(workbench, 'it\'s me', 'say("it\'s me (again)")');
}

async function dismissedByEscape(workbench) {
  await beginLine(workbench, 'area = ');
  await untilGhost(workbench, 'width * height');
  await workbench.key('Escape');
  await until(() => commands().includes('redraft.completionRejected'), 'the server is told');
  await until(async () => (await ghost(workbench)) === '', 'no ghost text');
  const asked = () => workspace.told('textDocument/inlineCompletion').length;
  const before = asked();
  await workbench.type('w'); // it continues what was turned down
  await until(() => asked() > before, 'another request');
  assert.strictEqual(await ghost(workbench), '');
}

async function snoozed(workbench) {
  await workbench.enterCommand('redraft: Snooze Suggestions');
  const row = workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'For This Language (python)' });
  await row.click();
  await until(() => commands().includes('redraft.snoozeSuggestions'), 'the server is told');
  const wishes = workspace.told('workspace/executeCommand').filter(({ params }) => params.command === 'redraft.snoozeSuggestions');
  assert.deepStrictEqual(wishes[0].params.arguments, [{ language: 'python' }]);
  await workbench.page.locator('.statusbar-item .codicon-bell-slash').first().waitFor();
  await workbench.screenshot('vscode-snoozed');
  await workbench.command('redraft: Resume Suggestions');
  await until(() => commands().includes('redraft.resumeSuggestions'), 'the server is told');
  await until(async () => (await workbench.page.locator('.statusbar-item[id="redraft.redraft"] .codicon-edit, .statusbar-item .codicon-edit').count()) > 0,
    'the status bar as it was');
}

test('suggestions that are not wanted', async (t) => {
  const workbench = await Workbench.open(server, workspace.folder, 's.py');
  try {
    await t.test('what the editor closed is not written again', () => closedBracketsStay(workbench));
    await t.test('Escape turns one down', () => dismissedByEscape(workbench));
    await t.test('they are snoozed and resumed', () => snoozed(workbench));
  } finally {
    await workbench.close();
  }
});
