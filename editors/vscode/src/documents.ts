// Which documents redraft edits: files and untitled ones. The cells of a notebook, the output of commands and the old side
// of a comparison are documents too, and the server does not know them.
import * as vscode from 'vscode';

export const editable = [{ scheme: 'file' }, { scheme: 'untitled' }];

export function isEditable(document: vscode.TextDocument): boolean {
  return editable.some(({ scheme }) => scheme === document.uri.scheme);
}

function whyNot({ uri }: vscode.TextDocument): string {
  return uri.scheme === 'vscode-notebook-cell'
    ? 'redraft does not edit cells of notebooks. Copy the cell into a file to edit it.'
    : `redraft edits files and untitled documents. This document is neither (${uri.scheme}).`;
}

// The document, or undefined after a message: asked before anything else, so that nobody writes an instruction in vain.
export function toEdit(document: vscode.TextDocument | undefined): vscode.TextDocument | undefined {
  if (document && isEditable(document)) {
    return document;
  }
  void vscode.window.showInformationMessage(document ? whyNot(document) : 'redraft: open a file first.');
  return undefined;
}
