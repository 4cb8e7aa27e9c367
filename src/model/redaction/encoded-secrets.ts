import { MASK } from '../../base/secret.js';
import { escapePattern } from './escape-pattern.js';

/** Masks given secrets that are written in another way than as they are. */
export interface EncodedSecrets {
  /** Contract: does not throw; time is linear in the text. */
  mask(text: string): string;
  /** The length of the longest form. */
  readonly longest: number;
}

/**
 * The forms of secrets in base64 (RFC 4648, sections 4 and 5: both alphabets, with and without padding), in hex, and
 * percent-encoded (RFC 3986, section 2.1). In base64 a secret may stand behind other bytes, as in `user:secret`.
 */
export function encodedSecrets(secrets: readonly string[]): EncodedSecrets {
  const plain = [...new Set(secrets)].filter(({ length }) => length >= SHORTEST && length <= LONGEST);
  const forms = plain
    .flatMap((secret) => [...base64Forms(secret), ...hexForms(secret)])
    .toSorted((a, b) => b.text.length - a.text.length);
  return {
    longest: Math.max(
      0,
      ...forms.map(({ text }) => text.length + 4),
      ...plain.map((secret) => Buffer.byteLength(secret) * 3),
    ),
    mask(text) {
      if (text.length < SHORTEST) return text;
      let rest = text;
      // `includes` looks at a few characters only: patterns are made and run where there is something to mask.
      for (const form of forms) if (rest.includes(form.text)) rest = rest.replaceAll(toPattern(form), MASK);
      return maskPercent(rest, plain);
    },
  };
}

const SHORTEST = 8; // characters; the forms of shorter ones occur in ordinary data
const LONGEST = 8_192; // characters; a private key of 8192 bits has 6,400

interface Form {
  readonly text: string;
  /** Whether the characters beside the text have some bits of the secret, too. */
  readonly sharesFirst: boolean;
  readonly sharesLast: boolean;
}

function toPattern({ text, sharesFirst, sharesLast }: Form): RegExp {
  const before = sharesFirst ? BASE64_CHARACTER : '';
  const after = sharesLast ? `${BASE64_CHARACTER}=*` : '=*';
  return new RegExp(before + escapePattern(text) + after, 'gu');
}

const BASE64_CHARACTER = String.raw`[\w+/-]?`;

/** Three bytes are four characters: how a secret is written depends on how many bytes are before it. */
function base64Forms(secret: string): Form[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [0, 1, 2].flatMap((shift) => {
    const bits = (shift + bytes.length) * 8;
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    const text = whole.slice(Math.ceil((shift * 8) / 6), Math.floor(bits / 6));
    const shared = { sharesFirst: shift > 0, sharesLast: bits % 6 > 0 };
    return base64Spellings(text).map((one) => ({ text: one, ...shared }));
  });
}

/** As it is, in the alphabet for URLs, percent-encoded, and in JSON that escapes slashes. */
function base64Spellings(text: string): readonly string[] {
  const encoded = encodeURIComponent(text);
  return [
    ...new Set([
      text,
      text.replaceAll('+', '-').replaceAll('/', '_'),
      encoded,
      lowerEscapes(encoded),
      text.replaceAll('/', String.raw`\/`),
    ]),
  ];
}

function hexForms(secret: string): Form[] {
  const hex = Buffer.from(secret, 'utf8').toString('hex');
  return [...new Set([hex, hex.toUpperCase()])].map((text) => ({ text, sharesFirst: false, sharesLast: false }));
}

/** Any byte of a secret may be percent-encoded or not, and blanks may be `+`. */
function maskPercent(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0 || (!text.includes('%') && !text.includes('+'))) return text;
  const bytes = Buffer.from(text);
  const decoded = decodePercent(bytes);
  const spaced = secrets.some((secret) => secret.includes(' ')) ? withBlanks(decoded) : NOTHING;
  const ranges = secrets.flatMap((secret) => {
    const wanted = Buffer.from(secret);
    return [...occurrences(decoded.bytes, wanted), ...(secret.includes(' ') ? occurrences(spaced, wanted) : [])];
  });
  return ranges.length === 0 ? text : maskDecoded(bytes, decoded, ranges);
}

interface Decoded {
  readonly bytes: Buffer;
  /** Where the escapes are in `bytes`, each in the place of three written bytes. */
  readonly escapes: readonly number[];
}

function decodePercent(written: Buffer): Decoded {
  const bytes = Buffer.allocUnsafe(written.length);
  const escapes: number[] = [];
  let length = 0;
  for (let at = 0; at < written.length; at++) {
    const [high, low] = written[at] === PERCENT ? [HEX[written[at + 1] ?? 0]!, HEX[written[at + 2] ?? 0]!] : PLAIN;
    if (high >= 0 && low >= 0) {
      escapes.push(length);
      bytes[length++] = high * 16 + low;
      at += 2;
    } else bytes[length++] = written[at]!;
  }
  return { bytes: bytes.subarray(0, length), escapes };
}

const PERCENT = 0x25;
const PLUS = 0x2b;
const BLANK = 0x20;
const PLAIN: readonly [number, number] = [-1, -1];
const NOTHING = Buffer.alloc(0);
/** The value of each byte as a hex digit; -1 for what is none. */
const HEX: readonly number[] = Array.from({ length: 256 }, (_, code) =>
  '0123456789abcdef'.indexOf(code === 0 ? '-' : String.fromCharCode(code).toLowerCase()),
);

/** Written plus signs as blanks; one that is written as an escape stays. */
function withBlanks({ bytes, escapes }: Decoded): Buffer {
  const spaced = Buffer.from(bytes);
  for (let at = spaced.indexOf(PLUS); at !== -1; at = spaced.indexOf(PLUS, at + 1)) spaced[at] = BLANK;
  for (const at of escapes) spaced[at] = bytes[at]!;
  return spaced;
}

function occurrences(bytes: Buffer, wanted: Buffer): Range[] {
  const found: Range[] = [];
  for (let from = bytes.indexOf(wanted); from !== -1; from = bytes.indexOf(wanted, from + wanted.length))
    found.push({ from, to: from + wanted.length });
  return found;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Masks ranges of the decoded bytes in the bytes as they were written. */
function maskDecoded(written: Buffer, { escapes }: Decoded, ranges: readonly Range[]): string {
  let before = 0; // escapes up to a place
  const placeOf = (decoded: number): number => {
    while (before < escapes.length && escapes[before]! < decoded) before++;
    return decoded + before * 2;
  };
  let masked = '';
  let copied = 0;
  let end = 0; // of the ranges so far, decoded
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    if (to <= end) continue;
    if (from >= end) masked += written.toString('utf8', copied, placeOf(from)) + MASK;
    copied = placeOf(to);
    end = to;
  }
  return masked + written.toString('utf8', copied);
}

function lowerEscapes(text: string): string {
  return text.replaceAll(/%[\dA-F]{2}/gu, (escape) => escape.toLowerCase());
}
