// The places in a file that an edit changes, and the remaining ones, which follow the text, so that the user can edit them too.
import * as vscode from 'vscode';
import { carryLines, type Lines } from './place';
import type { PlacesEvent, Range } from './protocol';
import type { Session } from './session';

const shownNames = 3;
const nameLength = 30;

interface LeftPlace {
  readonly name: string;
  lines: Lines | undefined;  // in the present document; undefined if they are gone
}

// The remaining places of a document's last edit, the likeliest first.
interface Left {
  readonly instruction: string;
  places: LeftPlace[];
}

interface Item extends vscode.QuickPickItem {
  place: LeftPlace;
}

function shortened(name: string): string {
  return name.length > nameLength ? `${name.slice(0, nameLength - 1)}…` : name;
}

// "3 of 41 places: read, write, close", "5 of 41 places: read, write, close and 2 more".
function described({ chosen, parts }: PlacesEvent, isChosen: boolean): string {
  const n = chosen.length;
  const count = isChosen ? (n === 1 ? '1 place' : `${n} places`) : `${n} of ${parts} places`;
  const names = chosen.slice(0, shownNames).map(({ name }) => shortened(name)).join(', ');
  return `${count}: ${names}${n > shownNames ? ` and ${n - shownNames} more` : ''}`;
}

export class Places implements vscode.Disposable {
  private readonly left = new Map<vscode.TextDocument, Left>();
  private readonly parts: vscode.Disposable[];

  constructor() {
    this.parts = [
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const change = { version: document.version, changes: contentChanges };
        for (const place of this.left.get(document)?.places ?? []) {
          place.lines = place.lines && carryLines(place.lines, change.version - 1, [change]);
        }
      }),
      vscode.workspace.onDidCloseTextDocument((document) => this.left.delete(document)),
    ];
  }

  dispose(): void {
    this.parts.forEach((part) => part.dispose());
  }

  // Handles a `places` event.
  receive({ document, instruction, isChosen, log }: Session, event: PlacesEvent): string {
    if (!isChosen) {
      const places = event.others.map(({ name, range }) => ({
        name, lines: carryLines({ first: range.start.line, end: range.end.line }, event.version, log),
      }));
      this.left.set(document, { instruction, places });
    }
    return described(event, isChosen);
  }

  // How many remaining places still exist.
  count(document: vscode.TextDocument | undefined): number {
    return document ? itemsOf(document, this.left.get(document)).length : 0;
  }

  // Offers the remaining places. A chosen place is no longer offered. Its ranges refer to the document at that time, which may
  // have changed since the offer.
  async choose(document: vscode.TextDocument): Promise<{ instruction: string; ranges: Range[] } | undefined> {
    const left = this.left.get(document);
    const items = itemsOf(document, left);
    if (!left || items.length === 0) {
      void vscode.window.showInformationMessage('redraft: no places are left in this file. "Edit File" finds some.');
      return undefined;
    }
    const picked = await vscode.window.showQuickPick(items, {
      canPickMany: true,
      title: `redraft: edit further places: ${left.instruction}`,
      placeHolder: 'Which places should be edited too?',
      ignoreFocusOut: true,
    });
    const chosen = (picked ?? []).map(({ place }) => place);
    const present = itemsOf(document, left).map(({ place }) => place).filter((place) => chosen.includes(place));
    left.places = left.places.filter((place) => !chosen.includes(place));
    const ranges = present.map(({ lines }) => rangeOf(lines!));
    return ranges.length > 0 ? { instruction: left.instruction, ranges } : undefined;
  }
}

function rangeOf({ first, end }: Lines): Range {
  return { start: { line: first, character: 0 }, end: { line: end, character: 0 } };
}

// A place with only blank lines left counts as gone.
function itemsOf(document: vscode.TextDocument, left: Left | undefined): Item[] {
  const isThere = ({ lines }: LeftPlace) =>
    lines !== undefined && document.getText(new vscode.Range(lines.first, 0, lines.end, 0)).trim() !== '';
  return (left?.places ?? []).filter(isThere).map((place) => ({
    label: place.name, description: `line ${place.lines!.first + 1}`, place,
  }));
}
