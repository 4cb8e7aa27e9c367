/** How a text may be written so that it looks like another. */
export type FlowEncoding = 'base64' | 'hex' | 'url';

/** What a part of a text says when it is decoded. */
export interface DecodedForm {
  readonly encoding: FlowEncoding;
  readonly text: string;
  /** Where the encoded part begins in the text, and how long it is. */
  readonly at: number;
  readonly length: number;
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
    level = level.flatMap(({ encoding, text: inner, at, length }) =>
      decodeOnce(inner).map((form) => ({ ...form, encoding, at, length })),
    );
  }
  return all;
}

const DEPTH = 3;

function decodeOnce(text: string): readonly DecodedForm[] {
  if (text.length < SHORTEST) return [];
  const { hasHex, hasBase64 } = findDigits(text);
  return [...percentForms(text), ...(hasHex ? hexForms(text) : []), ...(hasBase64 ? base64Forms(text) : [])];
}

const SHORTEST = 24; // characters; what they hold is too short to be recognised as a copy

/** Whether a text may have hex or base64 at all: the patterns would take ten times as long to say no. */
function findDigits(text: string): { readonly hasHex: boolean; readonly hasBase64: boolean } {
  let hexDigits = 0;
  let run = 0;
  let hasHex = false;
  let hasBase64 = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const kind = unit < KINDS.length ? KINDS[unit]! : 0;
    run = (kind & BASE64_DIGIT) === 0 ? 0 : run + 1;
    if (run === SHORTEST) hasBase64 = true;
    if ((kind & HEX_DIGIT) !== 0) hexDigits++;
    else if ((kind & HEX_SIGN) === 0) hexDigits = 0;
    if (hexDigits === HEX_SHORTEST) hasHex = true;
  }
  return { hasHex, hasBase64 };
}

const HEX_SHORTEST = 32;
const BASE64_DIGIT = 1;
const HEX_DIGIT = 2;
const HEX_SIGN = 4;
const KINDS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const sign = String.fromCharCode(unit);
  return (
    (/[\w+/-]/u.test(sign) ? BASE64_DIGIT : 0) |
    (/[0-9a-f]/iu.test(sign) ? HEX_DIGIT : 0) |
    (/[\\x :,.-]/u.test(sign) ? HEX_SIGN : 0)
  );
});

function percentForms(text: string): readonly DecodedForm[] {
  if (!ESCAPE.test(text)) return [];
  const decoded = text.replaceAll(ESCAPES, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
  return [{ encoding: 'url', text: decoded, at: 0, length: text.length }];
}

const ESCAPE = /%[0-9a-f]{2}/iu;
const ESCAPES = /(?:%[0-9a-f]{2})+/giu;

/** Also with blanks, colons, dots (labels of a host name), `\x` or `0x` between the bytes. A digit may come before. */
function hexForms(text: string): readonly DecodedForm[] {
  return [...text.matchAll(HEX)].flatMap(({ 0: run, index }) => {
    const digits = run.replaceAll(NO_HEX, '');
    return [0, 1].flatMap((from) => toForms('hex', Buffer.from(digits.slice(from), 'hex'), [index, run.length]));
  });
}

const HEX = /(?:(?:\\x|0x|[ :,.-])?[0-9a-f]{2}){16,}[0-9a-f]?/giu;
const NO_HEX = /\\x|0x|[^0-9a-f]/giu;

/** A run may begin with characters that are not of it, such as those of a path. Lines and dots may break it. */
function base64Forms(text: string): readonly DecodedForm[] {
  return [...text.matchAll(BASE64)].flatMap(({ 0: run, index }) => {
    const digits = run.replaceAll(/[\s.]/gu, '').replaceAll('-', '+').replaceAll('_', '/');
    return [0, 1, 2, 3].flatMap((from) =>
      toForms('base64', Buffer.from(digits.slice(from), 'base64'), [index, run.length]),
    );
  });
}

const BASE64 = /[\w+/-]{24,}(?:(?:\r?\n[ \t]*|\.)[\w+/-]{1,}){0,100000}/gu;

/** The parts of decoded bytes that are text: something else may be encoded with it. */
function toForms(
  encoding: FlowEncoding,
  bytes: Buffer,
  [at, length]: readonly [number, number],
): readonly DecodedForm[] {
  const forms: DecodedForm[] = [];
  let from = -1;
  for (let block = 0; block < bytes.length + BLOCK; block += BLOCK) {
    const isText = block < bytes.length && looksLikeText(bytes, block, Math.min(block + BLOCK, bytes.length));
    if (isText && from === -1) from = Math.max(0, block - BLOCK);
    if (isText || from === -1) continue;
    const part = bytes.subarray(from, block + BLOCK);
    const written = length / bytes.length;
    const place = { at: at + Math.floor(from * written), length: Math.floor(part.length * written) };
    forms.push({ encoding, text: part.toString('utf8'), ...place });
    from = -1;
  }
  return forms;
}

/** Whether most bytes are printable: of random bytes an eighth is not. */
function looksLikeText(bytes: Buffer, from: number, to: number): boolean {
  let odd = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if ((byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) || byte === 0x7f) odd++;
  }
  return odd <= (to - from) / 20;
}

const BLOCK = 64; // bytes; a copy that is always found has at least 46
