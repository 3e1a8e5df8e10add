// The commands that act on edits; package.json names them and their keys.
import * as vscode from 'vscode';
import type { Announcer, Place } from './announce';
import { toEdit } from './documents';
import type { Edits } from './edits';
import type { Places } from './places';
import type { Preview } from './preview';
import { cursorOf, isEmpty, type PromptArguments, type Range, type Region } from './protocol';
import { hunkAt, placedOf, type PlacedHunk, type Session } from './session';

const prompt = 'How should it be changed?';
const placeHolder = 'use pathlib instead of os.path';

function isSelection(range: Range | undefined): boolean {
  return range !== undefined && !isEmpty(range);
}

function titleOf({ range }: Place, title: string | undefined): string {
  return `redraft: ${title ?? `edit ${isSelection(range) ? 'the selection' : 'the code at the cursor'}`}`;
}

const wider = { iconPath: new vscode.ThemeIcon('chevron-up'), tooltip: 'Edit More: Widen the Region (Alt+Up)' };
const narrower = { iconPath: new vscode.ThemeIcon('chevron-down'), tooltip: 'Edit Less: Narrow the Region (Alt+Down)' };

interface Answer {
  instruction: string;
  region: Region | undefined;  // the region that was shown
}

// Meanwhile the place is announced, and the title says what will change once that is known.
async function ask(announcer: Announcer, place: Place, earlier: string): Promise<Answer | undefined> {
  const box = vscode.window.createInputBox();
  box.value = earlier;
  const announcement = announcer.begin(place);
  const stands = () => announcer.announcementOf(place.document) === announcement;
  const showLines = () => {
    box.title = titleOf(place, stands() ? announcement.title : undefined);
    box.buttons = stands() && announcement.chain.length > 1 ? [wider, narrower] : [];
  };
  const prompting = (is: boolean) => vscode.commands.executeCommand('setContext', 'redraft.prompting', is);
  box.onDidTriggerButton((button) => announcer.widen(button === wider ? 1 : -1));
  box.prompt = prompt;
  box.placeholder = placeHolder;
  box.ignoreFocusOut = true;
  showLines();
  const following = announcer.onDidChange(showLines);
  const answer = await new Promise<string | undefined>((resolve) => {
    box.onDidAccept(() => resolve(box.value.trim() ? box.value : undefined));
    box.onDidHide(() => resolve(undefined));
    box.show();
    void prompting(true);
  });
  void prompting(false);
  following.dispose();
  box.dispose();
  const region = stands() ? announcement.chosen : undefined;
  announcer.end(announcement, answer !== undefined && !isStale(place));
  return answer === undefined ? undefined : { instruction: answer, region };
}

// A range belongs to the text as it was; a cursor stays valid after a change.
function isStale({ document, range, version }: Place): boolean {
  return isSelection(range) && document.version !== version;
}

// `earlier` is an instruction to start from.
async function editPlace(
  edits: Edits, announcer: Announcer, wish: PromptArguments | undefined, earlier = '',
): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const document = toEdit(wish ? await vscode.workspace.openTextDocument(vscode.Uri.parse(wish.textDocument.uri)) : editor?.document);
  if (!document) {
    return;
  }
  const selection: Range | undefined = editor ? plain(editor.selection) : undefined;
  const range = wish ? (wish.range ?? undefined) : selection;
  const version = wish?.textDocument.version ?? document.version;
  const place = { document, range, version };
  const given: Answer | undefined = wish?.instruction ? { instruction: wish.instruction, region: undefined } : undefined;
  const answer = given ?? (await ask(announcer, place, earlier));
  if (answer && isStale(place)) {
    void vscode.window.showWarningMessage('redraft: the file changed meanwhile. Select the lines again.');
  } else if (answer) {
    const { instruction, region } = answer;
    await edits.start(document, instruction, {
      range: region?.range ?? range, version, scope: region?.scope, cursor: region && cursorOf(range),
    });
  }
}

// The lines that will change depend on the instruction, so nothing is announced.
async function editFile(edits: Edits): Promise<void> {
  const document = toEdit(vscode.window.activeTextEditor?.document);
  if (!document) {
    return;
  }
  const instruction = await vscode.window.showInputBox({
    title: 'redraft: edit the places in this file that the instruction is about', prompt, placeHolder, ignoreFocusOut: true,
  });
  if (instruction?.trim()) {
    await edits.start(document, instruction, 'file');
  }
}

// Applies code that another assistant wrote. It goes to the cursor if nothing else says where it belongs.
async function applyClipboard(edits: Edits): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const document = toEdit(editor?.document);
  if (!editor || !document) {
    return;
  }
  const change = await vscode.env.clipboard.readText();
  if (!change.trim()) {
    void vscode.window.showInformationMessage('redraft: the clipboard is empty. Copy some code first.');
  } else {
    const { selection } = editor;
    await edits.start(document, 'apply the clipboard', { range: plain(selection), version: document.version }, { change });
  }
}

