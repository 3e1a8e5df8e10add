// How a hunk is drawn without touching the document: which lines go, which come, and behind which line each is shown.
import * as vscode from 'vscode';
import type { PlacedHunk } from './session';

export interface Layout {
  removed: vscode.Range | undefined;
  isWholeLines: boolean;
  // New text behind the end of `line`; where `isBefore`, ahead of its start.
  added: { line: number; text: string; isBefore: boolean }[];
  nOldLines: number;
  nNewLines: number;
}

const longest = 160;

function splitLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

// Editors draw one line of text behind a line and no more: further lines are joined, and cut where they get too long.
function joined(lines: string[]): string {
  const text = lines.map((line, i) => (i === 0 ? line : line.trim())).join(' ⏎ ');
  return text.length <= longest ? text : text.slice(0, longest) + ` … (${lines.length} lines)`;
}

function insertion(at: vscode.Position, lines: string[]): Layout {
  const isBefore = at.line === 0 && at.character === 0;
  const line = at.character === 0 && !isBefore ? at.line - 1 : at.line;
  const added = [{ line, text: joined(lines), isBefore }];
  return { removed: undefined, isWholeLines: true, added, nOldLines: 0, nNewLines: lines.length };
}

function pairUp(firstLine: number, nOld: number, lines: string[]): Layout['added'] {
  const added = lines
    .slice(0, nOld - 1)
    .map((text, i) => ({ line: firstLine + i, text, isBefore: false }));
  const rest = lines.slice(nOld - 1);
  return rest.length > 0 ? [...added, { line: firstLine + nOld - 1, text: joined(rest), isBefore: false }] : added;
}

export function layoutOf(document: vscode.TextDocument, hunk: PlacedHunk): Layout {
  const { range } = hunk;
  const lines = splitLines(hunk.newText);
  const endsLine = lines[lines.length - 1] === '' || hunk.newText === '';
  const wholeLines = range.start.character === 0 && range.end.character === 0;
  if (range.isEmpty && wholeLines && endsLine) {
    return insertion(range.start, lines.slice(0, -1));
  }
  const firstText = document.lineAt(range.start.line).text;
  if (range.isEmpty && range.start.character === firstText.length && lines[0] === '' && lines.length > 1) {
    return insertion(range.start, lines.slice(1));
  }
  if (wholeLines && endsLine) {
    const nOldLines = range.end.line - range.start.line;
    const last = document.lineAt(range.end.line - 1).range.end;
    const removed = new vscode.Range(range.start, last);
    const added = pairUp(range.start.line, nOldLines, lines.slice(0, -1));
    return { removed, isWholeLines: true, added, nOldLines, nNewLines: lines.length - 1 };
  }
  lines[0] = firstText.slice(0, range.start.character) + lines[0];
  lines[lines.length - 1] += document.lineAt(range.end.line).text.slice(range.end.character);
  const nOldLines = range.end.line - range.start.line + 1;
  const added = pairUp(range.start.line, nOldLines, lines);
  return { removed: range, isWholeLines: false, added, nOldLines, nNewLines: lines.length };
}
