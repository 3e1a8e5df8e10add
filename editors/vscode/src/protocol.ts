// What the editor and `redraft lsp` exchange beyond LSP: docs/protocol.md.
import type { Range, TextEdit, WorkspaceEdit } from 'vscode-languageclient/node';

export interface EditArguments {
  textDocument: { uri: string; version?: number };
  instruction: string;
  range?: Range;
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

export type EditEvent = EventOfEdit &
  (
    | { kind: 'region'; uri: string; version: number; range: Range }
    | { kind: 'hunk'; hunkId: number; uri: string; version: number; range: Range; oldText: string; newText: string }
    | { kind: 'moved'; uri: string; version: number; hunks: { hunkId: number; range: Range }[] }
    | { kind: 'dropped'; hunkId: number; reason: string }
    | { kind: 'progress'; fraction: number; statistics: Statistics }
    | {
        kind: 'end';
        state: 'done' | 'cancelled' | 'failed';
        finishReason: string | null;
        error: string | null;
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
}

export function isEmpty({ start, end }: Range): boolean {
  return start.line === end.line && start.character === end.character;
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
