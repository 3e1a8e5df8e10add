// Tells the server where the user jumped, so that it reads the prompt of a completion there before the first key press.
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { isEditable } from './documents';

// Milliseconds that the cursor must rest.
const delay = 400;
// Places nearer than this have mostly the same prompt, which the server has read.
const farLines = 20;

export class Jumps implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private timer: NodeJS.Timeout | undefined;
  private last: { document: vscode.TextDocument; line: number } | undefined; // known to the server
  private readonly parts: vscode.Disposable[];

  constructor() {
    this.parts = [
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.onMove(textEditor)),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.onMove(editor)),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && document === vscode.window.activeTextEditor?.document) {
          clearTimeout(this.timer);  // completions are requested here now
          this.last = { document, line: contentChanges[0].range.start.line };
        }
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.parts.forEach((part) => part.dispose());
  }

  // Uses a running client, if its server supports this.
  use(client: LanguageClient | undefined): void {
    clearTimeout(this.timer);
    const offered = client?.initializeResult?.capabilities.experimental as { redraft?: { expectCompletion?: boolean } } | undefined;
    this.client = offered?.redraft?.expectCompletion ? client : undefined;
    this.last = undefined;
  }

  private onMove(editor: vscode.TextEditor | undefined): void {
    clearTimeout(this.timer);
    if (this.client && editor && editor === vscode.window.activeTextEditor) {
      this.timer = setTimeout(() => this.tell(editor), delay);
    }
  }

  private tell(editor: vscode.TextEditor): void {
    const { document, selection } = editor;
    const { line } = selection.active;
    const isNear = document === this.last?.document && Math.abs(line - this.last.line) < farLines;
    if (!this.client || isNear || !isEditable(document) || !selection.isEmpty || editor !== vscode.window.activeTextEditor) {
      return;
    }
    this.last = { document, line };
    void this.client.sendNotification('redraft/expectCompletion', {
      textDocument: { uri: this.client.code2ProtocolConverter.asUri(document.uri) },
      position: { line, character: selection.active.character },
    });
  }
}
