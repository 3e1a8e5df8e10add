// What to try if the model changed nothing: the next larger region, other words, or another answer.
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { placeOf, type Range, type Region, type RegionResult } from './protocol';

// The place of the edit: the requested cursor or selection, and the region if one was chosen.
export interface Tried {
  range: Range;
  region: Range | undefined;
}

// The user's choice: a wider region (of `version` of the document), other words for the same place, or another try.
export type Choice = { region: Region; version: number } | 'words' | 'another';

function contains(outer: Range, inner: Range): boolean {
  return outer.start.line <= inner.start.line && outer.end.line >= inner.end.line;
}

function isSame(a: Range, b: Range): boolean {
  return contains(a, b) && contains(b, a);
}

// The smallest region that is larger than the tried one.
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

// `hint` is the server's text. Each of its suggestions has a button, if it is available.
export async function sayNothing(
  hint: string, tried: Tried | undefined, document: vscode.TextDocument, client: LanguageClient | undefined, hasOther: boolean,
): Promise<Choice | undefined> {
  const wider = tried && client && (await widerThan(tried, document, client).catch(() => undefined));
  const [words, another] = ['Other Words…', 'Another Try'];
  const title = wider?.region.title ?? '';
  const wide = `${title.charAt(0).toUpperCase()}${title.slice(1)}`; // "Edit class FTP, 120 lines"
  const says = (text: string) => hint.toLowerCase().includes(text);
  const offers = [
    ...(wider ? [wide] : []), ...(tried && says('rephrase') ? [words] : []), ...(hasOther && says('another try') ? [another] : []),
  ];
  const choice = await vscode.window.showInformationMessage(`redraft: ${hint}.`, ...offers);
  const choices: Record<string, Choice | undefined> = { [wide]: wider, [words]: 'words', [another]: 'another' };
  return choice === undefined ? undefined : choices[choice];
}
