// Where the program `redraft` is. VS Code may have been started by something that does not know the PATH which the user's
// shells have, so that is read too.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { openWalkthrough } from './steps';

// A login shell that reads what the user has set up may take long, or wait for somebody.
const shellTimeout = 10000; // ms
const maxOutput = 1 << 20; // characters; what comes before the PATH is a greeting

let loginPath: string | undefined; // as it was read last

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

// The program within the folder `extension`, where that was packed for this platform. The two were made together, so it
// comes before any other on the machine.
export function bundledProgram(extension: string): string | undefined {
  const file = path.join(extension, 'server', 'bin', 'redraft');
  return isExecutable(file) ? file : undefined;
}

// Reads the PATH that an interactive login shell has, between marks: it may print other things. It has a session of its own,
// since an interactive one would take a terminal. What it starts in the background may hold its output open and live on.
export function readLoginPath(): Promise<void> {
  const shell = process.env.SHELL || os.userInfo().shell || '/bin/sh';
  const mark = 'redraft-path';
  return new Promise((resolve) => {
    // Shells differ in how they print; what they export they all hand to `sh`. They may print the command, without the mark.
    const child = spawn(shell, ['-l', '-i', '-c', `sh -c 'printf "<%s>%s</%s>" ${mark} "$PATH" ${mark}'`],
      { detached: true, stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, TERM: 'dumb' } });
    const kill = () => {
      child.stdout.destroy();
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // it has ended, and something else held its output open
      }
    };
    const timer = setTimeout(kill, shellTimeout);
    let [output, isKnown] = ['', false];
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      output = isKnown ? '' : output + part;
      const found = new RegExp(`<${mark}>([^]*?)</${mark}>`).exec(output)?.[1];
      if (found !== undefined) {
        [loginPath, isKnown] = [found, true];
        resolve();
      } else if (output.length > maxOutput) {
        kill();
      }
    });
    child.on('exit', () => isKnown && clearTimeout(timer));
    ['error', 'close'].forEach((how) => child.on(how, () => {
      clearTimeout(timer);
      resolve();
    }));
  });
}

// The file that `command` names: a path, or a name that is looked up as shells do, and where `make install` puts it.
export function findExecutable(command: string): string | undefined {
  if (command.includes('/')) {
    const file = command.startsWith('~/') ? path.join(os.homedir(), command.slice(2)) : command;
    return isExecutable(file) ? file : undefined;
  }
  const folders = [process.env.PATH, loginPath].flatMap((each) => (each ?? '').split(path.delimiter));
  folders.push(path.join(os.homedir(), '.local', 'bin'));
  return folders.filter((folder) => path.isAbsolute(folder)).map((folder) => path.join(folder, command)).find(isExecutable);
}

// If the server runs on another machine than the window, VS Code reads the settings that start it from that machine
// rather than from the user's.
const isRemote = vscode.env.remoteName !== undefined;

export function missingMessage(command: string): string {
  const what = command.includes('/') ? `"${command}" is not an executable file`
    : `there is no program "${command}" in PATH, nor in the PATH of the login shell`;
  const where = isRemote ? ' It has to be on the remote machine, and its settings count: the user settings do not.' : '';
  return `redraft: ${what}.${where} "Get redraft" says how to install it; if you have it, choose its file.`;
}

function openPathSetting(): Thenable<unknown> {
  const query = 'redraft.path';
  return isRemote
    ? vscode.commands.executeCommand('workbench.action.openRemoteSettings', { query })
    : vscode.commands.executeCommand('workbench.action.openSettings', query);
}

async function chooseProgram(): Promise<void> {
  const title = 'The program redraft';
  const [file] = (await vscode.window.showOpenDialog({ title, openLabel: 'Use This Program' })) ?? [];
  if (file && isExecutable(file.fsPath)) {
    await vscode.workspace.getConfiguration('redraft').update('path', file.fsPath, vscode.ConfigurationTarget.Global);
  } else if (file) {
    void vscode.window.showErrorMessage(`redraft: "${file.fsPath}" is not an executable file.`);
  }
}

export async function sayMissing(command: string): Promise<void> {
  const actions: Record<string, () => Thenable<unknown>> = {
    'Get redraft': () => vscode.commands.executeCommand('redraft.getStarted'),
    'Choose File…': chooseProgram,
    'Open Settings': openPathSetting,
  };
  const choice = await vscode.window.showErrorMessage(missingMessage(command), ...Object.keys(actions));
  await (choice && actions[choice]());
}

export function registerProgramCommands(): vscode.Disposable[] {
  return [
    vscode.commands.registerCommand('redraft.chooseProgram', chooseProgram),
    vscode.commands.registerCommand('redraft.getStarted', openWalkthrough),
  ];
}
