// The files that the tests edit and what the scripted model makes of them.
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const before = `import os

def read(path):
    f = open(path)
    return f.read()

def name(path):
    return os.path.basename(path)

def main():
    print(name('a'))
`;
const after = `import os
from pathlib import Path

def read(path):
    with open(path) as f:
        return f.read()

def name(path):
    return Path(path).name

def main():
    print(name('a'))
`;

// A folder to open in VS Code with `files`, and with a language server of its own whose model knows one edit for each
// instruction. Its start is what the setting redraft.path is to hold; log() is what it wrote.
function makeWorkspace(files, msPerPass) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'redraft-workspace-'));
  for (const [name, text] of Object.entries(files)) {
    fs.writeFileSync(path.join(folder, name), text);
  }
  const edits = [
    { instruction: 'pathlib', find: before.trimEnd(), replace: after.trimEnd() },
    { instruction: 'comments', find: 'a = 1\nb = 2\n', replace: '# head\na = 1\nb = 2\n# tail\n' },
    { find: 'fetch(', replace: 'load(' },
    { instruction: 'body', find: '    pass', replace: '    return a + b' },
  ];
  const fills = [{ after: 'area = ', write: 'width * height' }];
  const outside = fs.mkdtempSync(path.join(os.tmpdir(), 'redraft-server-'));
  const script = path.join(outside, 'script.json');
  fs.writeFileSync(script, JSON.stringify({ edits, fills, delay_ms_per_pass: msPerPass }));
  const start = path.join(outside, 'redraft');
  fs.writeFileSync(start, `#!/bin/sh\nexec '${process.env.REDRAFT_SCRIPTED_SERVER}' '${script}' 2>>'${outside}/log'\n`, { mode: 0o755 });
  const remove = () => [folder, outside].forEach((each) => fs.rmSync(each, { recursive: true, force: true }));
  const log = () => fs.readFileSync(path.join(outside, 'log'), { encoding: 'utf8', flag: 'a+' });
  return { folder, server: start, log, remove };
}

module.exports = { before, after, makeWorkspace };
