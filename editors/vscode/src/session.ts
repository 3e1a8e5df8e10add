// One edit of one document: its hunks, until each is accepted, rejected or dropped.
import * as vscode from 'vscode';
import { Change, carry } from './place';
import type { Statistics } from './protocol';

export interface Hunk {
  id: number;
  range: vscode.Range | undefined; // against the document as it is; undefined until the server says where it went
  oldText: string;
  newText: string;
}

export type PlacedHunk = Hunk & { range: vscode.Range };

export class Session {
  editId: number | undefined; // until the server has answered
  state: 'running' | 'done' | 'cancelled' | 'failed' = 'running';
  fraction = 0;
  statistics: Statistics | undefined;
  isDecided = false; // at least one hunk was accepted or rejected
  readonly log: Change[] = [];
  private readonly hunks = new Map<number, Hunk>();

  constructor(readonly document: vscode.TextDocument) {}

  get isOver(): boolean {
    return this.state !== 'running' && this.hunks.size === 0;
  }

  get nHunks(): number {
    return this.hunks.size;
  }

  // The hunks whose place is known, in file order.
  get placed(): PlacedHunk[] {
    const placed = [...this.hunks.values()].filter((hunk): hunk is PlacedHunk => hunk.range !== undefined);
    return placed.sort((a, b) => a.id - b.id);
  }

  add(id: number, range: vscode.Range, version: number, oldText: string, newText: string): void {
    this.hunks.set(id, { id, range: carry(range, version, this.log), oldText, newText });
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

  // The hunk that `line` belongs to. An insertion belongs to the lines on both of its sides.
  hunkAt(line: number): PlacedHunk | undefined {
    const inside = this.placed.find(({ range }) => {
      const endsBefore = range.end.character === 0 && range.end.line > range.start.line;
      return line >= range.start.line && line <= range.end.line - (endsBefore ? 1 : 0);
    });
    return inside ?? this.placed.find(({ range }) => range.isEmpty && line === range.start.line - 1);
  }

  // The document's text with every waiting hunk applied.
  preview(): string {
    let text = this.document.getText();
    for (const hunk of this.placed.reverse()) {
      const [begin, end] = [this.document.offsetAt(hunk.range.start), this.document.offsetAt(hunk.range.end)];
      text = text.slice(0, begin) + hunk.newText + text.slice(end);
    }
    return text;
  }
}
