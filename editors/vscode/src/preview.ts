// The document as it would be with every waiting hunk accepted: the right side of a diff that follows the edit.
import * as vscode from 'vscode';
import { previewOf, type Session } from './session';

const scheme = 'redraft-preview';
const delay = 150; // ms

function open(uri: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri);
}

// An open document has only one kind of line ending; a text made from it may have several.
function lines(text: string | undefined): string | undefined {
  return text?.replace(/\r\n?/g, '\n');
}

export class Preview implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly timers = new Map<string, NodeJS.Timeout>(); // by document URI
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);

  constructor(private readonly sessionsAt: (uri: string) => Session[]) {}

  dispose(): void {
    this.timers.forEach((timer) => clearTimeout(timer));
    this.registration.dispose();
    this.changed.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    this.checkSoon(uri);
    return this.content(uri);
  }

  private content(uri: vscode.Uri): string | undefined {
    return previewOf(this.sessionsAt(uri.query)) ?? open(uri.query)?.getText();
  }

  refresh(document: vscode.TextDocument): void {
    this.checkSoon(previewUri(document));
  }

  // VS Code misses updates that come while it opens a text or reads an earlier one, so the display is checked until it is
  // right.
  private checkSoon(uri: vscode.Uri): void {
    if (!this.timers.has(uri.query)) {
      this.timers.set(uri.query, setTimeout(() => this.check(uri), delay));
    }
  }

  private check(uri: vscode.Uri): void {
    this.timers.delete(uri.query);
    const shown = open(uri.toString())?.getText();
    if (shown !== undefined && lines(shown) !== lines(this.content(uri))) {
      this.changed.fire(uri);
      this.checkSoon(uri);
    }
  }

  async show(document: vscode.TextDocument): Promise<void> {
    const name = document.uri.path.split('/').pop();
    await vscode.commands.executeCommand('vscode.diff', document.uri, previewUri(document), `${name}: changes of redraft`);
  }
}

function previewUri(document: vscode.TextDocument): vscode.Uri {
  return vscode.Uri.from({ scheme, path: document.uri.path, query: document.uri.toString() });
}

// The URI of the document itself, for the document and for its preview.
export function originalOf(uri: vscode.Uri): string {
  return uri.scheme === scheme ? uri.query : uri.toString();
}
