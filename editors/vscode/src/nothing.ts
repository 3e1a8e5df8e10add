// What to try when the model changed nothing: the next larger region, or other words.
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { placeOf, type Range, type Region, type RegionResult } from './protocol';

// Where the edit was: the cursor or the selection for which it was requested, and the region that it took if it was chosen.
export interface Tried {
  range: Range;
  region: Range | undefined;
}

// What the user chose: a wider region, of `version` of the document, or other words for the same place.
export type Choice = { region: Region; version: number } | 'words';

function contains(outer: Range, inner: Range): boolean {
  return outer.start.line <= inner.start.line && outer.end.line >= inner.end.line;
}

function isSame(a: Range, b: Range): boolean {
  return contains(a, b) && contains(b, a);
}

// The smallest region that is larger than what was tried.
async function widerThan(
  { range, region }: Tried, document: vscode.TextDocument, client: LanguageClient,
): Promise<{ region: Region; version: number } | undefined> {
  const { version } = document;
  const place = placeOf(client.code2ProtocolConverter.asUri(document.uri), version, range);
  const { regions, index } = await client.sendRequest<RegionResult>('redraft/region', place);
  const tried = region ?? regions[index]?.range;
  const wider = tried && regions.find((other) => contains(other.range, tried) && !isSame(other.range, tried));
  return wider && { region: wider, version };
}

export async function sayNothing(
  tried: Tried | undefined, document: vscode.TextDocument, client: LanguageClient | undefined,
): Promise<Choice | undefined> {
  const wider = tried && client && (await widerThan(tried, document, client).catch(() => undefined));
  const words = 'Other Words…';
  const title = wider?.region.title ?? '';
  const wide = `${title.charAt(0).toUpperCase()}${title.slice(1)}`; // "Edit class FTP, 120 lines"
  const hint = wider ? 'try a wider region, or say it in other words' : 'say it in other words';
  const offers = [...(wider ? [wide] : []), ...(tried ? [words] : [])];
  const choice = await vscode.window.showInformationMessage(`redraft: the model changed nothing: ${hint}.`, ...offers);
  return choice === undefined ? undefined : choice === words ? 'words' : wider;
}
