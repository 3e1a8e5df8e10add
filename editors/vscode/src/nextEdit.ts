// Next edits: the change that follows from the user's last changes is shown in its place. One key goes there; pressed there, it
// makes the change.
import * as vscode from 'vscode';
import { CancellationTokenSource, type Range } from 'vscode-languageclient/node';
import type { LanguageClient } from 'vscode-languageclient/node';
import { isEditable } from './documents';
import { HunkDecorations } from './hunkDecorations';

interface ProposedEdit {
  text: string;
  range: Range;
  textDocument: { uri: string; version: number | null };  // null if the file is not open
  command: { command: string; arguments: unknown[] };
}

interface Answer {
  edits: ProposedEdit[];
  whyNone: string | null;
  note: string | null;  // what was searched because parameters changed, for the user
  byTree: boolean; // the syntax tree wrote it, not the model
}

interface Shown {
  document: vscode.TextDocument;
  range: vscode.Range;
  newText: string;
  edit: ProposedEdit;
  about: string;  // what was found, and who wrote it, for the user; may be empty
}

// Milliseconds without a change before the request.
const delay = 600;

export class NextEdit implements vscode.Disposable {
  private readonly decorations = new HunkDecorations();
  private readonly hint = vscode.window.createStatusBarItem('redraft.nextEdit', vscode.StatusBarAlignment.Right, 99);
  private readonly parts: vscode.Disposable[];
  private client: LanguageClient | undefined;
  private timer: NodeJS.Timeout | undefined;
  private asked: CancellationTokenSource | undefined;
  private shown: Shown | undefined;
  private told: string | undefined;  // the last note that the user saw
  private going: Promise<void> = Promise.resolve();  // a second key press continues what the first one started

  constructor() {
    this.hint.name = 'redraft: Next Edit';
    this.hint.command = 'redraft.nextEdit';
    this.parts = [
      this.decorations,
      this.hint,
      vscode.commands.registerCommand('redraft.nextEdit', () => (this.going = this.going.then(() => this.go(), () => this.go()))),
      vscode.commands.registerCommand('redraft.dismissNextEdit', () => this.dismiss()),
      vscode.workspace.onDidChangeTextDocument((event) => this.onChange(event)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
    ];
  }

  dispose(): void {
    this.stopAsking();
    this.parts.forEach((part) => part.dispose());
  }

  use(client: LanguageClient | undefined): void {
    this.client = client;
    this.stopAsking();
    this.show(undefined);
  }

  // A proposal is valid for the text that it was made for. Changes to other documents (VS Code writes its settings, a tool
  // changes a file in a tab) leave it where it is.
  private onChange({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length === 0 || !isEditable(document)) {
      return;
    }
    const isActive = document === vscode.window.activeTextEditor?.document;
    if (isActive || document === this.shown?.document) {
      this.stopAsking();
      this.show(undefined);
    }
    if (isActive) {
      this.timer = setTimeout(() => void this.ask(false), delay);
    }
  }

  private stopAsking(): void {
    clearTimeout(this.timer);
    this.asked?.cancel();
    this.asked = undefined;
  }

  // `says`: also report that there is nothing. `opens`: open the file that contains the change.
  private async ask(says: boolean, opens = true): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const client = this.client;
    if (!editor || !client) {
      return;
    }
    const { document } = editor;
    this.stopAsking();
    const asked = (this.asked = new CancellationTokenSource());
    const textDocument = { uri: client.code2ProtocolConverter.asUri(document.uri), version: document.version };
    const position = client.code2ProtocolConverter.asPosition(editor.selection.active);
    const answer = await client
      .sendRequest<Answer>('redraft/nextEdit', { textDocument, position, inFiles: true, invoked: says }, asked.token)
      .catch((error: Error): Answer => ({ edits: [], whyNone: error.message, note: null, byTree: false }));
    if (asked.token.isCancellationRequested) {
      return;
    }
    const [edit] = answer.edits;
    if (!edit && says) {
      vscode.window.setStatusBarMessage(`redraft: no next edit: ${answer.whyNone ?? 'nothing was found'}`, 5000);
    } else if (answer.note && answer.note !== this.told) {  // an automatic note is shown once
      vscode.window.setStatusBarMessage(`redraft: ${answer.note}`, 10000);
    }
    this.told = answer.note ?? this.told;
    if (edit?.textDocument.version === null && opens) {  // once the file is open, the server finds the change again
      await vscode.workspace.openTextDocument(client.protocol2CodeConverter.asUri(edit.textDocument.uri));
      await this.ask(says, false);
      return;
    }
    await (edit && this.propose(client, edit, answer));
  }

  private async propose(client: LanguageClient, edit: ProposedEdit, { note, byTree }: Answer): Promise<void> {
    const uri = client.protocol2CodeConverter.asUri(edit.textDocument.uri);
    const document = await vscode.workspace.openTextDocument(uri);
    if (document.version === edit.textDocument.version) {
      const range = document.validateRange(client.protocol2CodeConverter.asRange(edit.range));
      const about = [note, byTree ? 'by the syntax tree, without the model' : null].filter((each) => each !== null).join('; ');
      this.show({ document, range, newText: edit.text, edit, about });
    }
  }

  private show(shown: Shown | undefined): void {
    this.shown = shown;
    if (shown) {
      const name = vscode.workspace.asRelativePath(shown.document.uri);
      this.hint.text = `$(arrow-right) next change: ${name}:${shown.range.start.line + 1}`;
      this.hint.tooltip = ['Go to what follows from your last changes, then make it', shown.about].filter(Boolean).join('\n');
      this.hint.show();
    } else {
      this.hint.hide();
    }
    this.draw();
    void vscode.commands.executeCommand('setContext', 'redraft.hasNextEdit', shown !== undefined);
  }

  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      this.decorations.draw(editor, this.shown && this.shown.document === editor.document ? [this.shown] : []);
    }
  }

  // Goes to the change or, if the cursor is there, makes it; requests one if none is shown.
  private async go(): Promise<void> {
    const { shown } = this;
    if (!shown) {
      await this.ask(true);
      return;
    }
    const active = vscode.window.activeTextEditor;
    const { start } = shown.range;
    const isThere = active?.document === shown.document && active.selection.active.line === start.line;
    if (!isThere) {
      const editor = await vscode.window.showTextDocument(shown.document);
      editor.selection = new vscode.Selection(start, start);
      editor.revealRange(shown.range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      return;
    }
    this.show(undefined);
    this.tell(shown, shown.edit.command.command);
    await active.edit((builder) => builder.replace(shown.range, shown.newText));
  }

  private dismiss(): void {
    if (this.shown) {
      this.tell(this.shown, 'redraft.nextEditRejected');
      this.show(undefined);
    }
  }

  private tell(shown: Shown, command: string): void {
    void this.client?.sendRequest('workspace/executeCommand', { command, arguments: shown.edit.command.arguments });
  }
}
