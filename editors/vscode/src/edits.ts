// Runs edits: starts them, follows the server's notifications, decides on hunks.
import * as vscode from 'vscode';
import { LanguageClient, LSPErrorCodes, Position, Range, ResponseError, TextEdit } from 'vscode-languageclient/node';
import { sayNothing, type Tried } from './nothing';
import { carry } from './place';
import { Places } from './places';
import { EditEvent, ResolveResult, cursorOf, editsOf, isEmpty, linesOf, placeOf, placesOf } from './protocol';
import { originalOf } from './preview';
import { PlacedHunk, Session } from './session';

const attempts = 3; // when the document changes during a request
const gathering = 50;  // ms during which messages of one kind are combined
const nothing = 'the model changed nothing';

// What an edit changes: the lines of `range`, which refers to `version` of the document; or places in the file, either `ranges`
// or the ones that the server finds. `scope` is the scope of a region around `cursor`; by default `range` decides.
export type Target =
  | { range: Range | undefined; version: number; scope?: string; cursor?: Position }
  | { ranges: Range[]; version: number }
  | 'file';

export class Edits implements vscode.Disposable {
  private sessions: Session[] = []; // in the order in which they were requested
  private readonly droppedWhy = new Map<string, number>();  // reasons about to be shown, with their numbers of hunks
  private readonly ended = new Map<vscode.TextDocument, Session>();  // the last one, if no other was requested since
  private early: EditEvent[] = [];  // events of edits whose ids are not known yet
  private client: LanguageClient | undefined;
  private readonly parts: vscode.Disposable[];

  // `changed` is called whenever the display may have changed.
  constructor(
    private readonly places: Places,
    private readonly changed: (document: vscode.TextDocument) => void,
  ) {
    this.parts = [
      vscode.workspace.onDidChangeTextDocument((event) => {
        const sessions = this.sessionsAt(event.document.uri.toString());
        if ((sessions.length > 0 || this.ended.has(event.document)) && event.contentChanges.length > 0) {
          sessions.forEach((session) => session.onChange(event));
          this.changed(event.document);
        }
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.sessionsAt(document.uri.toString()).forEach((session) => this.forget(session));
        this.ended.delete(document);
      }),
    ];
  }

  dispose(): void {
    this.parts.forEach((part) => part.dispose());
  }

  // The server of `client` has ended.
  lose(client: LanguageClient): void {
    if (this.client === client) {
      this.use(undefined);
    }
  }

  // Uses a running client. The edits of the previous one are lost.
  use(client: LanguageClient | undefined): void {
    this.sessions.forEach((session) => this.forget(session));
    this.client = client;
  }

  // The edits that run or wait for a decision. A preview belongs to the document that it shows.
  sessionsOf(document: vscode.TextDocument | undefined): Session[] {
    return document ? this.sessionsAt(originalOf(document.uri)) : [];
  }

  sessionsAt(uri: string): Session[] {
    return this.sessions.filter((session) => session.document.uri.toString() === uri);
  }

  // The edit that finished last; undefined if another was requested since.
  endedOf(document: vscode.TextDocument | undefined): Session | undefined {
    return document && this.ended.get(this.sessionsOf(document)[0]?.document ?? document);
  }

  sessionWith(hunk: PlacedHunk): Session | undefined {
    return this.sessions.find((session) => session.editId === hunk.editId);
  }

  private forget(session: Session): void {
    if (this.sessions.includes(session)) {
      this.sessions = this.sessions.filter((other) => other !== session);
      this.changed(session.document);
    }
  }

  // Earlier edits of the document stay, except those of the same place, which the server reports. `change` is code that another
  // assistant wrote; the instruction is then its name. `another` is the index of the retry; 0 is the first answer.
  async start(
    document: vscode.TextDocument, instruction: string, target: Target,
    { change, another = 0 }: { change?: string; another?: number } = {},
  ): Promise<void> {
    if (!this.client) {
      await vscode.commands.executeCommand('redraft.restart'); // shows the reason if it cannot be started
    }
    const client = this.client;
    if (!client) {
      return;
    }
    const tried = change === undefined ? triedOf(target) : undefined;
    const session = new Session(document, instruction, target, tried, another, change !== undefined);
    if (target !== 'file' && 'range' in target && target.range && target.scope === 'selection') {
      session.lines = linesOf(target.range);  // the region is known, so the server need not find it
    }
    this.sessions.push(session);
    this.ended.delete(document);
    this.changed(document);
    const what = change === undefined ? { instruction, ...(another > 0 && { another }) } : { change };
    try {
      session.editId = await this.requestEdit(client, document, target, what);
    } catch (error) {
      this.forget(session);
      void vscode.window.showErrorMessage(`redraft: ${(error as Error).message}`);
      return;
    }
    const events = this.early.filter((event) => event.editId === session.editId);
    const isLast = this.sessions.every(({ editId }) => editId !== undefined); // then the rest belongs to no session
    this.early = isLast ? [] : this.early.filter((event) => event.editId !== session.editId);
    events.forEach((event) => this.onEvent(event));
  }

