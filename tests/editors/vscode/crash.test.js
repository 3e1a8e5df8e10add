// A document that crashes the server twice is left alone, and the user is told which.
'use strict';
const test = require('node:test');
const { makeWorkspace } = require('./example.js');
const { CodeServer, Workbench } = require('./editor.js');
const { until } = require('./wait.js');

const workspace = makeWorkspace({ 'bad.py': 'def f():\n    pass\n' }, {}, '');
let server;

test.before(async () => {
  server = await CodeServer.start({ 'redraft.path': workspace.server });
});
test.after(async () => {
  await server?.stop();
  workspace.remove();
});

async function edit(workbench) {
  await workbench.key('Control+Alt+E');
  await workbench.titled('').waitFor();
  await workbench.instruct('body');
}

// The newest server; it may have recorded nothing yet.
function hasTheFile() {
  try {
    return workspace.told('textDocument/didOpen').length > 0;
  } catch {
    return false;
  }
}

// While it works on the file.
async function crash(workbench) {
  workspace.hold();
  await edit(workbench);
  await until(workspace.holds, 'the edit');
  const pid = workspace.pid();
  process.kill(pid, 'SIGSEGV');
  await until(() => workspace.pid() !== pid, 'the next server');
  workspace.release();
  await until(hasTheFile, 'the file there');
}

test('a document that crashes the server twice is left alone', async () => {
  const workbench = await Workbench.open(server, workspace.folder, 'bad.py');
  try {
    await workbench.untilServed();
    await crash(workbench);
    await crash(workbench);
    await workbench.notification(/bad\.py: redraft crashed twice while it worked on this file/);
  } catch (error) {
    await workbench.screenshot('vscode-failed-crash');
    console.log(workspace.log(), server.extensionLogs());
    throw error;
  } finally {
    await workbench.close();
  }
});
