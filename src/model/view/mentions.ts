/** `@server:uri` in the user's text. */
export interface Mention {
  /** The name of the server, without quotes. */
  readonly server: string;
  /** The URI of the resource, without quotes. */
  readonly uri: string;
  /** The index of the `@`; `end` is after the last character. */
  readonly start: number;
  /** The index after the last character. */
  readonly end: number;
}

/**
 * Finds all mentions of resources in a text. A name or URI with blanks is quoted: `@"my server":"note:///a b"`.
 * `servers` are needed for names with a colon. An `@` inside a word, as in an e-mail address, does not count. Never
 * throws; time is linear in the text.
 */
export function findMentions(text: string, servers: Iterable<string> = []): readonly Mention[] {
  const known = [...servers].filter((name) => name.includes(':')).toSorted((a, b) => b.length - a.length);
  const found: Mention[] = [];
  let looks = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at)) {
    if (++looks > LOOK_LIMIT || found.length === MENTION_LIMIT) break;
    const mention = isBoundary(text[at - 1]) ? readMention(text, at, known) : undefined;
    if (mention) found.push(mention);
    at = mention?.end ?? at + 1;
  }
  return found;
}

const MENTION_LIMIT = 100; // more than a person names in one message
const LOOK_LIMIT = 10_000;
const NAME_LIMIT = 300;
const URI_LIMIT = 4_096;

function isBoundary(before: string | undefined): boolean {
  return before === undefined || /[\s([{<"'`,;]/u.test(before);
}

function readMention(text: string, start: number, known: readonly string[]): Mention | undefined {
  const name = readName(text, start + 1, known);
  if (!name || text[name.end] !== ':') return undefined;
  const uri = readUri(text, name.end + 1);
  return uri && { server: name.value, uri: uri.value, start, end: uri.end };
}

interface Piece {
  readonly value: string;
  readonly end: number;
}

function readName(text: string, at: number, known: readonly string[]): Piece | undefined {
  if (text[at] === '"') return readQuoted(text, at, NAME_LIMIT);
  const name = known.find((one) => text.startsWith(`${one}:`, at));
  if (name !== undefined) return { value: name, end: at + name.length };
  const [value] = /^[^\s:@"'`<>()]+/u.exec(text.slice(at, at + NAME_LIMIT)) ?? [];
  return value === undefined ? undefined : { value, end: at + value.length };
}

function readUri(text: string, at: number): Piece | undefined {
  if (text[at] === '"') return readQuoted(text, at, URI_LIMIT);
  const [run = ''] = /^[^\s"<>`]+/u.exec(text.slice(at, at + URI_LIMIT + 1)) ?? [];
  if (run.length > URI_LIMIT) return undefined;
  const value = withoutTail(run);
  return value === '' ? undefined : { value, end: at + value.length };
}

function readQuoted(text: string, at: number, limit: number): Piece | undefined {
  const end = text.slice(at + 1, at + limit + 2).indexOf('"');
  return end < 1 ? undefined : { value: text.slice(at + 1, at + 1 + end), end: at + end + 2 };
}

/** Punctuation that ends the sentence, or closes an earlier bracket, is not part of the URI. */
function withoutTail(run: string): string {
  const counts = new Map<string, number>();
  for (const character of run) counts.set(character, (counts.get(character) ?? 0) + 1);
  const count = (character: string): number => counts.get(character) ?? 0;
  let end = run.length;
  while (end > 0) {
    const last = run[end - 1]!;
    const opening = PAIRS.get(last);
    const isTail = opening === undefined ? TAIL.has(last) : count(last) > count(opening);
    if (!isTail) break;
    counts.set(last, count(last) - 1);
    end--;
  }
  return run.slice(0, end);
}

const TAIL: ReadonlySet<string> = new Set(".,;:!?'*_|…");
const PAIRS: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);