async function editMorePlaces(edits: Edits, places: Places, uri: string | undefined): Promise<void> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri);
  const document = uri === undefined ? vscode.window.activeTextEditor?.document : open;
  const choice = document && (await places.choose(document));
  if (document && choice) {
    await edits.start(document, choice.instruction, { ranges: choice.ranges, version: document.version });
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

// The change to act on, independent of the cursor: the only one, if the window shows it.
function onlyHunkInSight(sessions: Session[]): PlacedHunk | undefined {
  const editor = vscode.window.activeTextEditor;
  const [hunk, ...others] = placedOf(sessions);
  const isInSight = hunk && others.length === 0 && editor?.document === sessions[0].document
    && editor.visibleRanges.some((range) => range.intersection(hunk.range) !== undefined);
  return isInSight ? hunk : undefined;
}

// Accepts the changes without a doubt. The others stay, and a message says why; its button accepts them.
async function acceptAll(edits: Edits, sessions: Session[]): Promise<void> {
  for (const session of sessions) {
    if (!session.reasons) {
      await edits.resolve(session, undefined, 'accept');
    } else if (session.certain.length > 0) {
      await edits.resolve(session, session.certain, 'accept');
    }
  }
  const left = sessions.filter(({ reasons }) => reasons);
  const n = left.reduce((sum, { nHunks }) => sum + nHunks, 0);
  if (n === 0) {
    return;
  }
  const why = left.map(({ reasons }) => reasons).join('; ');
  const [what, choice] = n === 1 ? ['1 change', 'Accept It Too'] : [`${n} changes`, 'Accept Them Too'];
  if ((await vscode.window.showWarningMessage(`redraft: ${what} not accepted: ${why}.`, choice)) === choice) {
    for (const session of left) {
      await edits.resolve(session, undefined, 'accept');
    }
  }
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

export function registerCommands(
  edits: Edits, places: Places, preview: Preview, announcer: Announcer,
): vscode.Disposable[] {
  const current = () => edits.sessionsOf(vscode.window.activeTextEditor?.document);
  // A code lens names its hunk; a key acts on the hunk at the cursor, or on the only one.
  const decide = (action: 'accept' | 'reject') => async (uri?: string, hunkId?: number, editId?: number) => {
    const sessions = uri === undefined ? current() : edits.sessionsAt(uri);
    const isNamed = (hunk: PlacedHunk) => hunk.id === hunkId && (editId === undefined || hunk.editId === editId);
    const chosen = hunkId === undefined ? hunkAtCursor(sessions) ?? onlyHunkInSight(sessions) : placedOf(sessions).find(isNamed);
    const session = chosen && edits.sessionWith(chosen);
    if (session) {
      await edits.resolve(session, [chosen.id], action);
    } else {
      vscode.window.setStatusBarMessage(`redraft: no change to ${action} at the cursor`, 5000);
    }
  };
  const rejectAll = async () => {
    for (const session of current()) {
      await edits.resolve(session, undefined, 'reject');
    }
  };
  // A code lens names its edit; a key acts on the edit of the hunk at the cursor, otherwise on the last edit.
  const tryAnother = async (uri?: string, _hunkId?: number, editId?: number) => {
    const sessions = typeof uri === 'string' ? edits.sessionsAt(uri) : current();
    const hunk = hunkAtCursor(sessions);
    const meant = editId === undefined ? hunk && edits.sessionWith(hunk) : sessions.find((session) => session.editId === editId);
    const session = meant ?? edits.endedOf(vscode.window.activeTextEditor?.document) ?? sessions[sessions.length - 1];
    if (session) {
      await edits.tryAnother(session);
    } else {
      void vscode.window.showInformationMessage('redraft: no edit of this file has finished yet.');
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
    prompt: (wish?: PromptArguments, earlier?: unknown) =>
      editPlace(edits, announcer, wish?.textDocument ? wish : undefined, typeof earlier === 'string' ? earlier : undefined),
    widenRegion: () => announcer.widen(1),
    narrowRegion: () => announcer.widen(-1),
    editFile: () => editFile(edits),
    applyClipboard: () => applyClipboard(edits),
    morePlaces: (uri?: unknown) => editMorePlaces(edits, places, typeof uri === 'string' ? uri : undefined),
    acceptHunk: decide('accept'),
    rejectHunk: decide('reject'),
    acceptAll: () => acceptAll(edits, current()),
    rejectAll,
    anotherTry: tryAnother,
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
