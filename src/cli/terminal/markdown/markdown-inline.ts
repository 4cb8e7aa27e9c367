// https://spec.commonmark.org/0.31.2/#inlines
import type { Style } from '../../output/style.js';
import { type Delimiter, leaveOpen, pairDelimiters, toDelimiter } from './markdown-emphasis.js';
import { readAddress, readDestination } from './markdown-address.js';

/** The terminal that Markdown is drawn for. */
export interface Paper {
  readonly columns: () => number;
  readonly style: Style;
  /** Whether styles are visible; if not, the Markdown signs stay. */
  readonly isStyled: boolean;
  /** Makes an address clickable where the terminal can. */
  readonly link: (url: string) => string;
}

export interface InlineOptions {
  readonly isBold?: boolean;
  readonly isUnderlined?: boolean;
  /** The text is still streaming: open emphasis and code reach to the end. */
  readonly isOpen?: boolean;
}

/** Renders inline Markdown with styles; `\n` where a new row must begin. Contract: the text is gated. */
export function renderInline(text: string, paper: Paper, options: InlineOptions = {}): string {
  if (!UNUSUAL.test(text)) return paint(text, { ...PLAIN, ...toLook(options) }, paper);
  const { pieces, delimiters } = toPieces(text, options.isOpen === true);
  pairDelimiters(delimiters);
  if (options.isOpen) leaveOpen(delimiters);
  return paintPieces(pieces, paper, toLook(options));
}

type Piece =
  | { kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string; readonly fence: string }
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'delimiter'; readonly delimiter: Delimiter }
  | { readonly kind: 'bracket'; readonly text: string; link: boolean }
  | { readonly kind: 'link-end'; readonly url: string; readonly text: string };

