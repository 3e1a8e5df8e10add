// Adjusts ranges to changes of a document. A hunk is sent against the version that the server knew; text typed since
// then, or while the hunk waits, moves it.
import * as vscode from 'vscode';

export interface Change {
  version: number; // of the document after the change
  changes: readonly vscode.TextDocumentContentChangeEvent[];
}

// As the protocol has it.
export function plain({ start, end }: vscode.Range) {
  const position = ({ line, character }: vscode.Position) => ({ line, character });
  return { start: position(start), end: position(end) };
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

// Like shift(), but a change within the range grows or shrinks it.
export function grow(range: vscode.Range, replaced: vscode.Range, text: string): vscode.Range | undefined {
  const isWithin = range.contains(replaced) && replaced.end.isAfter(range.start) && replaced.start.isBefore(range.end);
  return isWithin && !replaced.isEqual(range)
    ? new vscode.Range(range.start, shiftedPosition(range.end, replaced, text))
    : shift(range, replaced, text);
}

export function carryGrowing(range: vscode.Range, version: number, log: readonly Change[]): vscode.Range | undefined {
  return carried(range, version, log, grow);
}

// Adjusts `range` from `version` to all later changes.
export function carry(range: vscode.Range, version: number, log: readonly Change[]): vscode.Range | undefined {
  return carried(range, version, log, shift);
}

function carried(range: vscode.Range, version: number, log: readonly Change[], by: typeof shift): vscode.Range | undefined {
  let now: vscode.Range | undefined = range;
  for (const { changes } of log.filter((change) => change.version > version)) {
    for (const change of changes) {
      now = now && by(now, change.range, change.text);
    }
  }
  return now;
}
