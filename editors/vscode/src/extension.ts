// redraft in VS Code: a thin client of `redraft lsp`.
import * as vscode from 'vscode';
import { LanguageClient, State } from 'vscode-languageclient/node';
import { Announcer } from './announce';
import { registerCommands } from './commands';
import { Edits } from './edits';
import { Jumps } from './jumps';
import { openExample } from './example';
import { MissingExecutable } from './missing';
import { Models } from './models';
import { NextEdit } from './nextEdit';
import { Places } from './places';
import { Preview } from './preview';
import { findExecutable, missingMessage, readLoginPath, registerProgramCommands, sayMissing } from './program';
import { protocolProblem } from './protocol';
import type { EditEvent, ModelStatus, PrepareEvent, ServerStatus } from './protocol';
import { sayCrashed } from './report';
import { configuredCommand, isSameCommand, makeClient, type ServerCommand } from './server';
import { Status } from './status';
import { Snoozing } from './snooze';
import { setDone } from './steps';
import { registerSuggestionCommands } from './suggestions';
import { View } from './view';

class Extension implements vscode.Disposable {
  private readonly output = vscode.window.createOutputChannel('redraft', { log: true });
  private readonly status = new Status();
  private readonly places = new Places();
  private readonly edits = new Edits(this.places, (document) => this.refresh(document));
  private readonly view = new View((document) => this.edits.sessionsOf(document));
  private readonly preview = new Preview((uri) => this.edits.sessionsAt(uri));
  private readonly nextEdit = new NextEdit();
  private readonly announcer = new Announcer();
  private readonly jumps = new Jumps();
  private readonly snoozing = new Snoozing((snooze) => {
    this.status.setSnooze(snooze);
    this.showState();
  });
  private readonly parts: vscode.Disposable[];
  private client: LanguageClient | undefined;
  private started: ServerCommand | undefined; // the last one, even if starting it failed
  private turn: Promise<void> = Promise.resolve();
  private readonly missing = new MissingExecutable(
    () => findExecutable(configuredCommand().command) !== undefined,
    () => void this.restart(),
    (isForUser) => this.onMissing(isForUser),
  );
  private readonly models: Models;

  constructor(memory: vscode.Memento) {
    this.models = new Models(memory, this.output, () => void this.restart());
    this.parts = [
      this.models,
      this.output,
      this.status,
      this.places,
      this.edits,
      this.view,
      this.preview,
      this.nextEdit,
      this.announcer,
      this.jumps,
      this.snoozing,
      ...registerCommands(this.edits, this.places, this.preview, this.announcer),
      ...registerProgramCommands(),
      ...registerSuggestionCommands(),
      vscode.commands.registerCommand('redraft.openExample', openExample),
      vscode.commands.registerCommand('redraft.restart', () => this.restart(true)),
      vscode.commands.registerCommand('redraft.showStatus', () => this.explain()),
      vscode.commands.registerCommand('redraft.showOutput', () => this.output.show()),
      this.announcer.onDidChange(() => this.showState()),
      vscode.window.onDidChangeActiveTextEditor(() => this.showState()),
      vscode.workspace.onDidChangeConfiguration(() => this.onConfiguration()),
    ];
  }

  dispose(): void {
    this.missing.stop();
    this.parts.forEach((part) => part.dispose());
  }

  // Starts and stops run one after the other: a setting may change while the server starts.
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

  // `isAsked`: the user requested the start and waits for it.
  private async startNow(isAsked = false): Promise<void> {
    this.started = configuredCommand();
    const { command, args } = this.started;
    let executable = findExecutable(command);
    if (!executable && !command.includes('/')) {
      await readLoginPath();
      executable = findExecutable(command);
    }
    setDone('hasProgram', executable !== undefined);
    if (!executable) {
      this.output.info(`${command} is missing`);
      this.missing.wait(isAsked);
      return;
    }
    this.missing.end();
    this.output.info(`starting ${executable} ${args.join(' ')}`);
    const client = makeClient({ command: executable, args }, this.output, this.snoozing.middleware);
    client.onNotification('$/redraft/status', (model: ModelStatus) => this.onModel(model));
    client.onNotification('$/redraft/edit', (event: EditEvent) => this.edits.onEvent(event));
    client.onNotification('$/redraft/prepare', (event: PrepareEvent) => this.announcer.onEvent(event));
    // The client restarts a server that crashes; its edits are lost.
    client.onDidChangeState(({ newState }) => {
      const runs = newState === State.Running;
      if (newState === State.Stopped && this.client === client) {  // the server ended without a request
        void sayCrashed();
      }
      this.nextEdit.use(runs ? client : undefined);
      this.jumps.use(runs ? client : undefined);
      this.snoozing.use(runs ? client : undefined);
      if (runs) {
        this.edits.use(client);
        this.announcer.use(client);
      } else {
        this.edits.lose(client);
        this.announcer.lose(client);
      }
    });
    try {
      await client.start();
    } catch (error) {
      this.status.setProblem(`The server did not start: ${(error as Error).message}`);
      this.showState();
      void vscode.window.showErrorMessage(`redraft: cannot start the server: ${(error as Error).message}`);
      return;
    }
    this.client = client;
    const problem = protocolProblem(client.initializeResult?.capabilities);
    if (problem) {
      this.output.warn(problem);
      void vscode.window.showWarningMessage(`redraft: ${problem}`);
    }
    void this.models.use(executable);
    const status = client.sendRequest<ModelStatus>('redraft/status');
    void status.then((model) => this.client === client && this.onModel(model), () => undefined);  // it may be stopped first
  }

