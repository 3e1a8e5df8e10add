// One edit of a document, which may have several: its hunks, until each is accepted, rejected or dropped.
import * as vscode from 'vscode';
import { Change, carry } from './place';
import type { Target } from './edits';
import type { Tried } from './nothing';
import type { Doubt, Statistics } from './protocol';

export interface Hunk {
  editId: number;
  id: number; // within its edit
  range: vscode.Range | undefined; // in the present document; undefined until the server reports its new place
  oldText: string;
  newText: string;
  doubt: string | undefined;  // what is wrong with it, for the user
}

export type PlacedHunk = Hunk & { range: vscode.Range };

export class Session {
  editId: number | undefined; // undefined until the server has answered
  state: 'running' | 'done' | 'cancelled' | 'failed' = 'running';
  lines = '';  // the lines that may change, if the server chose them: "lines 12–40"
  places = '';  // the edited places in the file: "3 of 41 places: read, write, close"
  fraction = 0;
  isThinking: boolean | undefined; // the model has not begun with the code
  statistics: Statistics | undefined;
  isDecided = false; // at least one hunk was accepted or rejected
  hasAccepted = false; // at least one was accepted
  nextTry: number | undefined;  // the number of the next possible retry
  readonly log: Change[] = [];
  private readonly hunks = new Map<number, Hunk>();
  private readonly text: string;  // of the document when it was requested
  private compared: { version: number; isSame: boolean };

  constructor(
    readonly document: vscode.TextDocument,
    readonly instruction: string,
    readonly target: Target,
    readonly tried: Tried | undefined,  // for an instruction about one place
    readonly another: number,  // index of the retry; 0 is the first answer
    readonly isChange: boolean,  // applies code that another assistant wrote
  ) {
    this.text = document.getText();
    this.compared = { version: document.version, isSame: true };
  }

  // The user chose the places.
  get isChosen(): boolean {
    return this.target !== 'file' && 'ranges' in this.target;
  }

  // Whether the document is as it was when the edit was requested.
  get hasItsText(): boolean {
    const { version } = this.document;
    if (this.compared.version !== version) {
      this.compared = { version, isSame: this.document.getText() === this.text };
    }
    return this.compared.isSame;
  }

  // Whether another try can be requested now.
  get offersAnother(): boolean {
    return this.nextTry !== undefined && this.hasItsText;
  }

  // The server has finished it. A cancelled retry can be requested again.
  settleTries(otherTries: boolean): void {
    const isNext = this.state === 'done' && otherTries && !this.isChange; // redraft.apply takes none
    const isAgain = this.state === 'cancelled' && this.another > 0;
    this.nextTry = isNext ? this.another + 1 : isAgain ? this.another : undefined;
  }

  get isOver(): boolean {
    return this.state !== 'running' && this.hunks.size === 0;
  }

  get nHunks(): number {
    return this.hunks.size;
  }

  // The hunks with a known place, in file order.
  get placed(): PlacedHunk[] {
    const placed = [...this.hunks.values()].filter((hunk): hunk is PlacedHunk => hunk.range !== undefined);
    return placed.sort((a, b) => a.id - b.id);
  }

  // `hunk` refers to `version` of the document.
  add(hunk: Omit<PlacedHunk, 'editId'>, version: number): void {
    this.hunks.set(hunk.id, { ...hunk, editId: this.editId!, range: carry(hunk.range, version, this.log) });
  }

  // The doubts once the edit has finished.
  settleDoubts(doubts: Doubt[]): void {
    for (const hunk of this.hunks.values()) {
      const reasons = doubts.filter(({ hunkIds }) => hunkIds.includes(hunk.id)).map(({ reason }) => reason);
      hunk.doubt = reasons.join('; ') || undefined;
    }
  }

  // The ids of the hunks without a doubt.
  get certain(): number[] {
    return [...this.hunks.values()].filter(({ doubt }) => doubt === undefined).map(({ id }) => id);
  }

  // What is wrong with the waiting hunks, each reason once; empty if nothing is.
  get reasons(): string {
    const doubts = this.placed.flatMap(({ doubt }) => (doubt === undefined ? [] : [doubt]));
    return [...new Set(doubts)].join('; ');
  }

  move(id: number, range: vscode.Range, version: number): void {
    const hunk = this.hunks.get(id);
    if (hunk) {
      hunk.range = carry(range, version, this.log);
    }
  }

  remove(id: number): void {
    this.hunks.delete(id);
  }

  onChange(event: vscode.TextDocumentChangeEvent): void {
    const change = { version: event.document.version, changes: event.contentChanges };
    this.log.push(change);
    for (const hunk of this.hunks.values()) {
      hunk.range = hunk.range && carry(hunk.range, change.version - 1, [change]);
    }
  }
}

// The hunks with a known place of all edits of a document, from top to bottom. No two overlap.
export function placedOf(sessions: readonly Session[]): PlacedHunk[] {
  const order = (a: vscode.Range, b: vscode.Range) => a.start.compareTo(b.start) || a.end.compareTo(b.end);
  return sessions.flatMap((session) => session.placed).sort((a, b) => order(a.range, b.range) || a.id - b.id);
}

// The hunk to which `line` belongs. An insertion belongs to the lines on both sides of it.
export function hunkAt(sessions: readonly Session[], line: number): PlacedHunk | undefined {
  const placed = placedOf(sessions);
  const inside = placed.find(({ range }) => {
    const endsBefore = range.end.character === 0 && range.end.line > range.start.line;
    return line >= range.start.line && line <= range.end.line - (endsBefore ? 1 : 0);
  });
  return inside ?? placed.find(({ range }) => range.isEmpty && line === range.start.line - 1);
}

// The document's text with every waiting hunk applied; undefined without edits.
export function previewOf(sessions: readonly Session[]): string | undefined {
  const document = sessions[0]?.document;
  let text = document?.getText();
  for (const hunk of placedOf(sessions).reverse()) {
    const [begin, end] = [document.offsetAt(hunk.range.start), document.offsetAt(hunk.range.end)];
    text = text.slice(0, begin) + hunk.newText + text.slice(end);
  }
  return text;
}

// The edit that represents all of them in a single line: the running one, or the last.
export function leading(sessions: readonly Session[]): Session | undefined {
  return sessions.find((session) => session.state === 'running') ?? sessions[sessions.length - 1];
}
