// Shows the hunks of an edit: decorations in the editor, a code lens with the decisions above each, a hover with its
// text.
import * as vscode from 'vscode';
import { layoutOf, type TextChange } from './layout';
import { hunkAt, placedOf, type PlacedHunk, type Session } from './session';

const color = (name: string) => new vscode.ThemeColor(`redraft.${name}`);

// How pending changes look in an editor: deleted text is struck out, new text is shown after it.
export class HunkDecorations implements vscode.Disposable {
  private readonly removed = vscode.window.createTextEditorDecorationType({
    backgroundColor: color('removedBackground'),
    textDecoration: 'line-through',
    opacity: '0.7',
  });
  private readonly added = vscode.window.createTextEditorDecorationType({
    overviewRulerColor: color('insertedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });

  dispose(): void {
    this.removed.dispose();
    this.added.dispose();
  }

  // Replaces what was drawn in this editor before.
  draw(editor: vscode.TextEditor, hunks: TextChange[]): void {
    const { document } = editor;
    const layouts = hunks.map((hunk) => layoutOf(document, hunk));
    editor.setDecorations(this.removed, layouts.flatMap((layout) => layout.removed));
    const added = layouts.flatMap((layout) => layout.added);
    editor.setDecorations(
      this.added,
      added.map(({ line, text, isBefore }) => newTextDecoration(document, line, text, isBefore)),
    );
  }
}

export class View implements vscode.CodeLensProvider, vscode.HoverProvider, vscode.Disposable {
  private readonly lensesChanged = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.lensesChanged.event;
  private readonly decorations = new HunkDecorations();
  private readonly parts: vscode.Disposable[];

  constructor(private readonly sessionsOf: (document: vscode.TextDocument) => Session[]) {
    const everywhere = [{ scheme: 'file' }, { scheme: 'untitled' }];
    this.parts = [
      this.decorations,
      this.lensesChanged,
      vscode.languages.registerCodeLensProvider(everywhere, this),
      vscode.languages.registerHoverProvider(everywhere, this),
      vscode.window.onDidChangeVisibleTextEditors(() => this.refresh()),
    ];
  }

  dispose(): void {
    this.parts.forEach((part) => part.dispose());
  }

  // Draws what the sessions of all visible editors contain now.
  refresh(): void {
    vscode.window.visibleTextEditors.forEach((editor) => this.draw(editor));
    this.lensesChanged.fire();
  }

  private draw(editor: vscode.TextEditor): void {
    const { document } = editor;
    const sessions = this.sessionsOf(document).filter((session) => session.document === document); // not in a preview
    this.decorations.draw(editor, placedOf(sessions));
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    return placedOf(this.sessionsOf(document)).flatMap((hunk) => lensesOf(document, hunk));
  }

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    const hunk = hunkAt(this.sessionsOf(document), position.line);
    if (!hunk) {
      return undefined;
    }
    const text = new vscode.MarkdownString();
    text.appendCodeblock(hunk.newText || '(nothing: this text is removed)', document.languageId);
    return new vscode.Hover(text, hunk.range);
  }
}

function newTextDecoration(
  document: vscode.TextDocument,
  line: number,
  text: string,
  isBefore: boolean,
): vscode.DecorationOptions {
  const at = isBefore ? new vscode.Position(0, 0) : document.lineAt(line).range.end;
  const attachment: vscode.ThemableDecorationAttachmentRenderOptions = {
    contentText: text.replace(/\t/g, '    ').replace(/ /g, '\u00a0') || '\u00a0', // plain spaces would collapse
    color: color('insertedForeground'),
    backgroundColor: color('insertedBackground'),
    margin: isBefore ? '0 2ch 0 0' : '0 0 0 3ch',
  };
  const renderOptions = isBefore ? { before: attachment } : { after: attachment };
  return { range: new vscode.Range(at, at), renderOptions };
}

function lensesOf(document: vscode.TextDocument, hunk: PlacedHunk): vscode.CodeLens[] {
  const { oldLines, newLines } = layoutOf(document, hunk);
  const target = [document.uri.toString(), hunk.id, hunk.editId];
  const at = new vscode.Range(hunk.range.start, hunk.range.start);
  const lens = (title: string, command: string, tooltip: string) =>
    new vscode.CodeLens(at, { title, command, tooltip, arguments: target });
  const doubt = hunk.doubt === undefined ? [] : [lens(`$(warning) ${hunk.doubt}`, 'redraft.preview', 'See all changes')];
  return [
    ...doubt,
    lens('$(check) Accept', 'redraft.acceptHunk', 'Make this change'),
    lens('$(x) Reject', 'redraft.rejectHunk', 'Leave this text as it is'),
    lens(`+${newLines} −${oldLines}`, 'redraft.preview', 'See all changes as a diff'),
  ];
}