  private async stopNow(): Promise<void> {
    this.missing.stop();
    const client = this.client;
    this.client = undefined;
    // Waits two seconds for the server, which may be busy, and then kills it, so that the next one can start.
    await client?.stop().catch((error: Error) => this.output.warn(`stopping the server: ${error.message}`));
  }

  private restart(isAsked = false): Promise<void> {
    return this.inTurn(() => this.restartNow(isAsked));
  }

  private async restartNow(isAsked = false): Promise<void> {
    await this.stopNow();
    this.status.setModel(undefined);
    await this.startNow(isAsked);
    this.showState();
  }

  // The event does not always name the change: VS Code may revert an invalid setting in this window after extensions have read
  // it, and then names nothing. So compare with the present settings.
  private onConfiguration(): Promise<void> {
    return this.inTurn(async () => {
      if (this.started && !isSameCommand(configuredCommand(), this.started)) {
        await this.restartNow();
      }
    });
  }

  private onModel(model: ModelStatus): void {
    this.status.setModel(model);
    this.showState();
  }

  // Shows what the server is doing, what is off and why, and why there was no suggestion.
  private async explain(): Promise<void> {
    const status = await this.client?.sendRequest<ServerStatus>('redraft/status');
    if (!status) {
      this.output.show();
      return;
    }
    const why = status.completion.whyNone;
    const { name, statistics } = status.decoder;
    const drafted = status.draft ? `, ${statistics.fromDraftModel} of ${statistics.tokens} tokens from the draft model` : '';
    const lines = [
      `The model is ${status.state}${status.target ? `: ${status.target}` : ''}${status.device === 'cuda' ? ', on the GPU' : ''}.`,
      `The decoder is ${name}${drafted}.`,
      ...status.reasons,
      ...(why ? [`The last suggestion: ${why}.`] : []),
      ...(status.nextEdit.whyNone ? [`The last search for a next edit: ${status.nextEdit.whyNone}.`] : []),
    ];
    const choice = await vscode.window.showInformationMessage(`redraft: ${lines.join(' ')}`, 'Show Output');
    if (choice) {
      this.output.show();
    }
  }

  private onMissing(isForUser: boolean): void {
    const { command } = this.started!;
    this.output.error(missingMessage(command));
    this.status.setProblem(missingMessage(command));
    this.showState();
    if (isForUser) {
      void sayMissing(command);
    }
  }

  private refresh(document: vscode.TextDocument): void {
    this.view.refresh();
    this.preview.refresh(document);
    this.showState();
  }

  // Updates the status bar and the context keys for the active editor.
  private showState(): void {
    const document = vscode.window.activeTextEditor?.document;
    const sessions = this.edits.sessionsOf(document);
    this.status.show(sessions, this.announcer.announcementOf(document));
    void vscode.commands.executeCommand('setContext', 'redraft.hasHunks', sessions.some(({ nHunks }) => nHunks > 0));
    const ended = this.edits.endedOf(document);
    const offersAnother = [...sessions, ...(ended ? [ended] : [])].some((session) => session.offersAnother);
    void vscode.commands.executeCommand('setContext', 'redraft.hasOtherTries', offersAnother);
    void vscode.commands.executeCommand('setContext', 'redraft.hasPlaces', this.places.count(document) > 0);
    void vscode.commands.executeCommand('setContext', 'redraft.running', sessions.some(({ state }) => state === 'running'));
  }
}

let extension: Extension | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  extension = new Extension(context.globalState);
  context.subscriptions.push(extension);
  await extension.start();
}

export async function deactivate(): Promise<void> {
  await extension?.stop();
}