  // A range is invalid in another version. Without a range, the request is repeated if the document changes meanwhile.
  private async requestEdit(
    client: LanguageClient,
    document: vscode.TextDocument,
    target: Target,
    what: { instruction: string; another?: number } | { change: string },
  ): Promise<number> {
    const uri = client.code2ProtocolConverter.asUri(document.uri);
    for (let attempt = 1; ; attempt++) {
      const place = placeFor(uri, document.version, target);
      const request = { command: 'change' in what ? 'redraft.apply' : 'redraft.edit', arguments: [{ ...place, ...what }] };
      try {
        return (await client.sendRequest<{ editId: number }>('workspace/executeCommand', request)).editId;
      } catch (error) {
        const isStale = error instanceof ResponseError && error.code === LSPErrorCodes.ContentModified;
        if (!isStale || isBound(target) || attempt === attempts) {
          throw error;
        }
      }
    }
  }

  async cancel(session: Session): Promise<void> {
    if (session.editId !== undefined && session.state === 'running') {
      const request = { command: 'redraft.cancel', arguments: [{ editId: session.editId }] };
      await this.client?.sendRequest('workspace/executeCommand', request);
    }
  }

  // Decides on hunks; undefined for all, also those with a doubt.
  async resolve(session: Session, hunkIds: number[] | undefined, action: 'accept' | 'reject'): Promise<void> {
    if (session.editId === undefined || !this.client) {
      return;
    }
    const request = { editId: session.editId, hunkIds, action, doubtful: true };
    const result = await this.client.sendRequest<ResolveResult>('redraft/resolveEdit', request);
    session.isDecided = true;
    session.hasAccepted ||= action === 'accept' && result.hunkIds.length > 0;
    result.hunkIds.forEach((id) => session.remove(id));
    if (result.edit && !(await this.apply(session, editsOf(result.edit), result.version))) {
      void vscode.window.showWarningMessage('redraft: cannot apply a change, because its text changed meanwhile.');
    }
    this.after(session);
  }

  // One undo step. Text typed since `version` moves the edits; VS Code rejects them if more was typed meanwhile.
  private async apply(session: Session, edits: TextEdit[], version: number): Promise<boolean> {
    const converter = this.client?.protocol2CodeConverter;
    for (let attempt = 1; converter && attempt <= attempts; attempt++) {
      const workspaceEdit = new vscode.WorkspaceEdit();
      const ranges = edits.map((edit) => carry(converter.asRange(edit.range), version, session.log));
      ranges.forEach((range, i) => range && workspaceEdit.replace(session.document.uri, range, edits[i].newText));
      if (await vscode.workspace.applyEdit(workspaceEdit)) {
        return ranges.every((range) => range !== undefined);
      }
    }
    return false;
  }

  private after(session: Session): void {
    if (session.isOver) {
      this.forget(session);
    }
    this.changed(session.document);
  }

  // Handles `$/redraft/edit`.
  onEvent(event: EditEvent): void {
    const session = this.sessions.find((candidate) => candidate.editId === event.editId);
    if (session) {
      this.take(session, event);
      this.after(session);
    } else if (this.sessions.some((candidate) => candidate.editId === undefined)) {
      this.early.push(event);
    }
  }

  // A newer edit may replace many hunks at once; this is reported once.
  private sayDropped(reason: string): void {
    const n = this.droppedWhy.get(reason) ?? 0;
    this.droppedWhy.set(reason, n + 1);
    if (n > 0) {
      return;
    }
    setTimeout(() => {
      const dropped = this.droppedWhy.get(reason)!;
      this.droppedWhy.delete(reason);
      const what = dropped === 1 ? 'a change was' : `${dropped} changes were`;
      void vscode.window.showWarningMessage(`redraft: ${what} dropped: ${reason}`);
    }, gathering);
  }

  // Rejects the waiting hunks of an edit and requests another answer.
  async tryAnother(session: Session): Promise<void> {
    const { document, instruction, target, nextTry } = session;
    const why = whyNoOther(session);
    if (why !== undefined || nextTry === undefined) {
      void vscode.window.showInformationMessage(`redraft: ${why}.`);
      return;
    }
    session.nextTry = undefined;  // request it only once
    if (session.nHunks > 0) {
      await this.resolve(session, undefined, 'reject');
    }
    const now = target === 'file' ? target : { ...target, version: document.version };
    await this.start(document, instruction, now, { another: nextTry });
  }

  // The model changed nothing.
  private async sayNothing(session: Session, hint: string): Promise<void> {
    const { document, instruction, tried } = session;
    const choice = await sayNothing(hint, tried, document, this.client, session.nextTry !== undefined);
    if (choice === 'another') {
      await this.tryAnother(session);
    } else if (choice === 'words') {
      const textDocument = { uri: document.uri.toString(), version: document.version };
      await vscode.commands.executeCommand('redraft.prompt', { textDocument, range: tried!.range, instruction: null }, instruction);
    } else if (choice) {
      const { region: { range, scope }, version } = choice;
      await this.start(document, instruction, { range, version, scope, cursor: cursorOf(tried!.range) });
    }
  }

