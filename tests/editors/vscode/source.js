// Parts of the extension by themselves, outside VS Code.
'use strict';
const path = require('node:path');

const extension = path.resolve(__dirname, '..', '..', '..', 'editors', 'vscode');
const { buildSync } = require(path.join(extension, 'node_modules', 'esbuild'));

// What the source file `file` exports. `vscode` is what it gets for that module.
function load(file, vscode = {}) {
  const options = {
    entryPoints: [path.join(extension, 'src', file)], bundle: true, platform: 'node', format: 'cjs', write: false,
    external: ['vscode'], nodePaths: [path.join(extension, 'node_modules')],
  };
  const module = { exports: {} };
  const find = (name) => (name === 'vscode' ? vscode : require(name));
  new Function('module', 'exports', 'require', buildSync(options).outputFiles[0].text)(module, module.exports, find);
  return module.exports;
}

module.exports = { load };
