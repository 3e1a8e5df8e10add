// A small edit by real weights: what arrives in the document is what the command line makes of the same file.
'use strict';
const assert = require('node:assert');
const childProcess = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const { CodeServer, runInExtensionHost } = require('./editor.js');

const model = 'qwen2.5-coder-0.5b';
const instruction = 'Rename the parameter width to w in both functions.';
const before = `def area(width, height):
    return width * height


def perimeter(width, height):
    return 2 * (width + height)
`;

function modelFolder() {
  return path.join(process.env.XDG_DATA_HOME || path.join(os.homedir(), '.local', 'share'), 'redraft', 'models');
}

function isInstalled() {
  const folder = modelFolder();
  return fs.existsSync(folder) && fs.readdirSync(folder).some((name) => name.startsWith(model));
}

const skip = isInstalled() ? false : `${model} is not installed; \`redraft models pull ${model}\` does it`;

test('an edit by the 0.5B model', { skip }, async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'redraft-model-'));
  // The editor's surroundings hide the models: the server is started with the right ones.
  const start = path.join(folder, 'redraft');
  const data = path.dirname(path.dirname(modelFolder()));
  fs.writeFileSync(start, `#!/bin/sh\nXDG_DATA_HOME='${data}' exec '${process.env.REDRAFT}' "$@"\n`, { mode: 0o755 });
  const file = path.join(folder, 'shapes.py');
  fs.writeFileSync(file, before);
  const options = ['edit', file, '--instruction', instruction, '--target', model, '--format', 'text'];
  const after = childProcess.execFileSync(process.env.REDRAFT, options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  assert.notStrictEqual(after, before, 'the model changes something');
  fs.writeFileSync(path.join(folder, 'expected.json'), JSON.stringify({ instruction, before, after }));
  let server;
  try {
    server = await CodeServer.start({ 'redraft.path': start, 'redraft.target': model, 'redraft.cacheOnDisk': false });
    const { code, log } = await runInExtensionHost(server, folder, path.join(__dirname, 'model_in_host.js'));
    assert.strictEqual(code, 0, `${log}\n${server.extensionLogs()}`);
  } finally {
    await server?.stop();
    fs.rmSync(folder, { recursive: true });
  }
});
