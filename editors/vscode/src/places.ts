// The places of a file that an edit takes, and those that it leaves: they follow the text, so that the user can have them
// edited too.
import * as vscode from 'vscode';
import { carryGrowing, grow, plain } from './place';
import type { PlacesEvent, Range } from './protocol';
import type { Session } from './session';

const shownNames = 3;

interface LeftPlace {
  name: string;
  range: vscode.Range;
}

// What the last edit of a document's places left, the likeliest first.
interface Left {
  instruction: string;
  places: LeftPlace[];
  chosen: LeftPlace[]; // of these, by the user, and no longer left
}

interface Item extends vscode.QuickPickItem {
  place: LeftPlace;
}

export class Places implements vscode.Disposable {
  private readonly left = new Map<vscode.TextDocument, Left>();
  private readonly parts: vscode.Disposable[];

  constructor() {
    this.parts = [
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const left = this.left.get(document);
        for (const change of left ? contentChanges : []) {
          const move = (range: vscode.Range) => grow(range, change.range, change.text);
          left!.places = moved(left!.places, move);
          left!.chosen = moved(left!.chosen, move);
        }
      }),
      vscode.workspace.onDidCloseTextDocument((document) => this.left.delete(document)),
    ];
  }

  dispose(): void {
    this.parts.forEach((part) => part.dispose());
  }

  // Handles the event: gives what is edited, for people ("3 of 41 places: read, write, close"), and remembers what is left.
  receive(session: Session, event: PlacesEvent, asRange: (range: Range) => vscode.Range): string {
    if (!session.isChosen) {
      const others = event.others.map(({ name, range }) => ({ name, range: asRange(range) }));
      const places = moved(others, (range) => carryGrowing(range, event.version, session.log));
      this.left.set(session.document, { instruction: session.instruction, places, chosen: [] });
    }
    const names = event.chosen.map(({ name }) => name);
    const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : '';
    return `${names.length} of ${Math.max(event.parts, names.length)} places: ${names.slice(0, shownNames).join(', ')}${more}`;
  }

  countOf(document: vscode.TextDocument): number {
    return this.left.get(document)?.places.length ?? 0;
  }

  // Offers the places that are left; gives the instruction and where the chosen ones are, whenever that is asked.
  async choose(document: vscode.TextDocument): Promise<{ instruction: string; ranges: () => Range[] } | undefined> {
    const left = this.left.get(document);
    if (!left || left.places.length === 0) {
      void vscode.window.showInformationMessage('redraft: no places are left in this file; "redraft: Edit File…" finds some.');
      return undefined;
    }
    const items: Item[] = left.places.map((place) => (
      { label: place.name, description: `line ${place.range.start.line + 1}`, place }));
    const title = `redraft: edit further places? "${left.instruction}"`;
    const options = { canPickMany: true, title, placeHolder: 'Places that the edit left, the likeliest first' } as const;
    const chosen = await vscode.window.showQuickPick<Item>(items, options);
    if (!chosen || chosen.length === 0) {
      return undefined;
    }
    const isChosen = (place: LeftPlace) => chosen.some((item) => item.place === place);
    left.chosen = left.places.filter(isChosen);
    left.places = left.places.filter((place) => !isChosen(place));
    return { instruction: left.instruction, ranges: () => left.chosen.map(({ range }) => plain(range)) };
  }
}

// Keeps each place's identity: the user may be choosing among them. Those whose lines are gone are left out.
function moved(places: LeftPlace[], move: (range: vscode.Range) => vscode.Range | undefined): LeftPlace[] {
  return places.filter((place) => {
    const range = move(place.range);
    place.range = range ?? place.range;
    return range !== undefined && range.end.line > range.start.line;
  });
}
