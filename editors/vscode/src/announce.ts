// Announces the place of an edit before it is requested, so that the server reads it while the user types the instruction
// or looks at a selection, and shows which lines the edit will change.
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { isEditable } from './documents';
import { cursorOf, isEmpty, linesOf, placeOf } from './protocol';
import type { PrepareEvent, PrepareResult, Range, Region, RegionResult } from './protocol';

// Milliseconds that a selection stands before it is announced.
const delay = 300;

export interface Place {
  document: vscode.TextDocument;
  range: Range | undefined;  // empty for the cursor; undefined for the whole document
  version: number;
}

export class Announcement {
  region: Range | undefined;  // the lines that an edit there changes, once the server has found them
  chain: Region[] = [];  // the regions around the place, once the server has found them
  index = 0;  // the announced one in `chain`
  reads = false;
  fraction = 0;  // of the text to read

  constructor(
    readonly place: Place,
    readonly isPrompted: boolean,  // the user types the instruction; otherwise a selection rests
  ) {}

  // Drops the server's answers, so that another server can be asked.
  forget(): void {
    this.region = undefined;
    this.chain = [];
    this.reads = false;
  }

  // The region that the user or the server has chosen; undefined until it is known.
  get chosen(): Region | undefined {
    return this.chain[this.index];
  }

  // "edit method putcmd, 3 lines", or without a name "edit lines 12–40"; undefined until the lines are known.
  get title(): string | undefined {
    return this.chosen?.title ?? (this.region && `edit ${linesOf(this.region)}`);
  }

  // For the status bar.
  get lines(): string | undefined {
    return this.chosen?.title ?? (this.region && linesOf(this.region));
  }
}

