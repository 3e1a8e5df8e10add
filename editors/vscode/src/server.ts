// Starts and stops `redraft lsp`.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient, LanguageClientOptions, State } from 'vscode-languageclient/node';
import { bundledProgram } from './program';

export interface ServerCommand {
  command: string;
  args: string[];
}

export function configuredCommand(): ServerCommand {
  const settings = vscode.workspace.getConfiguration('redraft');
  const option = (setting: string, name = setting) => {
    const value = settings.get<string>(setting, '').trim();
    return value === '' ? [] : [`--${name}`, value];
  };
  const args = ['lsp', ...option('target'), ...option('draft'), ...option('head'),
    ...(remoteServer() === '' ? [] : [...option('remote'), ...option('remoteModel', 'remote-model')]),
    ...settings.get<string[]>('commonFolders', []).flatMap((folder) => ['--common', folder]),
    ...ownArguments(settings)];
  const own = bundledProgram(path.join(__dirname, '..')) ?? 'redraft';
  return { command: settings.get<string>('path', '').trim() || own, args };
}

/** The address of the server that writes, as the user set it; empty: a model here does. */
export function remoteServer(): string {
  return vscode.workspace.getConfiguration('redraft').get<string>('remote', '').trim();
}

// Where text is sent is the user's to say: the arguments of a workspace are not taken if one of them names a server.
function ownArguments(settings: vscode.WorkspaceConfiguration): string[] {
  const all = settings.get<string[]>('arguments', []);
  const ofUser = settings.inspect<string[]>('arguments')?.globalValue ?? [];
  return all.some((argument) => argument.startsWith('--remote')) ? ofUser : all;
}

export function isSameCommand(a: ServerCommand, b: ServerCommand): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function makeClient(server: ServerCommand, output: vscode.LogOutputChannel): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: 'file' }, { scheme: 'untitled' }],
    outputChannel: output,
    // Settings are not included: the server requests them, and again when they change.
    initializationOptions: { redraft: { streamedEdits: true, prompt: true, prepare: true, userSettings: true } },
    middleware: {
      workspace: {
        // A setting that restarts the server stops this client while it reports the change: not an error for the user.
        didChangeConfiguration: (sections, next) =>
          next(sections).catch((error) => (client.state === State.Running ? Promise.reject(error) : undefined)),
      },
    },
  };
  // It runs in the user's folder, not in a workspace, whose files are anybody's.
  const cwd = fs.existsSync(os.homedir()) ? os.homedir() : '/';
  const executable = { ...server, command: path.resolve(server.command), options: { cwd } };
  const client = new LanguageClient('redraft', 'redraft', executable, options);
  return client;
}
