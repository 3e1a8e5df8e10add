// How pending changes look in an editor: lines that will be removed are coloured, their changed words are struck out, and the
// new lines appear below.
import * as vscode from 'vscode';
import { cardOf, color, noteOf, rowHeight, rowsOf, type Rows } from './card';
import { editable } from './documents';
import { chosenOf, layoutsOf, type Layout, type TextChange } from './layout';

export class HunkDecorations implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly removedLines = vscode.window.createTextEditorDecorationType({
    backgroundColor: color('removedLineBackground'),
    isWholeLine: true,
  });
  private readonly removed = vscode.window.createTextEditorDecorationType({
    backgroundColor: color('removedBackground'),
    textDecoration: 'line-through',
  });
  private readonly added = vscode.window.createTextEditorDecorationType({
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.addedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  private readonly lensesChanged = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.lensesChanged.event;
  private readonly rooms = new Map<vscode.TextDocument, number[]>();  // lines above which there must be room
  private readonly drawn = new WeakMap<vscode.TextEditor, { hunks: TextChange[]; version: number }>();
  private readonly parts: vscode.Disposable[];

  constructor() {
    this.parts = [
      this.removedLines,
      this.removed,
      this.added,
      this.lensesChanged,
      vscode.languages.registerCodeLensProvider(editable, this),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.redraw(textEditor)),
      vscode.workspace.onDidCloseTextDocument((document) => this.rooms.delete(document)),
    ];
  }

  dispose(): void {
    this.parts.forEach((part) => part.dispose());
  }

  // Replaces the earlier drawing in this editor.
  draw(editor: vscode.TextEditor, hunks: TextChange[]): void {
    const { document } = editor;
    const before = this.drawn.get(editor);
    this.drawn.set(editor, { hunks, version: document.version });
    if (hunks.length === 0 && !before?.hunks.length) {
      return;
    }
    const hasLenses = vscode.workspace.getConfiguration('editor', document).get('codeLens') !== false;
    const layouts = hunks.map((hunk) => layoutsOf(document, hunk)).flatMap(({ whole, parts }) => (hasLenses ? parts : [whole]));
    const going = layouts.filter(({ oldLines }) => oldLines > 0);
    editor.setDecorations(this.removedLines, going.map(({ first, last }) => new vscode.Range(first, 0, last, 0)));
    editor.setDecorations(this.removed, layouts.flatMap(({ removed }) => removed));
    this.makeRoom(document, layouts, hunks);
    this.drawNew(editor, layouts.filter(({ newLines }) => newLines.length > 0), hasLenses);
  }

  // The cursor decides which new lines are drawn if there is not room for all of them.
  private redraw(editor: vscode.TextEditor): void {
    const drawn = this.drawn.get(editor);
    if (drawn && drawn.hunks.length > 0 && drawn.version === editor.document.version) {  // otherwise they are about to move
      this.draw(editor, drawn.hunks);
    }
  }

  private drawNew(editor: vscode.TextEditor, layouts: Layout[], hasLenses: boolean): void {
    const { document, options, selection } = editor;
    const rows = new Map<Layout, Rows>(layouts.map((layout) => [layout, rowsOf(layout, Number(options.tabSize))]));
    const linesOf = (layout: Layout) =>
      Math.ceil((rows.get(layout)!.count - (hasLenses && !layout.isAbove ? 1 : 0)) * rowHeight);
    const chosen = chosenOf(layouts, linesOf, selection.active.line);
    editor.setDecorations(this.added, layouts.map((layout) => (
      chosen.includes(layout) ? cardOf(document, layout, rows.get(layout)!) : noteOf(document, layout))));
  }

  private makeRoom(document: vscode.TextDocument, layouts: Layout[], hunks: TextChange[]): void {
    const taken = hunks.map((hunk) => layoutsOf(document, hunk).whole.first); // by the lenses with the decisions
    const rooms = layouts
      .filter(({ newLines, isAbove, last }) => newLines.length > 0 && !isAbove && !taken.includes(last + 1))
      .map(({ last }) => last + 1);
    if (JSON.stringify(rooms) !== JSON.stringify(this.rooms.get(document) ?? [])) {
      this.rooms.set(document, rooms);
      this.lensesChanged.fire();
    }
  }

  // A lens without visible text.
  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const rooms = (this.rooms.get(document) ?? []).filter((line) => line < document.lineCount);
    return rooms.map((line) => new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title: '\u200b', command: '' }));
  }
}
