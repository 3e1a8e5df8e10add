// node picture.js FILE INSTRUCTION OUT.png SERVER [SETTINGS]: VS Code's window after a real edit of FILE by the language
// server SERVER, while the hunks wait to be decided on. SETTINGS: more settings, as JSON.
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { CodeServer, Workbench } = require('./editor.js');

const [file, instruction, out, server, settings = '{}'] = process.argv.slice(2);

async function takePicture() {
  const parent = fs.mkdtempSync(path.join(os.tmpdir(), 'redraft-picture-'));
  const folder = path.join(parent, 'example');
  fs.mkdirSync(folder);
  fs.copyFileSync(file, path.join(folder, path.basename(file)));
  const host = await CodeServer.start({ 'redraft.path': path.resolve(server), 'editor.minimap.enabled': false, ...JSON.parse(settings) });
  try {
    const workbench = await Workbench.open(host, folder, path.basename(file), { width: 980, height: 700 });
    await workbench.status('redraft');
    await workbench.key('Control+B'); // no side bar
    await workbench.key('Control+A');
    await workbench.quickInput('Control+Alt+E', instruction);
    await workbench.status(/redraft: \d+ changes?, \d+ tokens\/s/, 300000);
    await workbench.lens('Accept').first().waitFor();
    await workbench.key('Control+Home');
    await new Promise((resolve) => setTimeout(resolve, 1000)); // the lenses fade in
    await workbench.page.screenshot({ path: out });
    await workbench.close();
  } finally {
    await host.stop();
    fs.rmSync(parent, { recursive: true });
  }
}

takePicture();