const UNUSUAL = /[\\`*_~[\]<&\n]|https?:\/\//u;

function toPieces(text: string, isOpen: boolean): { readonly pieces: Piece[]; readonly delimiters: Delimiter[] } {
  const pieces: Piece[] = [];
  const delimiters: Delimiter[] = [];
  const brackets: { readonly piece: number; readonly delimiter: number; readonly at: number }[] = [];
  const destinations = { text, hopelessUntil: 0 };
  const fences = new Fences(text);
  const special = /\\.|`+|\*+|_+|~+|!?\[|\]|<|&\w{2,4};|https?:\/\//gsu;
  let done = 0;
  const until = (at: number, next: number): void => {
    if (at > done) pieces.push({ kind: 'text', text: text.slice(done, at) });
    done = special.lastIndex = next;
  };
  for (let match = special.exec(text); match !== null; match = special.exec(text)) {
    const at = match.index;
    const sign = match[0];
    const end = at + sign.length;
    if (sign[0] === '\\') {
      if (!/[!-/:-@[-`{-~]/u.test(sign[1]!)) continue;
      until(at, end);
      pieces.push({ kind: 'text', text: sign[1]! });
    } else if (sign[0] === '`') {
      const close = fences.closing(at, sign.length) ?? (isOpen && sign.length === 1 ? text.length : undefined);
      if (close === undefined) continue;
      until(at, close + sign.length);
      pieces.push({ kind: 'code', text: toCode(text.slice(end, close)), fence: sign });
    } else if (sign[0] === '*' || sign[0] === '_' || sign[0] === '~') {
      const delimiter = toDelimiter(sign, letterBefore(text, at), letterAt(text, end));
      until(at, end);
      pieces.push({ kind: 'delimiter', delimiter });
      delimiters.push(delimiter);
    } else if (sign.endsWith('[')) {
      until(at, end);
      brackets.push({ piece: pieces.length, delimiter: delimiters.length, at: end });
      pieces.push({ kind: 'bracket', text: sign, link: false });
    } else if (sign === ']') {
      const opening = brackets.pop();
      const found = opening && readDestination(destinations, end);
      if (!opening || !found) continue;
      until(at, found.end);
      const bracket = pieces[opening.piece]!;
      if (bracket.kind === 'bracket') bracket.link = true;
      // Emphasis does not cross the border of a link, and links do not nest.
      pairDelimiters(delimiters.splice(opening.delimiter));
      brackets.length = 0;
      pieces.push({ kind: 'link-end', url: found.url, text: text.slice(opening.at, at) });
    } else if (sign === '<') {
      const tag = /^<(?:br ?\/?|(https?:\/\/[^\s<>]+|mailto:[^\s<>]+))>/iu.exec(text.slice(at, at + ADDRESS_LIMIT));
      if (!tag) continue;
      until(at, at + tag[0].length);
      pieces.push(tag[1] === undefined ? { kind: 'text', text: '\n' } : { kind: 'address', url: tag[1] });
    } else if (sign[0] === '&') {
      const letter = ENTITIES.get(sign);
      if (letter === undefined) continue;
      until(at, end);
      pieces.push({ kind: 'text', text: letter });
    } else {
      const url = /[\p{L}\p{N}]/u.test(letterBefore(text, at)) ? undefined : readAddress(text, at);
      if (url === undefined) continue;
      until(at, at + url.length);
      pieces.push({ kind: 'address', url });
    }
  }
  until(text.length, text.length);
  return { pieces, delimiters };
}

/** Finds the backticks that close code. Runs are indexed once, because a text may consist of backticks only. */
class Fences {
  readonly #places = new Map<number, number[]>();

  constructor(text: string) {
    for (const { index, 0: run } of text.matchAll(/`+/gu)) {
      const places = this.#places.get(run.length);
      if (places) places.push(index);
      else this.#places.set(run.length, [index]);
    }
    for (const places of this.#places.values()) places.reverse();
  }

  /** Contract: `at` only grows; earlier runs are dropped. */
  closing(at: number, length: number): number | undefined {
    const places = this.#places.get(length) ?? [];
    while (places.length > 0 && places.at(-1)! <= at) places.pop();
    return places.at(-1);
  }
}

interface Look {
  readonly bold: number;
  readonly italic: number;
  readonly strike: number;
  readonly underline: number;
}

const PLAIN: Look = { bold: 0, italic: 0, strike: 0, underline: 0 };

function toLook({ isBold, isUnderlined }: InlineOptions): Look {
  return { ...PLAIN, bold: isBold ? 1 : 0, underline: isUnderlined ? 1 : 0 };
}

function paintPieces(pieces: readonly Piece[], paper: Paper, base: Look): string {
  const { style, isStyled, link } = paper;
  const now = { ...base };
  let painted = '';
  let waiting = ''; // text of one look, painted together
  const write = (text: string): void => {
    waiting += text;
  };
  const flush = (): void => {
    if (waiting !== '') painted += paint(waiting, now, paper);
    waiting = '';
  };
  for (const piece of pieces) {
    switch (piece.kind) {
      case 'text':
        write(piece.text);
        break;
      case 'code':
        flush();
        painted += isStyled ? style.cyan(paint(piece.text, now, paper)) : piece.fence + piece.text + piece.fence;
        break;
      case 'address':
        flush();
        painted += paint(link(piece.url), now, paper);
        break;
      case 'delimiter': {
        const { sign, length, left, ends, begins } = piece.delimiter;
        // There is no style for strikethrough, so its signs stay.
        if (!isStyled || (sign === '~' && left < length)) write(sign.repeat(length));
        const isChanged = left < length;
        if (isChanged) flush();
        add(now, ends, -1);
        if (isStyled && left > 0) write(sign.repeat(left));
        if (isChanged) flush();
        add(now, begins, 1);
        break;
      }
      case 'bracket':
        if (!piece.link) write(piece.text);
        else {
          flush();
          now.underline++;
          if (piece.text === '![') write('image: ');
        }
        break;
      case 'link-end':
        flush();
        now.underline--;
        if (isNews(piece)) painted += ` ${style.dim(`(${link(piece.url)})`)}`;
        break;
      default:
        break;
    }
  }
  flush();
  return painted;
}

function paint(text: string, { bold, italic, strike, underline }: Look, { style }: Paper): string {
  let painted = text;
  if (italic > 0) painted = style.italic(painted);
  if (underline > 0) painted = style.underline(painted);
  if (bold > 0) return style.bold(painted);
  return strike > 0 ? style.dim(painted) : painted;
}

function add(look: { bold: number; italic: number; strike: number }, by: Delimiter['ends'], sign: 1 | -1): void {
  look.bold += sign * by.bold;
  look.italic += sign * by.italic;
  look.strike += sign * by.strike;
}

/** Whether the address of a link adds something to its text. */
function isNews({ url, text }: { readonly url: string; readonly text: string }): boolean {
  return url !== '' && url !== text && url !== `mailto:${text}`;
}

/** Removes one space at each end: Markdown needs it where code begins or ends with a backtick. */
function toCode(text: string): string {
  const line = text.replaceAll('\n', ' ');
  return line.startsWith(' ') && line.endsWith(' ') && line.trim() !== '' ? line.slice(1, -1) : line;
}

const ADDRESS_LIMIT = 2048;
/** Those that models write. Numeric ones are left as text: they could encode a control character. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
  ['&nbsp;', ' '],
]);

function letterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function letterBefore(text: string, at: number): string {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xdc00 && unit <= 0xdfff ? text.slice(at - 2, at) : text.slice(Math.max(at - 1, 0), at);
}
