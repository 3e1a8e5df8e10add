// The server does not run in the workspace, and a crash leaves a report that the user is offered.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const test = require('node:test');
const { makeWorkspace } = require('./example.js');
const { CodeServer, Workbench } = require('./editor.js');
const { until } = require('./wait.js');

const workspace = makeWorkspace({ 'bad.py': 'def f():\n    pass\n' });
let server;

test.before(async () => {
  server = await CodeServer.start({ 'redraft.path': workspace.server }, { XDG_STATE_HOME: workspace.state });
});
test.after(async () => {
  await server?.stop();
  workspace.remove();
});

test('the server does not run in the workspace, and a crash offers its report', async () => {
  const workbench = await Workbench.open(server, workspace.folder, 'bad.py');
  try {
    await workbench.untilServed();
    const pid = workspace.pid();
    assert.equal(fs.readlinkSync(`/proc/${pid}/cwd`), fs.realpathSync(server.folder));
    process.kill(pid, 'SIGSEGV');
    const notice = await workbench.notification(/the server crashed\. Its report contains none of your text/);
    await notice.locator('.monaco-button', { hasText: 'Open Report' }).click();
    await workbench.untilLines(['redraft crash report']);
    await until(() => workspace.pid() !== pid, 'the next server');
  } catch (error) {
    await workbench.screenshot('vscode-failed-report');
    console.log(workspace.log(), server.extensionLogs());
    throw error;
  } finally {
    await workbench.close();
  }
});
