// Decides what of a hunk is drawn, and where, without changing the document: the removed lines, the new lines, the changed
// words, and which hunks have room for their new lines.
import * as vscode from 'vscode';
import { wordsOf, type Spans } from './words';

export interface TextChange {
  range: vscode.Range;
  newText: string;
}

export interface Layout {
  first: number; // the line above which its decisions stand
  last: number;  // the line below which the new lines stand: the last removed one, or the one after which they are inserted
  isAbove: boolean;  // they belong above that line, the first of the document, so they stand on it
  oldLines: number;
  removed: vscode.Range[];  // changed or removed text; no range extends over the end of a line
  newLines: string[];
  added: Spans;  // in the new lines as one text; empty if all of it is new
}

function splitLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

function insertion(at: vscode.Position, newLines: string[]): Layout {
  const isAbove = at.line === 0 && at.character === 0;
  const line = at.character === 0 && !isAbove ? at.line - 1 : at.line;
  return { first: line, last: line, isAbove, oldLines: 0, removed: [], newLines, added: [] };
}

// The parts of `range` line by line, each from the line's first non-blank character.
function byLines(document: vscode.TextDocument, range: vscode.Range): vscode.Range[] {
  const parts: vscode.Range[] = [];
  for (let { line } = range.start; line <= range.end.line; line++) {
    const { range: whole, firstNonWhitespaceCharacterIndex } = document.lineAt(line);
    const part = new vscode.Range(line, firstNonWhitespaceCharacterIndex, line, whole.end.character).intersection(range);
    if (part && !part.isEmpty) {
      parts.push(part);
    }
  }
  return parts;
}

function replacement(document: vscode.TextDocument, range: vscode.Range, oldLines: number, newLines: string[]): Layout {
  const first = range.start.line;
  const last = first + oldLines - 1;
  const old = Array.from({ length: oldLines }, (_, i) => document.lineAt(first + i).text);
  const words = newLines.length > 0 ? wordsOf(old.join('\n'), newLines.join('\n')) : undefined;
  const positionAt = (offset: number) => {
    const lines = old.join('\n').slice(0, offset).split('\n');
    return new vscode.Position(first + lines.length - 1, lines[lines.length - 1].length);
  };
  const going = words ? words.removed.map(([from, to]) => new vscode.Range(positionAt(from), positionAt(to))) : [range];
  const removed = going.flatMap((part) => byLines(document, part));
  return { first, last, isAbove: false, oldLines, removed, newLines, added: words?.added ?? [] };
}

function layoutOf(document: vscode.TextDocument, { range, newText }: TextChange): Layout {
  const lines = splitLines(newText);
  const isWholeLines = range.start.character === 0 && range.end.character === 0 && lines[lines.length - 1] === '';
  const firstText = document.lineAt(range.start.line).text;
  if (range.isEmpty && isWholeLines) {
    return insertion(range.start, lines.slice(0, -1));
  }
  if (range.isEmpty && range.start.character === firstText.length && lines[0] === '' && lines.length > 1) {
    return insertion(range.start, lines.slice(1));
  }
  if (isWholeLines) {
    return replacement(document, range, range.end.line - range.start.line, lines.slice(0, -1));
  }
  lines[0] = firstText.slice(0, range.start.character) + lines[0];
  lines[lines.length - 1] += document.lineAt(range.end.line).text.slice(range.end.character);
  return replacement(document, range, range.end.line - range.start.line + 1, lines);
}

// The same line by line, if each new line resembles its old one; otherwise undefined.
function pairsOf(document: vscode.TextDocument, { first, oldLines, newLines }: Layout): Layout[] | undefined {
  if (oldLines !== newLines.length || oldLines < 2) {
    return undefined;
  }
  const pairs = newLines.map((line, i) => replacement(document, document.lineAt(first + i).range, 1, [line]));
  const isAlike = ({ added, removed }: Layout, i: number) => added.length + removed.length > 0
    && wordsOf(document.lineAt(first + i).text, newLines[i]) !== undefined;
  return pairs.every(isAlike) ? pairs : undefined;
}

interface Layouts {
  whole: Layout;
  parts: Layout[];  // one per line if possible; then there is room for all
}

const known = new WeakMap<TextChange, Layouts & { version: number; range: vscode.Range }>();

// Cached, because hunks are drawn again whenever the cursor moves.
export function layoutsOf(document: vscode.TextDocument, hunk: TextChange): Layouts {
  const { version } = document;
  let layouts = known.get(hunk);
  if (layouts?.version !== version || !layouts.range.isEqual(hunk.range)) {
    const whole = layoutOf(document, hunk);
    layouts = { version, range: hunk.range, whole, parts: pairsOf(document, whole) ?? [whole] };
    known.set(hunk, layouts);
  }
  return layouts;
}

// The lines [from, to) that `rows` rows of new lines hide on the screen.
function hiddenBy(layout: Layout, rows: number): [number, number] {
  const from = layout.isAbove ? 0 : layout.last + 1;
  return [from, from + rows];
}

// The hunks whose new lines are drawn; `rowsOf` says how many lines of the document each one hides. The hunk at the cursor is
// always drawn; the others must hide neither the cursor's line nor another hunk.
export function chosenOf(layouts: Layout[], rowsOf: (layout: Layout) => number, cursor: number | undefined): Layout[] {
  const isAtCursor = ({ first, last }: Layout) => cursor !== undefined && first <= cursor && cursor <= last;
  const hidden = new Map(layouts.map((layout) => [layout, hiddenBy(layout, rowsOf(layout))]));
  const hides = (a: Layout, first: number, last: number) => hidden.get(a)![0] <= last && first < hidden.get(a)![1];
  const chosen: Layout[] = layouts.filter(isAtCursor).slice(0, 1);
  for (const layout of layouts) {
    const others = layouts.filter((other) => other !== layout);
    const isFree = !(cursor !== undefined && hides(layout, cursor, cursor))
      && !others.some(({ first, last }) => hides(layout, first, last))
      && !chosen.some((other) => hides(other, layout.first, layout.last));
    if (isFree && !chosen.includes(layout)) {
      chosen.push(layout);
    }
  }
  return chosen;
}
