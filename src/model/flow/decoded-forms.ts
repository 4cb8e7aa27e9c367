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
 * is encoded twice or three times. Parts that give no text are left out. Undefined where there would be more than the
 * limit.
 */
export function decodedForms(text: string, { limit, shortest }: DecodeBounds): readonly DecodedForm[] | undefined {
  const all: DecodedForm[] = [];
  let size = 0;
  let level: readonly DecodedForm[] = decodeOnce(text, shortest);
  for (let depth = 1; level.length > 0; depth++) {
    for (const form of level) size += form.text.length;
    if (size > limit) return undefined;
    all.push(...level);
    if (depth === DEPTH) break;
    // What is inside an encoded part is told by the outermost encoding, which the user sees.
    level = level.flatMap(({ encoding, text: inner, at, length }) =>
      decodeOnce(inner, shortest).map((form) => ({ ...form, encoding, at, length })),
    );
  }
  return all;
}

export interface DecodeBounds {
  /** Characters of all forms together. */
  readonly limit: number;
  /** Characters of base64 without a break: what shorter ones hold is too short for what is looked for. */
  readonly shortest: number;
}

const DEPTH = 3;

function decodeOnce(text: string, shortest: number): readonly DecodedForm[] {
  if (text.length < shortest) return [];
  const { hex, base64 } = findDigits(text, shortest);
  const groups = groupedDigits(text, shortest);
  return [...percentForms(text), ...hex.flatMap(hexForms), ...[...base64, ...groups].flatMap(base64Forms)];
}

/** A part of a text that may be encoded, and where it begins. */
interface Digits {
  readonly text: string;
  readonly at: number;
}

/**
 * The parts of a text that may be hex or base64, in one pass: patterns would take ten times as long. Between the bytes of
 * hex there may be blanks, colons, commas, dots (labels of a host name), hyphens, `\x` and `0x`; lines and dots may break
 * base64. A part may begin and end with characters that are not of it, such as those of a path.
 */
function findDigits(
  text: string,
  shortest: number,
): { readonly hex: readonly Digits[]; readonly base64: readonly Digits[] } {
  const hex: Digits[] = [];
  const base64: Digits[] = [];
  if (!hasRun(text, BASE64_DIGIT, shortest) && !hasRun(text, HEX_DIGIT | HEX_SIGN, HEX_SHORTEST))
    return { hex, base64 };
  let [hexFrom, hexDigits] = [0, 0];
  let [from, run, longest] = [-1, 0, 0];
  let isIndent = false;
  for (let at = 0; at <= text.length; at++) {
    const unit = at < text.length ? text.charCodeAt(at) : END;
    const kind = unit < KINDS.length ? KINDS[unit]! : 0;
    if ((kind & HEX_DIGIT) !== 0) hexDigits++;
    else if ((kind & HEX_SIGN) === 0) {
      if (hexDigits >= HEX_SHORTEST) hex.push({ text: text.slice(hexFrom, at), at: hexFrom });
      hexFrom = at + 1;
      hexDigits = 0;
    }
    if ((kind & BASE64_DIGIT) !== 0) {
      if (from === -1) from = at;
      if (++run > longest) longest = run;
      isIndent = false;
      continue;
    }
    run = 0;
    if ((kind & BREAK) !== 0) isIndent = unit !== DOT;
    else if ((kind & BLANK) === 0 || !isIndent) {
      if (longest >= shortest) base64.push({ text: text.slice(from, at), at: from });
      from = -1;
      longest = 0;
      isIndent = false;
    }
  }
  return { hex, base64 };
}

/** The groups of base64 in a text as one: parameters of a URL, items with something short between them. */
function groupedDigits(text: string, shortest: number): readonly Digits[] {
  if (!hasRun(text, BASE64_DIGIT, GROUP)) return [];
  const groups = [...text.matchAll(GROUPS)];
  const joined = groups.map(([group]) => group).join('');
  return groups.length > 1 && joined.length >= shortest ? [{ text: joined, at: groups[0]!.index }] : [];
}

const GROUP = 16; // few words of prose are as long
const GROUPS = /[\w+/-]{16,}/gu;

/** Whether a text has so many signs of a kind in a row: only one sign of so many has to be looked at. */
function hasRun(text: string, kinds: number, length: number): boolean {
  const isOne = (at: number): boolean => ((KINDS[text.charCodeAt(at)] ?? 0) & kinds) !== 0;
  for (let at = length - 1; at < text.length; at += length) {
    if (!isOne(at)) continue;
    let from = at;
    while (from > 0 && at - from < length && isOne(from - 1)) from--;
    let to = at + 1;
    while (to < text.length && to - from < length && isOne(to)) to++;
    if (to - from >= length) return true;
  }
  return false;
}

const HEX_SHORTEST = 32;
const END = 0x21; // a sign that is in no encoding
const DOT = 0x2e;
const BASE64_DIGIT = 1;
const HEX_DIGIT = 2;
const HEX_SIGN = 4;
const BREAK = 8;
const BLANK = 16;
const KINDS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const sign = String.fromCharCode(unit);
  return (
    (/[\w+/-]/u.test(sign) ? BASE64_DIGIT : 0) |
    (/[0-9a-f]/iu.test(sign) ? HEX_DIGIT : 0) |
    (/[\\x :,.\r\n-]/u.test(sign) ? HEX_SIGN : 0) |
    (/[\r\n.]/u.test(sign) ? BREAK : 0) |
    (/[ \t]/u.test(sign) ? BLANK : 0)
  );
});

function percentForms(text: string): readonly DecodedForm[] {
  if (!ESCAPE.test(text)) return [];
  const decoded = text.replaceAll(ESCAPES, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
  return [{ encoding: 'url', text: decoded, at: 0, length: text.length }];
}

const ESCAPE = /%[0-9a-f]{2}/iu;
const ESCAPES = /(?:%[0-9a-f]{2})+/giu;

function hexForms({ text, at }: Digits): readonly DecodedForm[] {
  const digits = text.replaceAll(NO_HEX, '');
  return [0, 1].flatMap((from) => toForms('hex', narrow(Buffer.from(digits.slice(from), 'hex')), [at, text.length]));
}

const NO_HEX = /\\x|0x|[^0-9a-f]/giu;

function base64Forms({ text, at }: Digits): readonly DecodedForm[] {
  // Node takes the alphabet of URLs as well, and skips everything else.
  return [0, 1, 2, 3].flatMap((from) => {
    const digits = from === 0 ? text : text.slice(from);
    return toForms('base64', narrow(Buffer.from(digits, 'base64')), [at, text.length]);
  });
}

/** UTF-16 without its zeros. */
function narrow(bytes: Buffer): Buffer {
  let zeros = 0;
  const end = Math.min(bytes.length, 4 * BLOCK);
  for (let at = 0; at < end; at++) if (bytes[at] === 0) zeros++;
  return 3 * zeros > end ? Buffer.from(bytes.filter((byte) => byte !== 0)) : bytes;
}

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
