// Rejects or snoozes automatic suggestions. The server keeps the state.
import * as vscode from 'vscode';
import type { LanguageClient, Middleware } from 'vscode-languageclient/node';
import type { ServerStatus, Snooze } from './protocol';

interface Choice extends vscode.QuickPickItem {
  wish: object;
}

function choices(document: vscode.TextDocument | undefined, client: LanguageClient): Choice[] {
  const here: Choice[] = document ? [
    { label: 'In This File', wish: { uri: client.code2ProtocolConverter.asUri(document.uri) } },
    { label: `For This Language (${document.languageId})`, wish: { language: document.languageId } },
  ] : [];
  return [
    { label: 'For 10 Minutes', wish: { minutes: 10 } },
    ...here,
    { label: 'Until the Server Restarts', wish: { until: 'restart' } },
  ];
}

export class Snoozing implements vscode.Disposable {
  private readonly parts: vscode.Disposable[];
  private client: LanguageClient | undefined;
  private timer: NodeJS.Timeout | undefined;
  private offered: unknown[] | undefined;  // the server's ids of the last suggestion shown

  // `show` displays the snooze state in the status bar.
  constructor(private readonly show: (snooze: Snooze | null) => void) {
    this.parts = [
      vscode.commands.registerCommand('redraft.snooze', () => this.snooze()),
      vscode.commands.registerCommand('redraft.resume', () => this.run('redraft.resumeSuggestions')),
      vscode.commands.registerCommand('redraft.dismissSuggestion', () => this.dismiss()),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.parts.forEach((part) => part.dispose());
  }

  use(client: LanguageClient | undefined): void {
    this.client = client;
    this.offer(undefined);
    this.take(null);
  }

  // Records suggestions on their way to the editor.
  readonly middleware: Pick<Middleware, 'provideInlineCompletionItems'> = {
    provideInlineCompletionItems: async (document, position, context, token, next) => {
      const result = await next(document, position, context, token);
      const items = Array.isArray(result) ? result : result?.items ?? [];
      if (!token.isCancellationRequested) {
        this.offer(items[0]?.command?.arguments);
      }
      return result;
    },
  };

  private offer(offered: unknown[] | undefined): void {
    this.offered = offered;
    void vscode.commands.executeCommand('setContext', 'redraft.hasSuggestion', offered !== undefined);
  }

  private async dismiss(): Promise<void> {
    await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    if (this.offered) {
      const command = 'redraft.completionRejected';
      void this.client?.sendRequest('workspace/executeCommand', { command, arguments: this.offered });
      this.offer(undefined);
    }
  }

  private async snooze(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const title = 'redraft: snooze automatic suggestions';
    const choice = this.client && (await vscode.window.showQuickPick(choices(document, this.client), { title }));
    if (choice) {
      await this.run('redraft.snoozeSuggestions', choice.wish);
      await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    }
  }

  private async run(command: string, ...wish: object[]): Promise<void> {
    const params = { command, arguments: wish };
    this.take(await this.client?.sendRequest<Snooze | null>('workspace/executeCommand', params) ?? null);
  }

  private take(snooze: Snooze | null): void {
    clearTimeout(this.timer);
    this.show(snooze);
    void vscode.commands.executeCommand('setContext', 'redraft.isSnoozed', snooze !== null);
    if (snooze?.secondsLeft) {
      this.timer = setTimeout(() => void this.look(), (snooze.secondsLeft + 1) * 1000);
    }
  }

  private async look(): Promise<void> {
    const status = await this.client?.sendRequest<ServerStatus>('redraft/status');
    this.take(status?.snooze ?? null);
  }
}
