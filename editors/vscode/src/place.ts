// Adjusts ranges to changes of a document. A hunk is sent against the version that the server knew; text typed since
// then, or while the hunk waits, moves it.
import * as vscode from 'vscode';

export interface Change {
  version: number; // of the document after the change
  changes: readonly vscode.TextDocumentContentChangeEvent[];
}

function shiftedPosition(at: vscode.Position, replaced: vscode.Range, text: string): vscode.Position {
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines[lines.length - 1].length;
  const endLine = replaced.start.line + lines.length - 1;
  const endCharacter = lines.length === 1 ? replaced.start.character + last : last;
  const line = at.line - replaced.end.line + endLine;
  return at.line === replaced.end.line
    ? new vscode.Position(line, at.character - replaced.end.character + endCharacter)
    : new vscode.Position(line, at.character);
}

// Undefined if the change touches the range's own text.
export function shift(range: vscode.Range, replaced: vscode.Range, text: string): vscode.Range | undefined {
  if (replaced.end.isBeforeOrEqual(range.start)) {
    return new vscode.Range(
      shiftedPosition(range.start, replaced, text),
      shiftedPosition(range.end, replaced, text),
    );
  }
  return replaced.start.isAfterOrEqual(range.end) ? range : undefined;
}

// Adjusts `range` from `version` to all later changes.
export function carry(range: vscode.Range, version: number, log: readonly Change[]): vscode.Range | undefined {
  let now: vscode.Range | undefined = range;
  for (const { changes } of log.filter((change) => change.version > version)) {
    for (const change of changes) {
      now = now && shift(now, change.range, change.text);
    }
  }
  return now;
}

// Whole lines, from `first` to before `end`.
export interface Lines {
  first: number;
  end: number;
}

// Undefined if all of the lines are replaced. Text that is inserted between two lines belongs to neither.
function shiftLines(lines: Lines, replaced: vscode.Range, text: string): Lines | undefined {
  const { start, end } = replaced;
  const added = text.split(/\r\n|\r|\n/).length - 1;
  const delta = added - (end.line - start.line);
  if (end.isBeforeOrEqual(new vscode.Position(lines.first, 0))) {
    return { first: lines.first + delta, end: lines.end + delta };
  } else if (start.line >= lines.end) {
    return lines;
  }
  const takesFirst = start.isBeforeOrEqual(new vscode.Position(lines.first, 0));
  const takesLast = end.line >= lines.end;
  if (takesFirst && takesLast) {
    return undefined;
  }
  return {
    first: start.line < lines.first ? start.line + added : lines.first,
    end: takesLast ? start.line + (start.character > 0 ? 1 : 0) : lines.end + delta,
  };
}

// Adjusts `lines` from `version` to all later changes.
export function carryLines(lines: Lines, version: number, log: readonly Change[]): Lines | undefined {
  const changes = log.filter((change) => change.version > version).flatMap((change) => change.changes);
  return changes.reduce<Lines | undefined>((now, { range, text }) => now && shiftLines(now, range, text), lines);
}
