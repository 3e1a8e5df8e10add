// redraft in VS Code: a thin client of `redraft lsp`.
import * as vscode from 'vscode';
import { LanguageClient, State } from 'vscode-languageclient/node';
import { registerCommands } from './commands';
import { Edits } from './edits';
import { NextEdit } from './nextEdit';
import { Preview } from './preview';
import type { EditEvent, ModelStatus, ServerStatus } from './protocol';
import { configuredCommand, findExecutable, makeClient, missingMessage } from './server';
import { Status } from './status';
import { View } from './view';

// So often a missing executable is looked for again, in milliseconds.
const lookAgainAfter = 2000;

class Extension implements vscode.Disposable {
  private readonly output = vscode.window.createOutputChannel('redraft', { log: true });
  private readonly status = new Status();
  private readonly edits = new Edits((document) => this.refresh(document));
  private readonly view = new View((document) => this.edits.sessionsOf(document));
  private readonly preview = new Preview((uri) => this.edits.sessionsAt(uri));
  private readonly nextEdit = new NextEdit();
  private readonly parts: vscode.Disposable[];
  private client: LanguageClient | undefined;
  private turn: Promise<void> = Promise.resolve();
  private lookingAgain: NodeJS.Timeout | undefined;

  constructor() {
    this.parts = [
      this.output,
      this.status,
      this.edits,
      this.view,
      this.preview,
      this.nextEdit,
      ...registerCommands(this.edits, this.preview),
      vscode.commands.registerCommand('redraft.restart', () => this.restart()),
      vscode.commands.registerCommand('redraft.showStatus', () => this.explain()),
      vscode.commands.registerCommand('redraft.showOutput', () => this.output.show()),
      vscode.window.onDidChangeActiveTextEditor(() => this.showState()),
      vscode.workspace.onDidChangeConfiguration((event) => this.onConfiguration(event)),
    ];
  }

  dispose(): void {
    clearInterval(this.lookingAgain);
    this.parts.forEach((part) => part.dispose());
  }

  // Starts and stops come one after the other: a setting may change while the server starts.
  private inTurn(step: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(step, step);
    return this.turn;
  }

  start(): Promise<void> {
    return this.inTurn(() => this.startNow());
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.stopNow());
  }

  private async startNow(): Promise<void> {
    clearInterval(this.lookingAgain);
    const { command, args } = configuredCommand();
    const executable = findExecutable(command);
    if (!executable) {
      this.explainMissing(command);
      // It may be installed meanwhile; and VS Code now and then tells of settings only after it started extensions.
      this.lookingAgain = setInterval(() => this.startIfFound(), lookAgainAfter);
      return;
    }
    this.output.info(`starting ${executable} ${args.join(' ')}`);
    const client = makeClient({ command: executable, args }, this.output);
    client.onNotification('$/redraft/status', (model: ModelStatus) => this.onModel(model));
    client.onNotification('$/redraft/edit', (event: EditEvent) => this.edits.onEvent(event));
    // A server that crashes is started again by the client; its edits are lost.
    client.onDidChangeState(({ newState }) => {
      const runs = newState === State.Running;
      this.nextEdit.use(runs ? client : undefined);
      if (runs) {
        this.edits.use(client);
      } else {
        this.edits.lose(client);
      }
    });
    try {
      await client.start();
    } catch (error) {
      this.status.setProblem(`The server did not start: ${(error as Error).message}`);
      this.showState();
      void vscode.window.showErrorMessage(`redraft: the server did not start: ${(error as Error).message}`);
      return;
    }
    this.client = client;
    this.onModel(await client.sendRequest<ModelStatus>('redraft/status'));
  }

  private startIfFound(): void {
    if (findExecutable(configuredCommand().command)) {
      void this.restart();
    }
  }

  private async stopNow(): Promise<void> {
    clearInterval(this.lookingAgain);
    const client = this.client;
    this.client = undefined;
    await client?.stop();
  }

  private restart(): Promise<void> {
    return this.inTurn(async () => {
      await this.stopNow();
      this.status.setModel(undefined);
      await this.startNow();
      this.showState();
    });
  }

  private async onConfiguration(event: vscode.ConfigurationChangeEvent): Promise<void> {
    const names = ['path', 'target', 'draft', 'arguments'];
    if (names.some((name) => event.affectsConfiguration(`redraft.${name}`))) {
      await this.restart();
    }
  }

  private onModel(model: ModelStatus): void {
    this.status.setModel(model);
    this.showState();
  }

  // In words: what the server is at, what is off and why, and why there was no suggestion.
  private async explain(): Promise<void> {
    const status = await this.client?.sendRequest<ServerStatus>('redraft/status');
    if (!status) {
      this.output.show();
      return;
    }
    const why = status.completion.whyNone;
    const lines = [
      `The model is ${status.state}${status.target ? `: ${status.target}` : ''}${status.device === 'cuda' ? ', on the GPU' : ''}.`,
      ...status.reasons,
      ...(why ? [`The last suggestion: ${why}.`] : []),
      ...(status.nextEdit.whyNone ? [`The last search for a next edit: ${status.nextEdit.whyNone}.`] : []),
    ];
    const choice = await vscode.window.showInformationMessage(`redraft: ${lines.join(' ')}`, 'Show Output');
    if (choice) {
      this.output.show();
    }
  }

  private explainMissing(command: string): void {
    const message = missingMessage(command);
    this.output.error(message);
    this.status.setProblem(message);
    this.showState();
    void vscode.window.showErrorMessage(message, 'Open Settings').then((choice) => {
      if (choice) {
        void vscode.commands.executeCommand('workbench.action.openSettings', 'redraft.path');
      }
    });
  }

  private refresh(document: vscode.TextDocument): void {
    this.view.refresh();
    this.preview.refresh(document);
    this.showState();
  }

  // The status bar and the context keys, for the active editor.
  private showState(): void {
    const sessions = this.edits.sessionsOf(vscode.window.activeTextEditor?.document);
    this.status.show(sessions);
    void vscode.commands.executeCommand('setContext', 'redraft.hasHunks', sessions.some(({ nHunks }) => nHunks > 0));
    void vscode.commands.executeCommand('setContext', 'redraft.running', sessions.some(({ state }) => state === 'running'));
  }
}

let extension: Extension | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  extension = new Extension();
  context.subscriptions.push(extension);
  await extension.start();
}

export async function deactivate(): Promise<void> {
  await extension?.stop();
}
