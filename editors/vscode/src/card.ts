// How new lines are drawn below old ones. VS Code offers extensions no virtual lines. But CSS can place the text that a
// decoration attaches to a line, here directly below that line and over the text there. An empty code lens on the next line
// makes room for the first of them (see hunkDecorations.ts).
//
// One attachment has one colour, so there are two on top of each other: the text, and below it the background, in which blocks
// mark the words that differ. Both break their lines at the same characters, wherever the window ends.
import * as vscode from 'vscode';
import type { Layout } from './layout';
import type { Spans } from './words';

const maxRows = 40;
const maxColumns = 100;
// A row is as high as a code lens is, in heights of a line.
export const rowHeight = 0.84;

export const color = (name: string) => new vscode.ThemeColor(`redraft.${name}`);

// A CSS string. Other than plain characters are escaped, because the text may contain anything.
function cssString(text: string): string {
  const escaped = [...text].map((character) => (/[\p{L}\p{N} _]/u.test(character) ? character
    : `\\${character.codePointAt(0)!.toString(16)} `));
  return `"${escaped.join('')}"`;
}

// `text` with a block for each visible character that is new, and a blank for each other one.
function marksOf(text: string, added: Spans): string {
  const differs = new Set(added.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => from + i)));
  return [...text].length !== text.length ? '' // beyond the basic plane: offsets and columns differ
    : [...text].map((c, i) => (c === '\n' || c === '\t' ? c : differs.has(i) ? '\u2588' : ' ')).join('');
}

// Replaces characters that are invisible, or that change the order of others, with visible ones.
function visible(text: string): string {
  return text.replace(/[\0-\x08\x0b-\x1f\x7f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

function spaced(line: string, tabSize: number): string {
  return line.replace(/\t/g, (_, at: number) => ' '.repeat(tabSize - (at % tabSize)));
}

// Where `line` is broken so that no part is longer than `maxColumns`: at a blank if there is one in the second half. `indent`
// is the indentation of the later parts.
function breaksOf(line: string, indent: number): number[] {
  const breaks: number[] = [];
  for (let from = 0, room = maxColumns; line.length - from > room; room = maxColumns - indent) {
    const blank = line.lastIndexOf(' ', from + room);
    from = blank > from + room / 2 ? blank + 1 : from + room;
    breaks.push(from);
  }
  return breaks;
}

// The new lines and their marks as rows on the screen.
export interface Rows {
  text: string;
  marks: string;  // empty if there are none
  count: number;
}

export function rowsOf({ newLines, added }: Layout, tabSize: number): Rows {
  const marks = added.length > 0 ? marksOf(newLines.join('\n'), added).split('\n') : [];
  const rows: [string, string][] = newLines.flatMap((line, i) => {
    const shown = spaced(visible(line), tabSize);
    const marked = spaced(marks[i] ?? '', tabSize);
    const indent = Math.min(shown.search(/\S|$/) + 2, maxColumns / 2);
    const ends = [...breaksOf(shown, indent), shown.length];
    return ends.map((end, n): [string, string] => {
      const [from, margin] = n === 0 ? [0, ''] : [ends[n - 1], ' '.repeat(indent)];
      return [margin + shown.slice(from, end), margin + marked.slice(from, end)];
    });
  });
  const shown = rows.slice(0, maxRows);
  const left = rows.length - shown.length;
  if (left > 0) {
    shown.push([`… ${left} more ${left === 1 ? 'line' : 'lines'}`, '']);
  }
  const join = (which: 0 | 1) => shown.map((row) => row[which]).join('\n');
  return { text: join(0), marks: join(1).trim() === '' ? '' : join(1), count: shown.length };
}

// Clicks reach the text behind. The width leaves room for minimap and line numbers; the background extends to the edge.
function css(top: string, layer: number, content: string): string {
  return `none; content: ${cssString(content)}; position: absolute; left: 0; top: ${top}; z-index: ${layer};`
    + ` width: min(${maxColumns}ch, 100vw - 17em); padding-right: 200vw; white-space: break-spaces; word-break: break-all;`
    + ` line-height: ${rowHeight}lh; pointer-events: none`;
}

// The decoration that draws `rows` at the line of `layout`.
export function cardOf(document: vscode.TextDocument, layout: Layout, rows: Rows): vscode.DecorationOptions {
  const at = document.lineAt(layout.last).range.end;
  const top = layout.isAbove ? '0' : '100%';
  const background = 'linear-gradient(var(--vscode-redraft-insertedLineBackground) 0 0) var(--vscode-editor-background)';
  return {
    range: new vscode.Range(at, at),
    renderOptions: {
      before: {
        contentText: ' ', color: color('insertedForeground'), textDecoration: css(top, 6, rows.text),
      },
      after: {
        contentText: ' ', color: color('insertedBackground'),
        textDecoration: `${css(top, 5, rows.marks || '\n'.repeat(rows.count - 1) + ' ')}; background: ${background};`
          + ' box-shadow: 0 3px 4px -2px var(--vscode-widget-shadow, transparent)',
      },
    },
  };
}

// Replaces new lines that have no room.
export function noteOf(document: vscode.TextDocument, { last, newLines }: Layout): vscode.DecorationOptions {
  const at = document.lineAt(last).range.end;
  const n = newLines.length;
  return {
    range: new vscode.Range(at, at),
    renderOptions: {
      after: {
        contentText: `+${n} ${n === 1 ? 'line' : 'lines'} …`, color: color('insertedForeground'),
        backgroundColor: color('insertedLineBackground'), margin: '0 0 0 2ch',
      },
    },
  };
}
