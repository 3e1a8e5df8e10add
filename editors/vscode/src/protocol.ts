// What the editor and `redraft lsp` exchange beyond LSP: docs/protocol.md.
import type { Position, Range, TextEdit, WorkspaceEdit } from 'vscode-languageclient/node';

export type { Range };

export const protocolVersion = 1;  // same as in lsp/wire/version.h

// The program and the extension are updated separately. Returns a message for the user if they do not match; `capabilities` are
// the server's.
export function protocolProblem(capabilities: { experimental?: unknown } | undefined): string | undefined {
  const own = (capabilities?.experimental as { redraft?: { protocol?: number } } | undefined)?.redraft?.protocol;
  if (own === protocolVersion) {
    return undefined;
  }
  const older = (own ?? 0) < protocolVersion ? 'the program' : 'the extension';
  return `the program speaks protocol ${own ?? 'unknown'}, the extension ${protocolVersion}. Some features will not work. Update ${older}.`;
}

// The place of an edit, for `redraft/prepare` and `redraft.edit`: the server recognizes the same edit by it. `cursor` is set if
// `range` is the region around it.
export function placeOf(uri: string, version: number, range: Range | undefined, scope?: string, cursor?: Position) {
  const automatic = range && isEmpty(range) ? 'auto' : undefined;  // only the cursor position is known
  return { textDocument: { uri, version }, range, scope: scope ?? automatic, ...(cursor && { cursor }) };
}

// The cursor, if nothing is selected.
export function cursorOf(range: Range | undefined): Position | undefined {
  return range && isEmpty(range) ? range.start : undefined;
}

// Lines around a cursor or a selection that can be edited, for `redraft/prepare` and `redraft.edit`.
export interface Region {
  range: Range;  // whole lines; empty for a place between two
  scope: string;
  title: string; // "edit method putcmd, 3 lines"
}

export interface RegionResult {
  version: number;
  index: number;  // the one that is edited by default
  regions: Region[]; // from the smallest to the file
}

// The same for places in a file: `ranges`, or those that the server finds.
export function placesOf(uri: string, version: number, ranges: Range[] | undefined) {
  return { textDocument: { uri, version }, ranges, scope: 'file' };
}

export interface PrepareResult {
  version: number;
  range: Range;  // the whole lines that an edit there would change
  reads: boolean;
}

export interface PrepareEvent {
  uri: string;
  version: number;
  range: Range;
  fraction: number;
  end?: boolean; // the last one for that place
}

export interface Statistics {
  newTokens?: number;
  passes?: number;
  tokensPerPass?: number;
  tokensPerSecond?: number;
}

interface EventOfEdit {
  editId: number;
  seq: number;
}

interface NamedRange {
  range: Range; // whole lines
  name: string;
}

export interface PlacesEvent {
  kind: 'places';
  uri: string;
  version: number;
  parts: number;  // in the file
  chosen: NamedRange[];  // to be edited
  others: NamedRange[];  // the remaining ones, the likeliest first
}

export interface Doubt {
  reason: string;  // for the user
  hunkIds: number[];
}

export type EditEvent = EventOfEdit &
  (
    | { kind: 'region'; uri: string; version: number; range: Range }
    | PlacesEvent
    | {
        kind: 'hunk';
        hunkId: number;
        uri: string;
        version: number;
        range: Range;
        oldText: string;
        newText: string;
        decidedBy: 'lines' | 'tree' | 'model';
        doubt: string | null;
      }
    | { kind: 'moved'; uri: string; version: number; hunks: { hunkId: number; range: Range }[] }
    | { kind: 'dropped'; hunkId: number; reason: string; replaced: boolean }
    | { kind: 'progress'; fraction: number; thinking?: boolean; statistics: Statistics }
    | {
        kind: 'end';
        state: 'done' | 'cancelled' | 'failed';
        finishReason: string | null;
        error: string | null;
        doubts: Doubt[];
        tidied: string[];  // corrections of the model's text, for the user
        placed: boolean;  // a change was placed without the model
        hint: string | null;  // what to try if nothing changed, for the user
        otherTries: boolean;  // whether the same request with `another` increased by one has a further answer
        statistics: Statistics | null;
      }
  );

export interface ResolveResult {
  edit: WorkspaceEdit | null;
  version: number;
  hunkIds: number[];
}

export interface ModelStatus {
  version: string;
  state: 'unloaded' | 'loading' | 'ready' | 'failed';
  target: string | null;
  draft: string | null;
  device: 'cpu' | 'cuda' | null;
  error: string | null;
}

// Only in the result of the request.
export interface ServerStatus extends ModelStatus {
  reasons: string[];
  decoder: { name: string; lossless: boolean; statistics: { tokens: number; fromDraftModel: number } };
  completion: { whyNone: string | null };
  nextEdit: { whyNone: string | null };
  snooze: Snooze | null;
}

// For how long, and where, automatic suggestions are off.
export interface Snooze {
  secondsLeft: number | null;
  untilRestart: boolean;
  files: string[];
  languages: string[];
}

export function isEmpty({ start, end }: Range): boolean {
  return start.line === end.line && start.character === end.character;
}

// For users, counted from 1: "line 3" or "lines 12–40". A range that ends where a line begins does not include that line.
export function linesOf({ start, end }: Range): string {
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return last === start.line + 1 ? `line ${last}` : `lines ${start.line + 1}–${last}`;
}

// The argument of the command `redraft.prompt`, which code actions carry.
export interface PromptArguments {
  textDocument: { uri: string; version?: number };
  range: Range | null;
  instruction: string | null;
}

// The text edits of a WorkspaceEdit for one document, in either of its forms.
export function editsOf(edit: WorkspaceEdit): TextEdit[] {
  const versioned = edit.documentChanges?.flatMap((change) => ('edits' in change ? change.edits : [])) ?? [];
  return [...versioned, ...Object.values(edit.changes ?? {}).flat()] as TextEdit[];
}
