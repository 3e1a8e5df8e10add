// Shows the hunks of an edit: decorations in the editor, a code lens with the decisions above each, a hover with its
// text.
import * as vscode from 'vscode';
import { editable } from './documents';
import { HunkDecorations } from './hunkDecorations';
import { layoutsOf } from './layout';
import { hunkAt, placedOf, type PlacedHunk, type Session } from './session';

export class View implements vscode.CodeLensProvider, vscode.HoverProvider, vscode.Disposable {
  private readonly lensesChanged = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.lensesChanged.event;
  private readonly decorations = new HunkDecorations();
  private readonly parts: vscode.Disposable[];

  constructor(private readonly sessionsOf: (document: vscode.TextDocument) => Session[]) {
    this.parts = [
      this.decorations,
      this.lensesChanged,
      vscode.languages.registerCodeLensProvider(editable, this),
      vscode.languages.registerHoverProvider(editable, this),
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
    const sessions = this.sessionsOf(document);
    const offering = sessions.filter(({ offersAnother }) => offersAnother).map(({ placed }) => placed[0]);
    return placedOf(sessions).flatMap((hunk) => lensesOf(document, hunk, offering.includes(hunk)));
  }

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    const hunk = hunkAt(this.sessionsOf(document), position.line);
    if (!hunk) {
      return undefined;
    }
    const text = new vscode.MarkdownString();
    text.appendText(hunk.doubt ? `${hunk.doubt}\n` : '');
    text.appendCodeblock(hunk.newText || '(nothing: this text is removed)', document.languageId);
    return new vscode.Hover(text, hunk.range);
  }
}

// `offersAnother`: another try of the whole edit can be requested here.
function lensesOf(document: vscode.TextDocument, hunk: PlacedHunk, offersAnother: boolean): vscode.CodeLens[] {
  const { first, oldLines, newLines } = layoutsOf(document, hunk).whole;
  const target = [document.uri.toString(), hunk.id, hunk.editId];
  const at = new vscode.Range(first, hunk.range.start.character, first, hunk.range.start.character);
  const lens = (title: string, command: string, tooltip: string) =>
    new vscode.CodeLens(at, { title, command, tooltip, arguments: target });
  const another = lens('$(refresh) Another Try', 'redraft.anotherTry', 'Reject the waiting changes of this edit and request another answer');
  const doubt = hunk.doubt === undefined ? [] : [lens(`$(warning) ${hunk.doubt}`, 'redraft.preview', 'See all changes')];
  return [
    ...doubt,
    lens('$(check) Accept', 'redraft.acceptHunk', 'Make this change'),
    lens('$(x) Reject', 'redraft.rejectHunk', 'Leave this text as it is'),
    lens(`+${newLines.length} −${oldLines}`, 'redraft.preview', 'See all changes as a diff'),
    ...(offersAnother ? [another] : []),
  ];
}
