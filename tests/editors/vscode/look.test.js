// How changes look: where the new text stands, in all kinds of colour themes, in a narrow window, with long lines. What can
// be measured is; for the rest there are the pictures in REDRAFT_SCREENSHOTS.
'use strict';
const assert = require('node:assert');
const test = require('node:test');
const { before, after, makeWorkspace } = require('./example.js');
const { CodeServer, Workbench, quietSettings } = require('./editor.js');
const { until } = require('./wait.js');

const long = `def report(rows):\n    return ', '.join(row.name for row in rows if row.is_visible and row.name) + str(len(rows))\n\n\nend = 1\n`;
const longer = `    return ', '.join(row.title for row in rows if row.is_visible and row.title and not row.is_deleted) + str(len(rows))\n`;
const documented = 'def area(a, b):\n    x = a\n    return x * b\n\n\ndef edge(a, b):\n    return a + b\n';
const docstring = '    """The area.\n\n    a: one side\n    b: the other\n    """\n';
const edits = [
  { instruction: 'pathlib', find: before.trimEnd(), replace: after.trimEnd() },
  { instruction: 'titles', find: long.split('\n')[1] + '\n', replace: longer },
  { instruction: 'document', find: '    x = a\n', replace: `${docstring}    x = a\n` },
];
const workspace = makeWorkspace({ 'user.py': before, 'long.py': long, 'documented.py': documented }, { edits });
// The names of VS Code's own themes, and the class that a window has then.
const themes = [['Default Light Modern', 'vs', 'light'], ['Default Dark Modern', 'vs-dark', 'dark'],
  ['Default High Contrast', 'hc-black', 'contrast'], ['Default High Contrast Light', 'hc-light', 'contrast-light']];
let server;

test.before(async () => {
  server = await CodeServer.start({ 'redraft.path': workspace.server });
});
test.after(async () => {
  await server?.stop();
  workspace.remove();
});

// [red, green, blue, alpha], of what `getComputedStyle` gives.
function parsed(color) {
  const [r, g, b, alpha = 1] = color.match(/[\d.]+/g).map(Number);
  return [r, g, b, alpha];
}

function over([r, g, b, alpha], below) {
  return [r, g, b].map((value, i) => alpha * value + (1 - alpha) * below[i]);
}

