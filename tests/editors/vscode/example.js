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

// Of the language server whose start is the file `start`: log() is what it wrote, pid() the process that was started last,
// ends() how often edits have ended, told(method…) the messages of these methods that it has got, requested() the arguments
// of the edits among them. When hold() was called its model stops within the second change that it makes of `before`, or
// at the text `stop`, until release(); holds() once it has stopped.
function controlsOf(start) {
  const beside = (name) => path.join(path.dirname(start), name);
  const log = () => fs.readFileSync(beside('log'), { encoding: 'utf8', flag: 'a+' });
  const pid = () => Number(fs.readFileSync(beside('pids'), 'utf8').trim().split('\n').pop());
  const told = (...methods) => fs.readFileSync(beside(`record.${pid()}`), 'utf8').split('\n').slice(0, -1)
    .map((line) => JSON.parse(line))
    .filter(({ from, message }) => from === 'client' && methods.includes(message.method))
    .map(({ message }) => message);
  return {
    log,
    pid,
    told,
    requested: () => told('workspace/executeCommand').filter(({ params }) => params.command === 'redraft.edit')
      .map(({ params }) => params.arguments[0]),
    ends: (how = '\\w+') => [...log().matchAll(new RegExp(` edit \\d+ ?${how}$`, 'gm'))].length,
    hold: () => {
      fs.rmSync(beside('hold.held'), { force: true }); // of a server that was killed
      fs.writeFileSync(beside('hold'), '');
    },
    holds: () => fs.existsSync(beside('hold.held')),
    release: () => fs.rmSync(beside('hold'), { force: true }),
    index: (isOn) => (isOn ? fs.writeFileSync(beside('index'), '') : fs.rmSync(beside('index'))), // from the next start on
  };
}

// A folder to open in VS Code with `files`, and with a language server of its own whose model knows one edit for each
// instruction. Its start is what the setting redraft.path is to hold. `more` is for its script.
function makeWorkspace(files, more = {}, stop = 'as f:') {
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
  const hold = { before: stop, file: path.join(outside, 'hold') };
  fs.writeFileSync(script, JSON.stringify({ edits, fills, hold, ...more }));
  const start = path.join(outside, 'redraft');
  const index = `$([ -e '${outside}/index' ] && echo --index)`;
  const state = path.join(outside, 'state'); // for XDG_STATE_HOME
  const notes = `--crash-notes '${state}/redraft/crashed-at'`;
  const run = `'${process.env.REDRAFT_SCRIPTED_SERVER}' '${script}' ${index} ${notes} --record '${outside}/record.'$$ 2>>'${outside}/log'`;
  const other = `[ "$1" = models ] && { echo '[]'; exit; }`; // it knows no models to fetch
  fs.writeFileSync(start, `#!/bin/sh\n${other}\necho $$ >>'${outside}/pids'\nexec ${run}\n`, { mode: 0o755 });
  const remove = () => [folder, outside].forEach((each) => fs.rmSync(each, { recursive: true, force: true }));
  return { folder, server: start, state, remove, ...controlsOf(start) };
}

module.exports = { before, after, controlsOf, makeWorkspace };
