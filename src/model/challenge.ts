// https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1, https://www.rfc-editor.org/rfc/rfc9728#section-5.1
import { splitScopes } from './oauth-scopes.js';

/** The readable parts of a WWW-Authenticate header. */
export interface Challenge {
  readonly scheme?: 'bearer' | 'dpop' | undefined;
  readonly resourceMetadata?: string | undefined;
  readonly scopes: readonly string[];
  readonly error?: string | undefined;
}

/** Reads Bearer and DPoP challenges; of a repeated parameter, the first. Contract: does not throw, time is linear. */
export function parseChallenge(header: string | undefined): Challenge {
  if (header === undefined) return { scopes: [] };
  const text = header.slice(0, READ_LIMIT);
  let scheme: Challenge['scheme'];
  let isOurs = false;
  const said = new Map<string, string>();
  for (let at = 0; at < text.length;) {
    const word = match(WORD, text, at);
    if (word === undefined) {
      at = text[at] === '"' ? quotedEnd(text, at) : at + 1;
      continue;
    }
    at += word.length;
    const equals = match(EQUALS, text, at);
    if (equals === undefined) {
      const name = word.toLowerCase();
      isOurs = name === 'bearer' || name === 'dpop';
      if (name === 'bearer' || name === 'dpop') scheme ??= name;
      continue;
    }
    at += equals.length;
    const { value, end } = readValue(text, at);
    at = end;
    const key = word.toLowerCase();
    if (isOurs && value !== undefined && KEYS.has(key) && !said.has(key)) said.set(key, value);
  }
  return {
    scheme,
    resourceMetadata: plain(said.get('resource_metadata'), URL_LIMIT),
    scopes: splitScopes(said.get('scope') ?? ''),
    error: plain(said.get('error'), ERROR_LIMIT),
  };
}

const READ_LIMIT = 65_536;
const URL_LIMIT = 8_192;
const ERROR_LIMIT = 100;
const KEYS: ReadonlySet<string> = new Set(['resource_metadata', 'scope', 'error']);
const WORD = /[\w!#$%&'*+.^`|~-]+/y;
const EQUALS = /[ \t]{0,8}=[ \t]{0,8}/y;
const BARE = /[^\s,"]*/y;
const PRINTABLE = /^[\x21-\x7e]+$/u;

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** `value` is undefined when the closing quote is missing: the rest of the header is then unusable. */
function readValue(text: string, at: number): { readonly value: string | undefined; readonly end: number } {
  if (text[at] !== '"') {
    const value = match(BARE, text, at) ?? '';
    return { value, end: at + value.length };
  }
  const end = quotedEnd(text, at);
  if (end > text.length) return { value: undefined, end };
  return { value: text.slice(at + 1, end - 1).replaceAll(/\\([^])/gu, '$1'), end };
}

/** The index after the closing quote; `text.length + 1` when there is none. */
function quotedEnd(text: string, at: number): number {
  for (let index = at + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '"') return index + 1;
  }
  return text.length + 1;
}

function plain(value: string | undefined, limit: number): string | undefined {
  return value !== undefined && value.length <= limit && PRINTABLE.test(value) ? value : undefined;
}
