import type { Key } from '../screen.js';
import { characterKey, controlSequenceKey, singleShiftKey, toKey } from './key-sequence.js';

/** A key; a paste is one too. */
export type DecodedKey = Key & {
  /** Characters of a paste dropped because it was too long. */
  readonly lost?: number;
};

/** For a terminal that is asked something. */
export interface ReplyPorts {
  /** Called with each whole reply: a device control string (`ESC _`), or `ESC [ ? ... c`. Contract: must not throw. */
  readonly onReply: (sequence: string) => void;
  /** Whether a reply is due: its pieces may then come with pauses between them. */
  readonly isExpecting: () => boolean;
}

/**
 * Decodes keys from the bytes of a terminal, in whatever chunks they come. Anything that is no key is dropped: no part
 * of a sequence ever counts as text. Has no clock: the caller tells when input has paused.
 */
export class KeyDecoder {
  readonly #take: (key: DecodedKey) => void;
  readonly #replies: ReplyPorts | undefined;
  readonly #utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The beginning of an incomplete sequence. */
  #rest = '';
  /** What a pause has ended as a key, but a reply may begin with. */
  #settled = '';
  #paste: Paste | undefined;
  #isSilent = false;

  constructor(take: (key: DecodedKey) => void, replies?: ReplyPorts) {
    this.#take = take;
    this.#replies = replies;
  }

  /** Whether input is incomplete: only a pause tells a lone Escape from the beginning of a sequence. */
  get isWaiting(): boolean {
    return this.#rest !== '' && !this.#paste;
  }

  push(bytes: Uint8Array): void {
    const text = this.#rejoined(this.#rest + this.#utf8.decode(bytes, { stream: true }));
    this.#rest = '';
    // A paste whose end never comes must not block the keyboard: after a pause Ctrl-C ends it.
    if (this.#paste && this.#isSilent && text.endsWith(INTERRUPT)) this.#endPaste();
    this.#isSilent = false;
    this.#read(text);
  }

  /** Input has paused: decodes the incomplete rest as it is. */
  settle(): void {
    const rest = this.#rest;
    if (rest === '' || this.#paste) return;
    const isDue = this.#replies?.isExpecting() === true;
    if (isDue && isReplyBegin(rest)) return; // the rest of the reply must not be taken for typed text
    this.#rest = '';
    this.#settled = isDue && rest.length <= 2 ? rest : '';
    const [escape, second = ''] = rest;
    if (escape !== ESCAPE || rest.length > 2) return; // an unfinished sequence is dropped
    if (second === '' || second === ESCAPE) this.#take(toKey({ name: 'escape' }));
    else this.#take(withMeta(characterKey(second)!));
  }

  /** Input has paused for so long that a paste should have ended. */
  stall(): void {
    this.#isSilent = true;
  }

  /** A reply whose first bytes came alone, and were taken for a key, is still a reply. */
  #rejoined(text: string): string {
    const whole = this.#settled + text;
    this.#settled = '';
    return isReplyBegin(whole) ? whole : text;
  }

  #read(text: string): void {
    let at = 0;
    while (at < text.length) {
      if (this.#paste) at = this.#readPaste(text, at);
      else if (text[at] === ESCAPE) {
        const end = this.#readSequence(text, at);
        if (end === undefined) {
          this.#rest = text.slice(at);
          return;
        }
        at = end;
      } else at = this.#readPlain(text, at);
    }
  }

  #readPlain(text: string, from: number): number {
    const next = text.indexOf(ESCAPE, from);
    const end = next === -1 ? text.length : next;
    for (const part of text.slice(from, end).split(/([\p{Cc}])/u)) {
      // Too fast for typing: a paste, in a terminal that does not mark pastes.
      if (part.length >= UNMARKED_PASTE) {
        const paste = new Paste();
        paste.add(part);
        this.#take(paste.toKey());
      } else {
        for (const character of part) {
          const key = characterKey(character);
          if (key) this.#take(key);
        }
      }
    }
    return end;
  }