// The contrast ratio of WCAG 2.
function contrast(a, b) {
  const luminance = (color) => color.slice(0, 3)
    .map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

// The words of a card behind which there are blocks.
function markedWords({ text, marks }) {
  const lines = marks.split('\n');
  const marked = text.split('\n').map((line, i) => [...line].map((c, at) => (lines[i]?.[at] === '\u2588' ? c : '\n')).join(''));
  return marked.join('\n').split(/\n+/).map((word) => word.trim()).filter(Boolean);
}

const cardsOf = async (workbench) => (await workbench.attached()).filter(({ isCard }) => isCard);

async function untilCards(workbench, texts) {
  let seen;
  const test = async () => {
    seen = await cardsOf(workbench);
    return JSON.stringify(seen.map(({ text }) => text)) === JSON.stringify(texts);
  };
  await until(test, () => `the new lines ${JSON.stringify(texts)}, there are ${JSON.stringify(seen)}`);
  return seen;
}

// The lines of the document on the screen, with their places.
function placedLines(workbench) {
  return workbench.page.evaluate(() => [...document.querySelectorAll('.editor-instance .view-lines .view-line')]
    .map((line) => ({ text: line.textContent.replace(/\u00a0/g, ' '), top: line.getBoundingClientRect().top }))
    .sort((a, b) => a.top - b.top));
}

async function edit(workbench, line, instruction) {
  await workbench.untilServed();
  await workbench.goToLine(line);
  await workbench.key('Control+Alt+E');
  const title = workbench.page.locator('.quick-input-title');
  await title.filter({ hasText: /redraft: (edit|insert at)/ }).waitFor();
  await until(async () => {
    const isFile = /edit file/.test(await title.textContent());
    if (!isFile) await workbench.key('Alt+ArrowUp');
    return isFile;
  }, 'the title that names the file');
  await workbench.instruct(instruction);
  await workbench.status(/redraft: \d+ changes?,/);
}

// Of a card: it stands below its line, and its first row hides no line of the document.
function standsBelow(card, lines) {
  assert(card.top >= card.lineBottom - 1, `${card.text}: at ${card.top}, its line ends at ${card.lineBottom}`);
  const next = lines.find(({ top }) => top >= card.lineBottom - 1);
  const rows = card.text.split('\n').length;
  const row = (card.bottom - card.top) / rows;
  assert(next.top >= card.top + row - 1, `${card.text}: no room for its first row above ${next.top}`);
}

function isReadable(card, theme) {
  const [editor, tint] = card.background.map(parsed);
  const plain = over(tint, editor);
  const marked = over(parsed(card.markColor), plain);
  const text = parsed(card.color);
  for (const [name, background] of [['lines', plain], ['words', marked]]) {
    const ratio = contrast(text, background);
    assert(ratio >= 4.5, `${theme}: text on changed ${name} has the contrast ${ratio.toFixed(2)}`);
  }
  assert(contrast(plain, editor) > 1.02, `${theme}: new lines differ from others`);
  assert(contrast(marked, plain) > 1.05, `${theme}: changed words differ from others`);
}

// The room for them comes a moment later.
async function untilBelow(workbench) {
  let why;
  await until(async () => {
    const lines = await placedLines(workbench);
    try {
      (await cardsOf(workbench)).forEach((card) => standsBelow(card, lines));
      return true;
    } catch (error) {
      why = error.message;
      return false;
    }
  }, () => why);
}

async function withWindow(file, run) {
  const workbench = await Workbench.open(server, workspace.folder, file);
  try {
    await workbench.key('Control+B'); // no side bar
    await run(workbench);
  } catch (error) {
    await workbench.screenshot(`vscode-failed-look-${file}`);
    console.log(workspace.log(), server.extensionLogs());
    throw error;
  } finally {
    await workbench.close();
  }
}

const imports = 'from pathlib import Path';
const body = '    with open(path) as f:\n        return f.read()';
const name = '    return Path(path).name';

// A window of its own for each: one that is open may miss that the file of settings has changed.
for (const [theme, kind, picture] of themes) {
  test(`new lines stand below those that they replace, readable: ${theme}`, async () => {
    server.writeSettings('User', { ...quietSettings, 'workbench.colorTheme': theme });
    await withWindow('user.py', async (workbench) => {
      await workbench.page.locator(`.monaco-workbench.${kind}`).waitFor();
      await edit(workbench, 1, 'use pathlib');
      const cards = await untilCards(workbench, [imports, body, name]);
      await untilBelow(workbench);
      cards.forEach((card) => isReadable(card, theme));
      assert.deepStrictEqual(markedWords(cards[2]), ['Path', '.name'], theme);
      await workbench.screenshot(`vscode-look-${picture}`);
      assert.strictEqual((await workbench.lines()).join('\n').trimEnd(), before.trimEnd()); // nothing has entered the file
    });
    server.writeSettings('User', quietSettings);
  });
}

test('a long line is broken within a narrow window', () => withWindow('long.py', async (workbench) => {
  await edit(workbench, 1, 'use titles');
  const shown = async () => {
    const [card] = await cardsOf(workbench);
    const { x } = await workbench.page.locator('.editor-instance .minimap').boundingBox();
    return { card, edge: x };
  };
  let seen = await shown();
  assert(seen.card.right <= seen.edge, JSON.stringify(seen));
  await untilBelow(workbench);
  assert.deepStrictEqual(markedWords(seen.card), ['title', 'title and not', 'row.is_deleted']);
  await workbench.screenshot('vscode-look-long');
  const { height } = workbench.page.viewportSize();
  await workbench.page.setViewportSize({ width: 560, height });
  await until(async () => (seen = await shown()).edge < 560, 'the narrow window');
  assert(seen.card.right <= seen.edge, JSON.stringify(seen));
  assert(seen.card.bottom - seen.card.top > 40, 'it takes several rows');
  await workbench.screenshot('vscode-look-narrow');
}));

test('new lines give way to the cursor', () => withWindow('documented.py', async (workbench) => {
  await edit(workbench, 1, 'document it');
  const text = docstring.trimEnd();
  await untilCards(workbench, [text]);
  await workbench.screenshot('vscode-look-many');
  await workbench.goToLine(4); // behind them
  await until(async () => (await workbench.attachedText()).includes('+5 lines …'), 'the note in their place');
  assert.deepStrictEqual(await cardsOf(workbench), []);
  await workbench.screenshot('vscode-look-note');
  await workbench.goToLine(1);
  await untilCards(workbench, [text]);
  await workbench.goToLine(7); // the only change is meant wherever the cursor is
  await workbench.key('Control+Alt+Y');
  await workbench.untilLines(['def area(a, b):', ...text.split('\n'), '    x = a']);
  await untilCards(workbench, []);
}));
