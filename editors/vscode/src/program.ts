// Finds the program `redraft`. VS Code may have been started without the PATH of the user's shells, so that is read too.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { openWalkthrough } from './steps';

// A login shell may take long to read the user's configuration, or wait for input.
const shellTimeout = 10000; // ms
const maxOutput = 1 << 20;  // characters; output before the PATH is a greeting

let loginPath: string | undefined;  // the last result

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

// The program in the folder `extension`, if it was packed for this platform. Extension and program were built together, so it
// precedes any other program on the machine.
export function bundledProgram(extension: string): string | undefined {
  const file = path.join(extension, 'server', 'bin', 'redraft');
  return isExecutable(file) ? file : undefined;
}

// Reads the PATH of an interactive login shell, between marks, because the shell may print other text. It runs in its own
// session; otherwise an interactive shell would take a terminal. Its background programs may keep its output open and live on.
export function readLoginPath(): Promise<void> {
  const shell = process.env.SHELL || os.userInfo().shell || '/bin/sh';
  const mark = 'redraft-path';
  return new Promise((resolve) => {
    // Shells print in different ways, but all pass exported variables to `sh`. They may print the command, which lacks the
    // mark.
    const child = spawn(shell, ['-l', '-i', '-c', `sh -c 'printf "<%s>%s</%s>" ${mark} "$PATH" ${mark}'`],
      { detached: true, stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, TERM: 'dumb' } });
    const kill = () => {
      child.stdout.destroy();
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // The shell has ended, and another program held its output open.
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

// The file that `command` names: a path, or a name that is looked up like in a shell, and where `make install` puts it.
export function findExecutable(command: string): string | undefined {
  if (command.includes('/')) {
    const file = command.startsWith('~/') ? path.join(os.homedir(), command.slice(2)) : command;
    return isExecutable(file) ? file : undefined;
  }
  const folders = [process.env.PATH, loginPath].flatMap((each) => (each ?? '').split(path.delimiter));
  folders.push(path.join(os.homedir(), '.local', 'bin'));
  return folders.filter((folder) => path.isAbsolute(folder)).map((folder) => path.join(folder, command)).find(isExecutable);
}

// If the server runs on another machine than the window, VS Code reads the settings that start it from that machine, not from
// the user's.
const isRemote = vscode.env.remoteName !== undefined;

export function missingMessage(command: string): string {
  const what = command.includes('/') ? `"${command}" is not an executable file`
    : `there is no program "${command}" in PATH, nor in the PATH of the login shell`;
  const where = isRemote ? ' It must be on the remote machine. The settings of that machine apply, not the user settings.' : '';
  return `redraft: ${what}.${where} "Get redraft" says how to install it; if it is installed, choose its file.`;
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