  #readPaste(text: string, from: number): number {
    const paste = this.#paste!;
    const end = text.indexOf(PASTE_END, from);
    if (end !== -1) {
      paste.add(text.slice(from, end));
      this.#endPaste();
      return end + PASTE_END.length;
    }
    // The end mark may be split between chunks.
    const tail = text.lastIndexOf(ESCAPE);
    const isCut = tail >= from && text.length - tail < PASTE_END.length && PASTE_END.startsWith(text.slice(tail));
    const until = isCut ? tail : text.length;
    paste.add(text.slice(from, until));
    this.#rest = text.slice(until);
    return text.length;
  }

  #endPaste(): void {
    const key = this.#paste!.toKey();
    this.#paste = undefined;
    this.#take(key);
  }

  /** The index after the sequence; undefined when it is incomplete. */
  #readSequence(text: string, at: number): number | undefined {
    const second = text[at + 1];
    switch (second) {
      case undefined:
        return undefined;
      case '[':
        return this.#readControl(text, at + 2, false);
      case 'O': {
        const found = /^\d?([^\d])/su.exec(text.slice(at + 2, at + 5));
        if (!found) return undefined;
        const key = singleShiftKey(found[1]!);
        if (key) this.#take(key);
        return at + 2 + found[0].length;
      }
      case ']':
      case 'P':
      case '_':
      case '^':
      case 'X': {
        const end = endOfString(text, at + 2);
        if (end !== undefined && second === '_') this.#replies?.onReply(text.slice(at, end));
        return end;
      }
      case ESCAPE: {
        // Some terminals send Alt as an Escape before the key's sequence.
        if (text[at + 2] === undefined) return undefined;
        if (text[at + 2] === '[') return this.#readControl(text, at + 3, true);
        this.#take(toKey({ name: 'escape' }));
        return at + 1;
      }
      default: {
        const character = String.fromCodePoint(text.codePointAt(at + 1)!);
        const key = characterKey(character === '\n' ? '\r' : character);
        if (key) this.#take(withMeta(key));
        return at + 1 + character.length;
      }
    }
  }

  #readControl(text: string, from: number, isMeta: boolean): number | undefined {
    const piece = text.slice(from, from + SEQUENCE_LIMIT);
    // The Linux console sends F1 to F5 with a second bracket; an old mouse report has three characters after the M.
    const odd = /^(?:\[[A-E]|M.{3})/su.exec(piece);
    if (odd) return from + odd[0].length;
    if (piece === '[' || /^M.{0,2}$/su.test(piece)) return undefined;
    const found = /^(\d+)(\$)/u.exec(piece) ?? /^([0-?]*[ -/]*)([@-~])/u.exec(piece);
    if (!found) {
      const begun = /^[0-?]*[ -/]*/u.exec(piece)![0].length;
      // A character that cannot be part of a sequence ends it: it was none.
      return begun === piece.length && begun < SEQUENCE_LIMIT ? undefined : from + begun;
    }
    const [all, parameters = '', final = ''] = found;
    if (all === PASTE_BEGIN) this.#paste = new Paste();
    else if (final === 'c' && parameters.startsWith('?')) this.#replies?.onReply(`${ESCAPE}[${all}`);
    else {
      const key = controlSequenceKey(parameters, final);
      if (key) this.#take(isMeta ? withMeta(key) : key);
    }
    return from + all.length;
  }
}

/** The text of a paste, up to PASTE_LIMIT. */
class Paste {
  readonly #parts: string[] = [];
  #size = 0;
  #lost = 0;

  add(text: string): void {
    const kept = text.slice(0, PASTE_LIMIT - this.#size);
    this.#lost += text.length - kept.length;
    if (kept === '') return;
    this.#size += kept.length;
    this.#parts.push(kept);
  }

  toKey(): DecodedKey {
    const key = toKey({ name: 'paste', text: cleanTypedText(this.#parts.join('')) });
    return this.#lost === 0 ? key : { ...key, lost: this.#lost };
  }
}

/** Text for a prompt: control characters that a terminal would act on are removed. */
export function cleanTypedText(text: string): string {
  return text.replaceAll(/\r\n?/gu, '\n').replaceAll(/(?![\n\t])[\p{Cc}\p{Cs}]/gu, '');
}

function isReplyBegin(text: string): boolean {
  return REPLY_BEGINS.some((begin) => text.startsWith(begin));
}

function withMeta(key: Key): Key {
  return { ...key, text: '', meta: true };
}

/** The index after a string that the terminal sends; undefined when it is incomplete. Ctrl-C and the like end it. */
function endOfString(text: string, from: number): number | undefined {
  let at = from;
  while (at < text.length && !STRING_ENDS.includes(text[at]!)) at++;
  if (at === text.length) return text.length - from > STRING_LIMIT ? text.length : undefined;
  if (text[at] === '\u0007' || text[at] === '\u009C') return at + 1;
  if (text[at] !== ESCAPE) return at;
  if (text[at + 1] === undefined) return undefined;
  return text[at + 1] === '\\' ? at + 2 : at;
}

const ESCAPE = '\u001B';
const INTERRUPT = '\u0003';
const PASTE_BEGIN = '200~';
const PASTE_END = '\u001B[201~';
const PASTE_LIMIT = 1_000_000; // characters; larger texts belong in a file
const UNMARKED_PASTE = 64; // characters in one chunk
const SEQUENCE_LIMIT = 64; // characters; no key sends more
const STRING_ENDS = '\u0003\u0007\u0018\u001A\u001B\u009C';
const STRING_LIMIT = 4096;
/** How the replies begin that Plugboard asks for. */
const REPLY_BEGINS = ['\u001B_G', '\u001B[?'];
