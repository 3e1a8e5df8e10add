// An edit of a file whose places are found first, as a person sees it, and further places that the person chooses.
'use strict';
const assert = require('node:assert');
const test = require('node:test');
const { makeWorkspace } = require('./example.js');
const { CodeServer, Workbench } = require('./editor.js');
const { until } = require('./wait.js');

// Function N, from 0, is lines 6 N + 3 to 6 N + 6. Together they are too large to be edited as a whole, however fast the
// machine is.
const functions = Array.from({ length: 160 }, (_, i) => `def step${i}(a, b):\n    x = a + ${i}\n    y = b * 2\n    pass\n\n\n`);
const workspace = makeWorkspace({ 'steps.py': 'import os\n\n' + functions.join('') }, {}, 'return a + b');
const instruction = 'write the body of step3 and step70';
let server;

test.before(async () => {
  server = await CodeServer.start({ 'redraft.path': workspace.server });
});
test.after(async () => {
  await server?.stop();
  workspace.remove();
});

const { requested } = workspace;

async function command(workbench, title) {
  await workbench.key('F1');
  const input = workbench.page.locator('.quick-input-widget input.input').first();
  await input.fill(`>${title}`);
  await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().click();
}

async function editFile(workbench, text) {
  await command(workbench, 'redraft: Edit File with an Instruction');
  await workbench.titled('edit the places in this file').waitFor();
  await workbench.instruct(text);
}

async function seesWhichPlacesAreEdited(workbench) {
  await workbench.untilServed();
  workspace.hold();
  await editFile(workbench, instruction);
  await workbench.status(/redraft: editing 2 of 161 places: step3, step70, \d+ %/);
  await workbench.screenshot('vscode-places');
  workspace.release();
  await workbench.status('redraft: 2 changes,');
  const [{ range, ranges, scope }] = requested();
  assert.deepStrictEqual([range, ranges, scope], [undefined, undefined, 'file']);
}

async function goesFromPlaceToPlace(workbench) {
  await workbench.goToLine(1);
  await workbench.key('Alt+]');
  await workbench.status(`Ln ${6 * 3 + 6},`);
  await workbench.key('Control+Alt+Y');
  await workbench.status('redraft: 1 change,');
  await workbench.key('Alt+]');
  await workbench.status(`Ln ${6 * 70 + 6},`);
  await workbench.key('Control+Alt+N');
  await workbench.status(/redraft: \d+ tokens\/s/);
}

// Two lines come ahead of everything and an empty one ahead of step4; step5 goes, and step6 changes.
async function changesTheText(workbench) {
  await workbench.goToLine(1);
  await workbench.type('# one\n# two\n');
  await workbench.goToLine(6 * 6 + 5);
  await workbench.key('End');
  await workbench.type(' # six\n# more');
  await workbench.goToLine(6 * 5 + 5);
  for (let i = 0; i < 4; i++) {
    await workbench.key('Shift+ArrowDown');
  }
  await workbench.key('Delete');
  await workbench.goToLine(6 * 4 + 5);
  await workbench.type('\n');
  await workbench.status(`Ln ${6 * 4 + 6},`);
}

// The functions that the list of further places shows. A list opens with the rows of the one before, such as "Go to line".
async function placesOffered(list) {
  let texts = [];
  await until(async () => {
    texts = await list.allTextContents();
    return texts.length > 0 && texts.every((text) => /step\d+/.test(text));
  }, () => `a list of places instead of ${JSON.stringify(texts)}`);
  return texts.map((text) => text.match(/step\d+/)[0]);
}

async function choosesFurtherPlaces(workbench) {
  const list = workbench.page.locator('.quick-input-list .monaco-list-row');
  await until(async () => { // the notifications move while they are opened
    const message = await workbench.notification('redraft: edited 2 of 161 places: step3, step70.');
    const button = message.locator('.monaco-button', { hasText: 'Further Places…' });
    return button.click({ timeout: 5000 }).then(() => true, () => false);
  }, 'the button of the message');
  const complaints = workbench.page.locator('.notification-list-item').filter({ hasText: 'redraft' }).filter({ hasNotText: 'edited 2 of' });
  assert.deepStrictEqual(await complaints.allTextContents(), []);
  const names = await placesOffered(list);
  assert.deepStrictEqual(['step3', 'step5', 'step70'].filter((name) => names.includes(name)), []); // done, or gone
  await list.filter({ hasText: /step6\s*line 38/ }).click();
  await list.filter({ hasText: /step4\s*line 30/ }).click();
  await workbench.screenshot('vscode-further-places');
  await workbench.key('Enter');
  await workbench.status('redraft: 2 changes,');
  const { ranges, instruction: same, scope } = requested()[1];
  assert.deepStrictEqual([same, scope], [instruction, 'file']);
  const lines = ranges.map(({ start, end }) => [start.line, end.line]).sort(([a], [b]) => a - b);
  assert.deepStrictEqual(lines, [[29, 33], [37, 42]]);
  await command(workbench, 'redraft: Edit Further Places of the File');
  const left = await placesOffered(list);
  assert.deepStrictEqual(['step4', 'step6'].filter((name) => left.includes(name)), []);
  await workbench.key('Escape');
}

async function seesWhatToDoWhereNothingIsFound(workbench) {
  await editFile(workbench, 'qqq');
  await workbench.notification(/redraft: found no part of the file that the instruction concerns: name the function or class/);
  await workbench.screenshot('vscode-no-places');
}

test('the places of a file', async () => {
  const workbench = await Workbench.open(server, workspace.folder, 'steps.py');
  try {
    await seesWhichPlacesAreEdited(workbench);
    await goesFromPlaceToPlace(workbench);
    await changesTheText(workbench);
    await choosesFurtherPlaces(workbench);
    await seesWhatToDoWhereNothingIsFound(workbench);
  } catch (error) {
    await workbench.screenshot('vscode-failed-places');
    console.log((await workbench.statusTexts()).join('\n'), workspace.log(), server.extensionLogs());
    throw error;
  } finally {
    await workbench.close();
  }
});
