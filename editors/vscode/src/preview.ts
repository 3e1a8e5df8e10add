// The document as it would be with every waiting hunk accepted, as the right side of a diff that follows the edit.
import * as vscode from 'vscode';
import type { Session } from './session';

const scheme = 'redraft-preview';

export class Preview implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);

  constructor(private readonly sessionOf: (uri: string) => Session | undefined) {}

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    const original = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.query);
    return this.sessionOf(uri.query)?.preview() ?? original?.getText();
  }

  refresh(document: vscode.TextDocument): void {
    this.changed.fire(previewUri(document));
  }

  async show(document: vscode.TextDocument): Promise<void> {
    const name = document.uri.path.split('/').pop();
    await vscode.commands.executeCommand('vscode.diff', document.uri, previewUri(document), `${name}: changes of redraft`);
  }
}

function previewUri(document: vscode.TextDocument): vscode.Uri {
  return vscode.Uri.from({ scheme, path: document.uri.path, query: document.uri.toString() });
}

// The URI of the document itself, for it and for its preview.
export function originalOf(uri: vscode.Uri): string {
  return uri.scheme === scheme ? uri.query : uri.toString();
}
