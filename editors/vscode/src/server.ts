// Starts and stops `redraft lsp`.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import {
  CloseHandlerResult, ErrorAction, LanguageClient, LanguageClientOptions, Middleware, State,
} from 'vscode-languageclient/node';
import { serverArguments } from './arguments';
import { editable } from './documents';
import { bundledProgram } from './program';

export interface ServerCommand {
  command: string;
  args: string[];
}

export function configuredCommand(): ServerCommand {
  const settings = vscode.workspace.getConfiguration('redraft');
  const own = bundledProgram(path.join(__dirname, '..')) ?? 'redraft';
  return { command: settings.get<string>('path', '').trim() || own, args: serverArguments(settings) };
}

export function isSameCommand(a: ServerCommand, b: ServerCommand): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function makeClient(
  server: ServerCommand, output: vscode.LogOutputChannel, suggestions: Pick<Middleware, 'provideInlineCompletionItems'>,
): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: editable,
    outputChannel: output,
    // Settings are not included: the server requests them, and again when they change.
    initializationOptions: { redraft: { streamedEdits: true, prompt: true, prepare: true, userSettings: true } },
    // A message to a server that has just crashed is a connection error. The library would shut down because of it and not
    // restart the server when it notices the crash.
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: (): CloseHandlerResult | Promise<CloseHandlerResult> => restarts.closed(),
    },
    middleware: {
      ...suggestions,
      workspace: {
        // A setting that restarts the server stops this client while it reports the change. That is not an error for the user.
        didChangeConfiguration: (sections, next) =>
          next(sections).catch((error) => (client.state === State.Running ? Promise.reject(error) : undefined)),
      },
    },
  };
  // It runs in the user's folder, not in a workspace, whose files are not trusted.
  const cwd = fs.existsSync(os.homedir()) ? os.homedir() : '/';
  const executable = { ...server, command: path.resolve(server.command), options: { cwd } };
  const client = new LanguageClient('redraft', 'redraft', executable, options);
  const restarts = client.createDefaultErrorHandler();
  return client;
}
