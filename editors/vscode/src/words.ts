// Finds the words of a hunk that differ.
import { diffArrays } from 'diff';

// Start and end offsets of differing text.
export type Spans = [number, number][];

export interface Words {
  removed: Spans; // in the old text
  added: Spans; // in the new text
}

// Beyond this limit, the search takes noticeably long.
const maxTokens = 4000;
// Below this share in common, marks are less helpful than two whole texts.
const minInCommon = 0.4;

function tokens(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s|[^\p{L}\p{N}_\s]/gu) ?? [];
}

const visible = (token: string) => (token.trim() === '' ? 0 : token.length);
const sizeOf = (all: string[]) => all.reduce((sum, token) => sum + visible(token), 0);

// Joins spans separated only by blanks, and drops blank ones.
function tidied(spans: Spans, text: string): Spans {
  const joined: Spans = [];
  for (const [from, to] of spans) {
    const last = joined[joined.length - 1];
    if (last && /^[ \t]*$/.test(text.slice(last[1], from))) {
      last[1] = to;
    } else {
      joined.push([from, to]);
    }
  }
  return joined.filter(([from, to]) => text.slice(from, to).trim() !== '');
}

// Undefined if the texts have too little in common.
export function wordsOf(oldText: string, newText: string): Words | undefined {
  const [before, after] = [tokens(oldText), tokens(newText)];
  if (before.length + after.length > maxTokens) {
    return undefined;
  }
  const words: Words = { removed: [], added: [] };
  let [inOld, inNew, inCommon] = [0, 0, 0];
  for (const { value, added, removed } of diffArrays(before, after)) {
    const length = value.join('').length;
    if (added) {
      words.added.push([inNew, inNew + length]);
    } else if (removed) {
      words.removed.push([inOld, inOld + length]);
    } else {
      inCommon += sizeOf(value);
    }
    inOld += added ? 0 : length;
    inNew += removed ? 0 : length;
  }
  if (2 * inCommon < minInCommon * (sizeOf(before) + sizeOf(after))) {
    return undefined;
  }
  return { removed: tidied(words.removed, oldText), added: tidied(words.added, newText) };
}
