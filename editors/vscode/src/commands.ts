// The commands that act on edits; package.json names them and their keys.
import * as vscode from 'vscode';
import type { Range } from 'vscode-languageclient/node';
import type { Edits } from './edits';
import type { Preview } from './preview';
import { isEmpty, type PromptArguments } from './protocol';
import { hunkAt, placedOf, type PlacedHunk, type Session } from './session';

async function ask(isSelection: boolean): Promise<string | undefined> {
  const answer = await vscode.window.showInputBox({
    title: isSelection ? 'redraft: edit the selection' : 'redraft: edit the definition at the cursor, or a small file',
    prompt: 'How should it be changed?',
    placeHolder: 'use pathlib instead of os.path',
    ignoreFocusOut: true,
  });
  return answer?.trim() ? answer : undefined;
}

async function prompt(edits: Edits, wish: PromptArguments | undefined): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const document = wish ? await vscode.workspace.openTextDocument(vscode.Uri.parse(wish.textDocument.uri)) : editor?.document;
  if (!document) {
    void vscode.window.showInformationMessage('redraft: open a file first.');
    return;
  }
  const selection: Range | undefined = editor ? plain(editor.selection) : undefined;
  const range = wish ? (wish.range ?? undefined) : selection;
  const version = wish?.textDocument.version ?? document.version;
  const instruction = wish?.instruction ?? (await ask(range !== undefined && !isEmpty(range)));
  if (instruction && range && !isEmpty(range) && document.version !== version) {
    void vscode.window.showWarningMessage('redraft: the file was changed meanwhile: select again.');
  } else if (instruction) {
    await edits.start(document, instruction, range, version);
  }
}

function plain(range: vscode.Range): Range {
  const position = ({ line, character }: vscode.Position) => ({ line, character });
  return { start: position(range.start), end: position(range.end) };
}

function hunkAtCursor(sessions: Session[]): PlacedHunk | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor?.document === sessions[0]?.document ? editor && hunkAt(sessions, editor.selection.active.line) : undefined;
}

// Wraps around the end of the document.
function jump(sessions: Session[], editor: vscode.TextEditor, step: 1 | -1): void {
  const { line } = editor.selection.active;
  const starts = placedOf(sessions).map((hunk) => hunk.range.start);
  const ordered = step > 0 ? starts : starts.reverse();
  const target = ordered.find((start) => (step > 0 ? start.line > line : start.line < line)) ?? ordered[0];
  if (target) {
    editor.selection = new vscode.Selection(target, target);
    editor.revealRange(new vscode.Range(target, target), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

export function registerCommands(edits: Edits, preview: Preview): vscode.Disposable[] {
  const current = () => edits.sessionsOf(vscode.window.activeTextEditor?.document);
  // A code lens names its hunk; a key means the hunk at the cursor.
  const decide = (action: 'accept' | 'reject') => async (uri?: string, hunkId?: number, editId?: number) => {
    const sessions = uri === undefined ? current() : edits.sessionsAt(uri);
    const isNamed = (hunk: PlacedHunk) => hunk.id === hunkId && (editId === undefined || hunk.editId === editId);
    const chosen = hunkId === undefined ? hunkAtCursor(sessions) : placedOf(sessions).find(isNamed);
    const session = chosen && edits.sessionWith(chosen);
    if (session) {
      await edits.resolve(session, [chosen], action);
    } else {
      vscode.window.setStatusBarMessage(`redraft: no change to ${action} at the cursor`, 5000);
    }
  };
  const decideAll = (action: 'accept' | 'reject') => async () => {
    for (const session of current()) {
      await edits.resolve(session, undefined, action);
    }
  };
  const go = (step: 1 | -1) => () => {
    const sessions = current();
    const editor = vscode.window.activeTextEditor;
    if (editor && editor.document === sessions[0]?.document) {
      jump(sessions, editor, step);
    }
  };
  const commands: Record<string, (...args: never[]) => unknown> = {
    prompt: (wish?: PromptArguments) => prompt(edits, wish?.textDocument ? wish : undefined),
    acceptHunk: decide('accept'),
    rejectHunk: decide('reject'),
    acceptAll: decideAll('accept'),
    rejectAll: decideAll('reject'),
    nextHunk: go(1),
    previousHunk: go(-1),
    cancelEdit: async () => {
      await Promise.all(current().map((session) => edits.cancel(session)));
    },
    preview: async (uri?: string) => {
      const [session] = typeof uri === 'string' ? edits.sessionsAt(uri) : current();
      await (session && preview.show(session.document));
    },
  };
  return Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(`redraft.${name}`, run));
}