  private take(session: Session, event: EditEvent): void {
    const asRange = (range: Range) => this.client!.protocol2CodeConverter.asRange(range);
    switch (event.kind) {
      case 'region':
        session.lines = linesOf(event.range);
        break;
      case 'places':
        session.places = this.places.receive(session, event);
        break;
      case 'hunk':
        session.add(
          {
            id: event.hunkId, range: asRange(event.range), oldText: event.oldText, newText: event.newText,
            doubt: event.doubt ?? undefined,
          },
          event.version,
        );
        break;
      case 'moved':
        event.hunks.forEach((hunk) => session.move(hunk.hunkId, asRange(hunk.range), event.version));
        break;
      case 'dropped':
        session.remove(event.hunkId);
        if (!event.replaced) {
          this.sayDropped(event.reason);
        }
        break;
      case 'progress':
        session.fraction = event.fraction;
        session.isThinking = event.thinking;
        break;
      case 'end':
        session.state = event.state;
        session.statistics = event.statistics ?? undefined;
        session.settleDoubts(event.doubts);
        session.settleTries(event.otherTries);
        this.ended.set(session.document, session);
        if (!sayEnd(session, event, this.places.count(session.document))) {
          void this.sayNothing(session, event.hint ?? nothing);
        }
        break;
    }
  }
}

// Why no other try can be requested; undefined if it can.
function whyNoOther(session: Session): string | undefined {
  if (session.state === 'running') {
    return 'the edit is still running. Request another try when it has finished';
  } else if (session.nextTry === undefined) {
    return 'there is no other try of this edit. Rephrase the instruction';
  } else if (session.hasItsText) {
    return undefined;
  }
  return `no other try: ${session.hasAccepted ? 'changes of this edit were accepted. Undo them first'
    : 'the text has changed since. Request the edit again'}`;
}

// Its ranges are invalid in another version.
function isBound(target: Target): target is Exclude<Target, 'file'> {
  return target !== 'file' && ('ranges' in target || (target.range !== undefined && !isEmpty(target.range)));
}

// The place of an edit of a single place.
function triedOf(target: Target): Tried | undefined {
  if (target === 'file' || 'ranges' in target || !target.range) {
    return undefined;
  }
  const { range, scope, cursor } = target;
  return cursor ? { range: { start: cursor, end: cursor }, region: range }
    : { range, region: scope !== undefined || !isEmpty(range) ? range : undefined };
}

function placeFor(uri: string, newest: number, target: Target) {
  const version = isBound(target) ? target.version : newest;
  if (target === 'file' || 'ranges' in target) {
    return placesOf(uri, version, target === 'file' ? undefined : target.ranges);
  }
  return placeOf(uri, version, target.range, target.scope, target.cursor);
}

async function sayPlaces({ document, nHunks, isDecided, places }: Session, hint: string | null, nLeft: number): Promise<void> {
  const what = nHunks > 0 || isDecided ? 'edited' : `${hint ?? nothing}; it looked at`;
  const offers = nLeft > 0 ? ['Further Places…'] : [];
  if (await vscode.window.showInformationMessage(`redraft: ${what} ${places}.`, ...offers)) {
    await vscode.commands.executeCommand('redraft.morePlaces', document.uri.toString());
  }
}

async function sayFailed(error: string | null, { another }: Session): Promise<void> {
  const download = 'Download Model…';
  const offers = error?.includes('redraft models pull') ? [download] : [];
  if (await vscode.window.showErrorMessage(`redraft: ${another > 0 ? 'no other try: ' : ''}${error ?? 'the edit failed'}`, ...offers)) {
    await vscode.commands.executeCommand('redraft.downloadModel');
  }
}

// Returns false if the model changed nothing, which needs a longer message.
function sayEnd(session: Session, event: EditEvent & { kind: 'end' }, nLeft: number): boolean {
  if (event.state === 'failed') {
    void sayFailed(event.error, session);
  } else if (event.state === 'cancelled') {
    vscode.window.setStatusBarMessage(`redraft: edit cancelled${event.error ? `: ${event.error}` : ''}`, 5000);
  } else if (event.finishReason === 'length') {
    void vscode.window.showWarningMessage('redraft: the edit reached its token limit and may be incomplete.');
  } else if (session.reasons) {
    void vscode.window.showWarningMessage(`redraft: check this edit: ${session.reasons}.`);
  } else if (session.places) {
    void sayPlaces(session, event.hint, nLeft);
  } else if (event.tidied.length > 0) {
    vscode.window.setStatusBarMessage(`redraft: corrected: ${event.tidied.join('; ')}`, 10000);
  } else if (session.nHunks === 0 && !session.isDecided) {
    if (!event.placed) {
      return false;
    }
    void vscode.window.showInformationMessage('redraft: nothing to change: the file already contains this code.');
  }
  return true;
}
