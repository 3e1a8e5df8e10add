// The first minutes: a program that only the login shell finds, a model that is not there, the walkthrough. The program
// knows one model, whose download the test controls.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const { makeWorkspace } = require('./example.js');
const { CodeServer, Workbench } = require('./editor.js');
const { until } = require('./wait.js');

const workspace = makeWorkspace({ 'a.py': 'a = 1\n' });
const outside = path.dirname(workspace.server);
const beside = (name) => path.join(outside, name);
const home = beside('home');
const total = 1100000000;
let server;

// What `redraft models …` says. A download writes its steps until it is told to fail or to end; SIGINT ends it with code 130.
const models = `#!/bin/bash
here='${outside}'
case "$1 $2" in
"models list")
  [ -e "$here/model" ] && present=true || present=false
  echo "[{\\"name\\":\\"tiny-1b\\",\\"present\\":$present,\\"bytes\\":${total},\\"sha256\\":\\"0\\",\\"licence\\":\\"Apache-2.0\\",\\"file\\":\\"/m\\"}]" ;;
"models pull")
  echo "$*" >>"$here/pulls"
  trap 'echo interrupted >>"$here/pulls"; exit 130' INT
  step() { echo "{\\"model\\":\\"tiny-1b\\",\\"bytes\\":$1,\\"total\\":${total},\\"phase\\":\\"$2\\"}"; }
  step 0 downloading
  step 550000000 downloading
  until [ -e "$here/end" ]; do
    [ -e "$here/fail" ] && { echo 'tiny-1b: the server of the registry does not answer' >&2; exit 1; }
    sleep 0.05
  done
  step ${total} checking
  touch "$here/model"
  step ${total} done ;;
*)
  exec '${workspace.server}' "$@" ;;
esac
`;

test.before(async () => {
  const folder = path.join(home, 'programs');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'redraft'), models, { mode: 0o755 });
  // What a shell says besides is no part of PATH.
  fs.writeFileSync(path.join(home, '.profile'), `echo welcome\nexport PATH="$PATH:${folder}"\n`);
  server = await CodeServer.start({}, { HOME: home, SHELL: '/bin/bash' });
});
test.after(async () => {
  await server?.stop();
  workspace.remove();
});

const pulls = () => (fs.existsSync(beside('pulls')) ? fs.readFileSync(beside('pulls'), 'utf8').trim().split('\n') : []);
const starts = () => fs.readFileSync(beside('pids'), 'utf8').trim().split('\n').length;

async function offersTheModel(workbench) {
  const offer = await workbench.notification('the model tiny-1b (1.1 GB, licence Apache-2.0) is not downloaded yet');
  assert.deepStrictEqual(pulls(), []); // nothing is fetched before it is wanted
  await offer.getByText('Download', { exact: true }).click();
  const progress = await workbench.notification('550 MB of 1.1 GB');
  await workbench.screenshot('vscode-download');
  assert.deepStrictEqual(pulls(), ['models pull tiny-1b --format json']);
  await progress.getByText('Cancel', { exact: true }).click();
  await until(() => pulls().at(-1) === 'interrupted', 'the end of the download');
  await progress.waitFor({ state: 'detached' });
  assert(!fs.existsSync(beside('model')));
}

async function askForModel(workbench) {
  await workbench.command('redraft: Download Model');
  const dialog = workbench.page.locator('.monaco-dialog-box');
  await dialog.waitFor();
  const text = await dialog.textContent();
  assert(/download the model tiny-1b\?/.test(text) && /1\.1 GB, its licence is Apache-2\.0/.test(text), text);
  return dialog;
}

async function saysWhyItFailed(workbench) {
  await (await askForModel(workbench)).getByText('Download', { exact: true }).click();
  await workbench.notification('550 MB of 1.1 GB');
  fs.writeFileSync(beside('fail'), '');
  const failed = await workbench.notification('cannot download the model: tiny-1b: the server of the registry does not answer');
  fs.rmSync(beside('fail'));
  await failed.getByText('Try Again', { exact: true }).click();
}

async function usesTheModelThatHasCome(workbench) {
  await workbench.notification('550 MB of 1.1 GB');
  const before = starts();
  fs.writeFileSync(beside('end'), '');
  await workbench.notification('the model tiny-1b is downloaded');
  await until(() => starts() === before + 1, 'another server');
  await workbench.untilServed();
}

async function theWalkthroughShowsTheWay(workbench) {
  await workbench.command('redraft: Get Started');
  const page = workbench.page.locator('.gettingStartedContainer');
  const steps = ['Get the program', 'Get the model', 'Make your first edit', 'Take your first suggestion'];
  for (const step of steps) {
    await page.locator('.step-title', { hasText: step }).first().waitFor();
  }
  await until(async () => (await page.locator('.getting-started-step .complete').count()) >= 2, 'the first two steps done');
  await workbench.screenshot('vscode-walkthrough');
  await page.locator('.step-title', { hasText: steps[2] }).first().click();
  await page.getByText('Open an Example').first().click();
  await until(async () => (await workbench.lines()).includes('def read(path):'), 'the example');
}

test('the first minutes', async () => {
  const workbench = await Workbench.open(server, workspace.folder, 'a.py');
  try {
    await workbench.untilServed(); // found in the PATH of the login shell
    await offersTheModel(workbench);
    await saysWhyItFailed(workbench);
    await usesTheModelThatHasCome(workbench);
    await theWalkthroughShowsTheWay(workbench);
  } catch (error) {
    await workbench.screenshot('vscode-failed-first-run');
    console.log(workspace.log(), server.extensionLogs());
    throw error;
  } finally {
    await workbench.close();
  }
});
