// https://invisible-island.net/xterm/ctlseqs/ctlseqs.html and https://sw.kovidgoyal.net/kitty/keyboard-protocol/
import type { Key } from '../screen.js';

export interface KeyParts {
  readonly name: string;
  readonly text?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly shift?: boolean;
}

export function toKey({ name, text = '', ctrl = false, meta = false, shift = false }: KeyParts): Key {
  return { name, text, ctrl, meta, shift };
}

/** The key of `ESC [ parameters final`; undefined for reports of mouse or focus and for responses of the terminal. */
export function controlSequenceKey(parameters: string, final: string): Key | undefined {
  // Other characters mean a report: `ESC [ < 0 ; 1 ; 1 M` is a mouse's.
  if (/[^\d;:]/u.test(parameters)) return undefined;
  const fields = parameters.split(';').map((field) => field.split(':').map(Number));
  const [first = 0] = fields[0] ?? [];
  const [modifiers = 1, event = PRESSED] = fields[1] ?? [];
  if (event === RELEASED) return undefined;
  switch (final) {
    case '~':
      if (first === OTHER_KEYS) return codeKey(fields[2]?.[0] ?? 0, modifiers);
      return named(NUMBERED[first], modifiers);
    case 'u':
      return codeKey(first, modifiers);
    case '^': // rxvt: with Ctrl
      return named(NUMBERED[first], 1 + CTRL);
    case '$':
      return named(NUMBERED[first], 1 + SHIFT);
    case 'Z':
      return toKey({ name: 'tab', shift: true });
    case 'a': // rxvt: with Shift
    case 'b':
    case 'c':
    case 'd':
      return named(LETTERED[final.toUpperCase()], 1 + SHIFT);
    default:
      // `ESC [ row ; column R` reports the cursor's position.
      return first > 1 ? undefined : named(LETTERED[final], modifiers);
  }
}

/** The key of `ESC O letter`; keypads send these too. */
export function singleShiftKey(letter: string): Key | undefined {
  const name = LETTERED[letter];
  if (name !== undefined) return toKey({ name });
  if (letter === 'M') return toKey({ name: 'return' });
  if (/^[abcd]$/u.test(letter)) return toKey({ name: LETTERED[letter.toUpperCase()]!, ctrl: true });
  const text = KEYPAD[letter.charCodeAt(0) - 'j'.charCodeAt(0)];
  return text === undefined ? undefined : toKey({ name: text, text });
}

/** The key of a single character outside a sequence; undefined where no key sends it. */
export function characterKey(character: string): Key | undefined {
  const code = character.codePointAt(0)!;
  if (code === 0x7f || code === 0x08) return toKey({ name: 'backspace' });
  if (code === 0x0d) return toKey({ name: 'return' });
  if (code === 0x09) return toKey({ name: 'tab' });
  if (code === 0x00) return toKey({ name: 'space', ctrl: true });
  if (code <= 0x1a) return toKey({ name: String.fromCharCode(code + 0x60), ctrl: true });
  if (code < 0x20) return toKey({ name: String.fromCharCode(code + 0x40), ctrl: true });
  if (code >= 0x80 && code < 0xa0) return undefined;
  if (character === ' ') return toKey({ name: 'space', text: ' ' });
  const name = character.toLowerCase();
  return toKey({ name, text: character, shift: name !== character });
}

/** The key of a character code and its modifiers. */
function codeKey(code: number, modifiers: number): Key | undefined {
  const held = heldBy(modifiers);
  const name = CODED[code];
  if (name !== undefined)
    return toKey({ name, text: name === 'space' && !held.ctrl && !held.meta ? ' ' : '', ...held });
  // The private use area holds keys without text.
  if (code < 0x20 || code > 0x10ffff || (code >= 0xd800 && code < 0xf900) || (code >= 0x7f && code < 0xa0))
    return undefined;
  const character = String.fromCodePoint(code);
  const text = held.shift ? character.toUpperCase() : character;
  return toKey({ name: character.toLowerCase(), text: held.ctrl || held.meta ? '' : text, ...held });
}

function named(name: string | undefined, modifiers: number): Key | undefined {
  return name === undefined ? undefined : toKey({ name, ...heldBy(modifiers) });
}

/** Encoded as one more than the sum of the bits; caps and num lock are bits too. */
function heldBy(modifiers: number): Pick<Key, 'ctrl' | 'meta' | 'shift'> {
  const bits = Math.max(modifiers - 1, 0);
  return { shift: (bits & SHIFT) !== 0, meta: (bits & (ALT | META)) !== 0, ctrl: (bits & CTRL) !== 0 };
}

const SHIFT = 1;
const ALT = 2;
const CTRL = 4;
const META = 32;
const PRESSED = 1;
const RELEASED = 3;
const OTHER_KEYS = 27; // `ESC [ 27 ; modifiers ; code ~`

const LETTERED: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
};

const NUMBERED: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
};

const CODED: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  13: 'return',
  27: 'escape',
  32: 'space',
  127: 'backspace',
  57414: 'return', // of the keypad
};

/** Characters of the keypad, from `j` on. */
const KEYPAD = '*+,-./0123456789';
