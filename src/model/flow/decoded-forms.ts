/** How a text may be written so that it looks like another. */
export type FlowEncoding = 'base64' | 'hex' | 'url';

/** What a part of a text says when it is decoded. */
export interface DecodedForm {
  readonly encoding: FlowEncoding;
  readonly text: string;
  /** Where the encoded part begins in the text. */
  readonly at: number;
}

/**
 * The parts of a text that are base64 (RFC 4648, both alphabets), hex or percent-encoded (RFC 3986), decoded; also what
 * is encoded twice or three times. Parts that give no text are left out. `limit`: characters of all forms together;
 * undefined where there would be more.
 */
export function decodedForms(text: string, limit: number): readonly DecodedForm[] | undefined {
  const all: DecodedForm[] = [];
  let size = 0;
  let level: readonly DecodedForm[] = decodeOnce(text);
  for (let depth = 1; level.length > 0; depth++) {
    for (const form of level) size += form.text.length;
    if (size > limit) return undefined;
    all.push(...level);
    if (depth === DEPTH) break;
    // What is inside an encoded part is told by the outermost encoding, which the user sees.
    level = level.flatMap(({ encoding, text: inner, at }) =>
      decodeOnce(inner).map((form) => ({ ...form, encoding, at })),
    );
  }
  return all;
}

const DEPTH = 3;

function decodeOnce(text: string): readonly DecodedForm[] {
  if (text.length < SHORTEST) return [];
  return [...percentForms(text), ...hexForms(text), ...base64Forms(text)];
}

const SHORTEST = 24; // characters; what they hold is too short to be recognised as a copy

function percentForms(text: string): readonly DecodedForm[] {
  const at = text.search(ESCAPE);
  if (at === -1) return [];
  const decoded = text.replaceAll(ESCAPES, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
  return [{ encoding: 'url', text: decoded, at }];
}

const ESCAPE = /%[0-9a-f]{2}/iu;
const ESCAPES = /(?:%[0-9a-f]{2})+/giu;

/** Also with blanks, colons, `\x` or `0x` between the bytes. A run may begin with a digit that is not of it. */
function hexForms(text: string): readonly DecodedForm[] {
  return [...text.matchAll(HEX)].flatMap(({ 0: run, index }) => {
    const digits = run.replaceAll(NO_HEX, '');
    return [0, 1].flatMap((from) => toForm('hex', Buffer.from(digits.slice(from), 'hex'), index));
  });
}

const HEX = /(?:(?:\\x|0x|[ :,-])?[0-9a-f]{2}){16,}[0-9a-f]?/giu;
const NO_HEX = /\\x|0x|[^0-9a-f]/giu;

/** A run may begin with characters that are not of it, such as those of a path. Lines may break it. */
function base64Forms(text: string): readonly DecodedForm[] {
  return [...text.matchAll(BASE64)].flatMap(({ 0: run, index }) => {
    const digits = run.replaceAll(/\s/gu, '').replaceAll('-', '+').replaceAll('_', '/');
    return [0, 1, 2, 3].flatMap((from) => toForm('base64', Buffer.from(digits.slice(from), 'base64'), index));
  });
}

const BASE64 = /[\w+/-]{24,}(?:\r?\n[ \t]*[\w+/-]{1,}){0,100000}/gu;

/** None where the bytes are no text. */
function toForm(encoding: FlowEncoding, bytes: Buffer, at: number): readonly DecodedForm[] {
  return looksLikeText(bytes) ? [{ encoding, text: bytes.toString('utf8'), at }] : [];
}

/** Whether most of the first bytes are printable: of random bytes a third is not. */
function looksLikeText(bytes: Buffer): boolean {
  const end = Math.min(bytes.length, SAMPLE);
  if (end < 12) return false;
  let odd = 0;
  for (let at = 0; at < end; at++) {
    const byte = bytes[at]!;
    if ((byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) || byte === 0x7f) odd++;
  }
  return odd <= end / 20;
}

const SAMPLE = 256;
