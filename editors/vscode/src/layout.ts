// How a hunk is drawn without changing the document: deleted lines, new lines, and the line after which each is shown.
import * as vscode from 'vscode';

export interface TextChange {
  range: vscode.Range;
  newText: string;
}

export interface Layout {
  removed: vscode.Range[]; // one per line, without its indentation
  // New text after the end of `line` or, with `isBefore`, before its start. A "⏎" means: on a line of its own.
  added: { line: number; text: string; isBefore: boolean }[];
  oldLines: number;
  newLines: number;
}

const longest = 160;

function splitLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

// An editor draws only one line of text after a line: further lines are joined, and cut if they get too long.
function joined(lines: string[]): string {
  const text = lines.map((line, i) => (i === 0 ? line : line.trimStart())).join(' ⏎ ');
  return text.length <= longest ? text : text.slice(0, longest) + ` … (${lines.length} lines)`;
}

function insertion(at: vscode.Position, lines: string[]): Layout {
  const isBefore = at.line === 0 && at.character === 0;
  const line = at.character === 0 && !isBefore ? at.line - 1 : at.line;
  const indent = /^\s*/.exec(lines[0])![0];
  const shown = joined(lines.map((text) => withoutIndentation(text, indent)));
  const added = [{ line, text: isBefore ? `${shown} ⏎` : `⏎ ${shown}`, isBefore }];
  return { removed: [], added, oldLines: 0, newLines: lines.length };
}

function indentation(document: vscode.TextDocument, line: number): string {
  return /^\s*/.exec(document.lineAt(line).text)![0];
}

// New text is shown after an old line, so it only needs the indentation beyond that of this line (or, for an insertion,
// beyond that of its own first line).
function withoutIndentation(text: string, indent: string): string {
  return text.startsWith(indent) ? text.slice(indent.length) : text.trimStart();
}

// Shows each new line after the old line that it replaces; the surplus after the last one.
function replacement(document: vscode.TextDocument, firstLine: number, oldLines: number, lines: string[]): Layout {
  const last = firstLine + oldLines - 1;
  const added: Layout['added'] = [];
  for (let i = 0; i < Math.min(oldLines, lines.length); i++) {
    const line = firstLine + i;
    const texts = line === last ? lines.slice(i) : [lines[i]];
    const text = joined(texts.map((each) => withoutIndentation(each, indentation(document, line))));
    added.push({ line, text, isBefore: false });
  }
  return { removed: [], added, oldLines, newLines: lines.length };
}

// The parts of `range` line by line, each from the line's first non-blank character.
function byLines(document: vscode.TextDocument, range: vscode.Range): vscode.Range[] {
  const parts: vscode.Range[] = [];
  for (let line = range.start.line; line <= range.end.line; line++) {
    const whole = document.lineAt(line).range;
    const part = new vscode.Range(line, indentation(document, line).length, line, whole.end.character).intersection(range);
    if (part && !part.isEmpty) {
      parts.push(part);
    }
  }
  return parts;
}

export function layoutOf(document: vscode.TextDocument, hunk: TextChange): Layout {
  const { range } = hunk;
  const lines = splitLines(hunk.newText);
  const isWholeLines =
    range.start.character === 0 &&
    range.end.character === 0 &&
    lines[lines.length - 1] === '';
  const firstText = document.lineAt(range.start.line).text;
  if (range.isEmpty && isWholeLines) {
    return insertion(range.start, lines.slice(0, -1));
  }
  if (range.isEmpty && range.start.character === firstText.length && lines[0] === '' && lines.length > 1) {
    return insertion(range.start, lines.slice(1));
  }
  const removed = byLines(document, range);
  if (isWholeLines) {
    const oldLines = range.end.line - range.start.line;
    return { ...replacement(document, range.start.line, oldLines, lines.slice(0, -1)), removed };
  }
  lines[0] = firstText.slice(0, range.start.character) + lines[0];
  lines[lines.length - 1] += document.lineAt(range.end.line).text.slice(range.end.character);
  return { ...replacement(document, range.start.line, range.end.line - range.start.line + 1, lines), removed };
}
