// Starts and stops `redraft lsp`.
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient, LanguageClientOptions, State } from 'vscode-languageclient/node';

export interface ServerCommand {
  command: string;
  args: string[];
}

export function configuredCommand(): ServerCommand {
  const settings = vscode.workspace.getConfiguration('redraft');
  const option = (name: string) => {
    const value = settings.get<string>(name, '').trim();
    return value === '' ? [] : [`--${name}`, value];
  };
  const args = ['lsp', ...option('target'), ...option('draft'), ...settings.get<string[]>('arguments', [])];
  return { command: settings.get<string>('path', '').trim() || 'redraft', args };
}

export function isSameCommand(a: ServerCommand, b: ServerCommand): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

// The file that `command` names, found in PATH as a shell does.
export function findExecutable(command: string): string | undefined {
  if (command.includes('/')) {
    const file = command.startsWith('~/') ? path.join(process.env.HOME ?? '', command.slice(2)) : command;
    return isExecutable(file) ? file : undefined;
  }
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => path.join(folder, command)).find(isExecutable);
}

// If the server runs on another machine than the window, VS Code reads the settings that start it from that machine
// rather than from the user's.
const isRemote = vscode.env.remoteName !== undefined;

export function missingMessage(command: string): string {
  return (
    `redraft: "${command}" is not an executable. Build it (make build) and put it into your PATH, ` +
    `or give its path in the setting redraft.path${isRemote ? ' of the remote machine: the user settings do not count here' : ''}.`
  );
}

export function openPathSetting(): Thenable<unknown> {
  const query = 'redraft.path';
  return isRemote
    ? vscode.commands.executeCommand('workbench.action.openRemoteSettings', { query })
    : vscode.commands.executeCommand('workbench.action.openSettings', query);
}

export function makeClient(server: ServerCommand, output: vscode.LogOutputChannel): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: 'file' }, { scheme: 'untitled' }],
    outputChannel: output,
    // Settings are not included: the server requests them, and again when they change.
    initializationOptions: { redraft: { streamedEdits: true, prompt: true, prepare: true } },
    middleware: {
      workspace: {
        // A setting that restarts the server stops this client while it reports the change: not an error for the user.
        didChangeConfiguration: (sections, next) =>
          next(sections).catch((error) => (client.state === State.Running ? Promise.reject(error) : undefined)),
      },
    },
  };
  const client = new LanguageClient('redraft', 'redraft', server, options);
  return client;
}