// At most one place is announced: the newest.
export class Announcer implements vscode.Disposable {
  private readonly highlight = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('redraft.regionBackground'),
    isWholeLine: true,
  });
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;  // when the display changes
  private client: LanguageClient | undefined;
  private findsRegions = false;
  private newest: Announcement | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly parts: vscode.Disposable[];

  constructor() {
    this.parts = [
      this.highlight,
      this.changed,
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.onSelection(textEditor)),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.onSelection(editor)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && document === this.newest?.place.document) {
          this.stop();  // the server's answers are about an outdated text
        }
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.parts.forEach((part) => part.dispose());
  }

  // The server of `client` has ended.
  lose(client: LanguageClient): void {
    if (this.client === client) {
      this.use(undefined);
    }
  }

  // Uses a running client, if its server supports announcements. A user who is being asked for an instruction sees the lines.
  use(client: LanguageClient | undefined): void {
    const prompted = this.newest?.isPrompted ? this.newest : undefined;
    prompted?.forget();
    this.set(prompted);
    const offers = client?.initializeResult?.capabilities.experimental as
      { redraft?: { prepare?: boolean; region?: boolean } } | undefined;
    this.client = offers?.redraft?.prepare ? client : undefined;
    this.findsRegions = offers?.redraft?.region === true;
    if (prompted) {
      this.announce(prompted);
    }
  }

  announcementOf(document: vscode.TextDocument | undefined): Announcement | undefined {
    return document && document === this.newest?.place.document ? this.newest : undefined;
  }

  // While the user is asked for the instruction. The caller must end it.
  begin(place: Place): Announcement {
    clearTimeout(this.timer);
    const announcement = new Announcement(place, true);
    this.announce(announcement);
    return announcement;
  }

  // While the user is asked for the instruction: takes the next region around the place (step 1), or the one inside (-1).
  widen(step: 1 | -1): void {
    const { client, newest } = this;
    if (client && newest?.isPrompted && newest.chain[newest.index + step]) {
      this.choose(client, newest, newest.index + step);
    }
  }

  // The edit itself ends the reading on the server's side and uses what was read.
  end(announcement: Announcement, isRequested: boolean): void {
    if (announcement !== this.newest) {
      return;
    }
    if (isRequested) {
      this.set(undefined);
    } else {
      this.stop();
    }
  }

  // Handles `$/redraft/prepare`.
  onEvent(event: PrepareEvent): void {
    const { client, newest } = this;
    const uri = newest && client?.code2ProtocolConverter.asUri(newest.place.document.uri);
    if (newest?.region && uri === event.uri && linesOf(newest.region) === linesOf(event.range)) {
      newest.fraction = event.fraction;
      newest.reads &&= !(event.end && event.fraction < 1);  // otherwise it would still be shown as being read
      this.changed.fire();
    }
  }

  private announce(announcement: Announcement): void {
    this.set(announcement);
    const { client } = this;
    if (!client) {
      return;
    }
    if (announcement.isPrompted && announcement.place.range && this.findsRegions) {
      this.findRegions(client, announcement);
    } else {
      this.prepare(client, announcement);
    }
  }

  private findRegions(client: LanguageClient, announcement: Announcement): void {
    client.sendRequest<RegionResult>('redraft/region', this.paramsOf(client, announcement)).then(
      ({ regions, index }) => {
        if (announcement === this.newest) {
          announcement.chain = regions;
          this.choose(client, announcement, index);
        }
      },
      () => announcement === this.newest && this.prepare(client, announcement),
    );
  }

  private choose(client: LanguageClient, announcement: Announcement, index: number): void {
    announcement.index = index;
    announcement.region = announcement.chosen?.range;
    announcement.reads = false;
    this.draw();
    this.changed.fire();
    this.prepare(client, announcement);
  }

  private paramsOf(client: LanguageClient, { place, chosen }: Announcement) {
    const uri = client.code2ProtocolConverter.asUri(place.document.uri);
    return placeOf(uri, place.version, chosen?.range ?? place.range, chosen?.scope, chosen && cursorOf(place.range));
  }

  // Makes the server read the announced place.
  private prepare(client: LanguageClient, announcement: Announcement): void {
    const { index } = announcement;
    client.sendRequest<PrepareResult>('redraft/prepare', this.paramsOf(client, announcement)).then(
      (result) => {
        if (announcement === this.newest && index === announcement.index) {
          announcement.region = result.range;
          announcement.reads = result.reads;
          announcement.fraction = 0;
          this.draw();
          this.changed.fire();
        }
      },
      () => undefined,  // a newer announcement came first, or the place cannot be edited; then the edit reports it
    );
  }

  private stop(): void {
    if (this.newest) {
      this.set(undefined);
      void this.client?.sendNotification('redraft/stopPreparing');
    }
  }

  private set(announcement: Announcement | undefined): void {
    this.newest = announcement;
    this.draw();
    this.changed.fire();
  }

  private draw(): void {
    const { newest } = this;
    const region = newest?.isPrompted && newest.region && !isEmpty(newest.region) ? newest.region : undefined;
    for (const editor of vscode.window.visibleTextEditors) {
      const isThere = region && editor.document === newest?.place.document;
      editor.setDecorations(this.highlight, isThere ? [wholeLines(region)] : []);
    }
  }

  // Uses the selection at the end of the delay, not the one at its start.
  private onSelection(editor: vscode.TextEditor | undefined): void {
    if (this.newest?.isPrompted || editor !== vscode.window.activeTextEditor) {
      return;
    }
    clearTimeout(this.timer);
    if (editor && isSelected(editor)) {
      this.timer = setTimeout(() => this.announceSelection(editor), delay);
    } else {
      this.stop();
    }
  }

  private announceSelection(editor: vscode.TextEditor): void {
    const { document, selection } = editor;
    if (!this.client || editor !== vscode.window.activeTextEditor || !isSelected(editor)) {
      return;
    }
    const range = this.client.code2ProtocolConverter.asRange(selection);
    const old = this.newest?.place;
    const isSame = old?.document === document && old.version === document.version && old.range !== undefined
      && selection.isEqual(this.client.protocol2CodeConverter.asRange(old.range));
    if (!isSame) {
      this.announce(new Announcement({ document, range, version: document.version }, false));
    }
  }
}

function isSelected({ document, selection }: vscode.TextEditor): boolean {
  return !selection.isEmpty && isEditable(document);
}

// A decoration of whole lines also colours the line in which it ends, even if it ends before the first character.
function wholeLines({ start, end }: Range): vscode.Range {
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return new vscode.Range(start.line, 0, last, 0);
}
