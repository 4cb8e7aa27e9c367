import { MASK } from '../../base/secret.js';

/**
 * The words to remove from a text for these secrets: of "Bearer abc" the whole and "abc", of a key of several lines the
 * whole and its lines, each also as JSON writes it. Longest first.
 */
export function secretWords(secrets: readonly string[]): readonly string[] {
  const all = secrets.flatMap((secret) => [...wholes(secret), ...longLines(secret)]).flatMap(jsonForms);
  return [...new Set(all)].filter(({ length }) => length >= SHORTEST).toSorted((a, b) => b.length - a.length);
}

export function withoutWords(text: string, words: readonly string[]): string {
  return words.reduce((clean, word) => clean.replaceAll(word, MASK), text);
}

const SHORTEST = 8; // shorter ones are ordinary words like "true"

/** With and without what is before the first blank and the blanks around it, and with either line end. */
function wholes(secret: string): readonly string[] {
  const spellings = [secret, secret.replace(/^\S+ /u, ''), secret.trim()];
  return LINE_END.test(secret) ? spellings.flatMap((one) => [one, ...withLineEnds(one)]) : spellings;
}

function withLineEnds(text: string): readonly string[] {
  const lines = text.split(LINE_END);
  return [lines.join('\n'), lines.join('\r\n')];
}

/** A server may print a key line by line. */
function longLines(secret: string): readonly string[] {
  const lines = secret.split(LINE_END, LINES_LIMIT);
  if (lines.length === 1) return [];
  return lines.map((line) => line.trim()).filter((line) => line.length >= SHORTEST_LINE && !KEY_BOUNDARY.test(line));
}

const LINE_END = /\r?\n/u;
const LINES_LIMIT = 512; // a private key of 16384 bits has 200
const SHORTEST_LINE = 16; // shorter ones are ordinary text
/** The first and last line of a PEM (RFC 7468) say only what is between them. */
const KEY_BOUNDARY = /^-{5}(?:BEGIN|END) [A-Z0-9 ]*-{5}$/u;

/** As it is, in JSON, and in JSON within JSON; for most words all are the same. */
function jsonForms(word: string): readonly string[] {
  const once = inJson(word);
  return once === word ? [word] : [word, once, inJson(once)];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
