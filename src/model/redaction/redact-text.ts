import { MASK, type Secret } from '../../base/secret.js';
import { type BrokenSecrets, brokenSecrets } from './broken-secrets.js';
import { gateText } from '../text/text-gate.js';
import { encodedSecrets } from './encoded-secrets.js';
import { escapePattern } from './escape-pattern.js';
import { maskForms } from './redact-forms.js';
import { maskPairs } from './redact-pairs.js';

export interface TextRedactorOptions {
  /** Values that must not appear, whatever they look like: those of the server's own entry. */
  readonly secrets?: readonly Secret[];
  /** The user's home folder, as the system spells it. */
  readonly home?: string | undefined;
}

export interface TextRedactor {
  /** Contract: does not throw; time is linear in the text. */
  redact(text: string): string;
  /** Whether a number, as text, is one of the given secrets. */
  hides(number: string): boolean;
  /** How many characters may have to be seen to recognise a secret. */
  readonly reach: number;
  /** Finds the given secrets where a line end splits them. */
  readonly broken: BrokenSecrets;
}

/** Removes credentials from a text. redact-message.ts lists what stays. */
export function textRedactor({ secrets = [], home }: TextRedactorOptions = {}): TextRedactor {
  const values = toValues(secrets);
  const literals = toLiterals(values);
  const encoded = encodedSecrets(values);
  const homes = toHomes(home);
  const numbers = new Set(literals.map(({ text }) => text).filter((text) => /^-?\d/u.test(text)));
  return {
    reach: Math.max(SHORTEST_REACH, encoded.longest, ...literals.map(({ text }) => text.length)),
    broken: brokenSecrets(literals.map(({ text }) => text)),
    hides: (number) => numbers.has(number),
    redact(text) {
      const rest = mask(text);
      if (literals.length === 0 || !UNPRINTED.test(rest)) return rest;
      // A hidden character in the middle of a secret would be removed before the text is shown.
      const shown = gateText(rest).text;
      const isSplit = literals.some((literal) => shown.includes(literal.text)) || encoded.mask(shown) !== shown;
      return isSplit ? mask(shown) : rest;
    },
  };

  function mask(text: string): string {
    if (text.length < SHORTEST_SECRET) return text;
    let rest = text;
    for (const literal of literals) {
      if (rest.includes(literal.text)) rest = rest.replaceAll(literal.pattern ?? literal.text, MASK);
    }
    rest = encoded.mask(rest);
    if (rest.length >= SHORTEST_FORM || PUNCTUATION.test(rest)) rest = maskPairs(maskForms(rest));
    for (const pattern of homes) rest = rest.replaceAll(pattern, '~');
    return rest;
  }
}

/** Characters that the text gate may remove. */
const UNPRINTED = /[^\n\r\t\u0020-\u007E\u00A1-\u02FF]/u;
const SHORTEST_SECRET = 4; // shorter ones occur in ordinary words
const SHORTEST_FORM = 15; // of a credential in one word
const PUNCTUATION = /[:=%\s]/u;
const SHORTEST_REACH = 4_096; // a private key of 4096 bits has 3,300 characters

interface Literal {
  readonly text: string;
  /** For a short secret, which other words may contain: matches it only as a separate word. */
  readonly pattern: RegExp | undefined;
}

/** The secrets as they are, and without the name of the scheme in a header. */
function toValues(secrets: readonly Secret[]): readonly string[] {
  const values = secrets.map((secret) => secret.reveal().trim());
  const all = values.flatMap((value) => [value, value.replace(/^(?:Bearer|Basic|Token)\s+/iu, '')]);
  return [...new Set(all)].filter(isDistinct);
}

function isDistinct(text: string): boolean {
  return text.length >= SHORTEST_SECRET && !EVERYDAY_VALUE.test(text);
}

/** Longest first, so that no rest of a secret stays when another one begins it. */
function toLiterals(values: readonly string[]): Literal[] {
  // Also as in JSON within a text, and as in a URL.
  const texts = values.flatMap((text) => [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(wellFormed(text)),
  ]);
  return [...new Set(texts)]
    .filter(isDistinct)
    .toSorted((a, b) => b.length - a.length)
    .map((text) => ({ text, pattern: text.length < DISTINCT_LENGTH ? standingAlone(text) : undefined }));
}

const DISTINCT_LENGTH = 8;
/** Ordinary values of variables; masking them would hide half of a recording. */
const EVERYDAY_VALUE =
  /^(?:true|false|none|null|debug|info|notice|warn|warning|error|trace|verbose|silent|quiet|production|development|staging|testing|test|local|localhost|default|enabled|disabled|auto|json|text|utf-8|\d{1,5}|https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?\/?)$/iu;

function standingAlone(text: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])${escapePattern(text)}(?![A-Za-z0-9])`, 'gu');
}

/** Patterns for the home folder as a path, in JSON within a text, with the other slash, and in a URL. */
function toHomes(home: string | undefined): RegExp[] {
  const path = home?.replace(/[/\\]+$/u, '') ?? '';
  if (path.length < SHORTEST_SECRET) return []; // `/` would match everywhere
  const slashed = path.replaceAll('\\', '/');
  const forms = new Set([path.replaceAll('\\', '\\\\'), path, slashed, encodeURI(wellFormed(slashed))]);
  return [...forms].map((form) => new RegExp(`${escapePattern(form)}(?![\\w-])`, path.includes('\\') ? 'giu' : 'gu'));
}

/** Lone surrogates cannot be encoded in a URL. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}
