import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { type DecodedKey, KeyDecoder } from './keys.js';

/** `ctrl-meta-shift-name`, followed by the text where it differs. */
function nameOf({ name, text, ctrl, meta, shift, lost }: DecodedKey): string {
  const held = `${ctrl ? 'ctrl-' : ''}${meta ? 'meta-' : ''}${shift ? 'shift-' : ''}`;
  return `${held}${name}${text === '' || text === name ? '' : `=${text}`}${lost === undefined ? '' : ` lost ${lost}`}`;
}

function keysOf(pieces: readonly (string | Uint8Array)[]): string[] {
  const keys: string[] = [];
  const decoder = new KeyDecoder((key) => keys.push(nameOf(key)));
  for (const piece of pieces) decoder.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
  decoder.settle();
  return keys;
}

/** Expects the same keys when all bytes come at once and one by one. */
function check(sent: string, expected: readonly string[]): void {
  expect(keysOf([sent])).toEqual(expected);
  expect(keysOf(Array.from(Buffer.from(sent), (byte) => Uint8Array.of(byte)))).toEqual(expected);
}

const E = '\u001B';

test('letters, signs and keys of a keyboard are what they say', () => {
  check('aB ?', ['a', 'shift-b=B', 'space= ', '?']);
  check('é日👍', ['é', '日', '👍']);
  check('\r\t\u007F\b', ['return', 'tab', 'backspace', 'backspace']);
  check('\u0001\u0003\n\u001F\u0000', ['ctrl-a', 'ctrl-c', 'ctrl-j', 'ctrl-_', 'ctrl-space']);
  check(`${E}[A${E}[B${E}[C${E}[D${E}[H${E}[F`, ['up', 'down', 'right', 'left', 'home', 'end']);
  check(`${E}OA${E}OH${E}OM${E}Oq`, ['up', 'home', 'return', '1']);
  check(`${E}[1~${E}[3~${E}[4~${E}[5~${E}[6~${E}[15~`, ['home', 'delete', 'end', 'pageup', 'pagedown', 'f5']);
  check(`${E}[1;5C${E}[1;3D${E}[3;5~${E}[1;2A`, ['ctrl-right', 'meta-left', 'ctrl-delete', 'shift-up']);
  check(`${E}[Z${E}[3^${E}[3$${E}[a${E}Oc`, ['shift-tab', 'ctrl-delete', 'shift-delete', 'shift-up', 'ctrl-right']);
});

test('Escape alone is a key, and with another one it is Alt', () => {
  check(E, ['escape']);
  check(`${E}b${E}\r${E}\n${E}\u007F`, ['meta-b', 'meta-return', 'meta-return', 'meta-backspace']);
  check(`${E}${E}[A`, ['meta-up']);
  check(`${E}${E}`, ['escape']);
  check(`${E}[`, ['meta-[']);
  check(`${E}O`, ['meta-shift-o']);
  check(`${E}B`, ['meta-shift-b']);
});

test('keyboards that tell more than others are understood', () => {
  check(`${E}[97;5u${E}[13;2u${E}[27u${E}[32u`, ['ctrl-a', 'shift-return', 'escape', 'space= ']);
  check(`${E}[97:65;2u${E}[97;1:3u${E}[57399u`, ['shift-a=A']);
  check(`${E}[27;5;13~${E}[27;2;65~`, ['ctrl-return', 'shift-a=A']);
});

test('what is no key at all writes nothing, and what comes after it counts', () => {
  check(`${E}[<0;10;5Mx`, ['x']);
  check(`${E}[M !!x`, ['x']);
  check(`${E}[I${E}[Ox`, ['x']);
  check(`${E}[12;40Rx`, ['x']);
  check(`${E}[?2026;2$yx`, ['x']);
  check(`${E}[[Ax`, ['x']);
  check(`${E}]11;rgb:0000/0000/0000${E}\\x`, ['x']);
  check(`${E}]11;rgb:0000\u0007x`, ['x']);
  check(`${E}P>|term(1)${E}\\x`, ['x']);
  check(`${E}[1${E}[A`, ['up']);
  check(`${E}[1\u0003`, ['ctrl-c']);
  check(`${E}]11;never\u0003`, ['ctrl-c']);
  check(`${E}[${'1'.repeat(62)}`, []);
  expect(keysOf([Uint8Array.of(0xff, 0x61, 0xc3), Uint8Array.of(0x28)])).toEqual(['\uFFFD', 'a', '\uFFFD', '(']);
});

test('a paste is one key, whatever stands in it, and however it comes', () => {
  check(`${E}[200~one\r\ntwo\rthree\n${E}[201~x`, ['paste=one\ntwo\nthree\n', 'x']);
  check(`${E}[200~${E}[31mred\u0003\u0007\t${E}[20${E}[201~`, ['paste=[31mred\t[20']);
  check(`${E}[200~${E}[201~`, ['paste']);
  check(`${E}[201~x`, ['x']);
});

test('a paste without marks is known by its size, and an Enter in it is a key', () => {
  const long = 'word '.repeat(20);
  expect(keysOf([`${long}\r${long}\r`])).toEqual([`paste=${long}`, 'return', `paste=${long}`, 'return']);
  expect(keysOf([`${long}${E}[A`])).toEqual([`paste=${long}`, 'up']);
});

test('a paste of 50 MB ends, and says what is missing of it', () => {
  const keys: DecodedKey[] = [];
  const decoder = new KeyDecoder((key) => keys.push(key));
  const piece = Buffer.alloc(65_536, 'x');
  const began = process.memoryUsage().heapUsed;
  decoder.push(Buffer.from(`${E}[200~`));
  for (let count = 0; count < 800; count++) decoder.push(piece);
  expect(process.memoryUsage().heapUsed - began).toBeLessThan(60_000_000);
  decoder.push(Buffer.from(`${E}[201~y`));
  expect(keys.map(({ name, text, lost }) => [name, text.length, lost])).toEqual([
    ['paste', 1_000_000, 800 * 65_536 - 1_000_000],
    ['y', 1, undefined],
  ]);
});

test('a paste whose end never comes gives the keyboard back at Ctrl-C, once it is quiet', () => {
  const keys: string[] = [];
  const decoder = new KeyDecoder((key) => keys.push(nameOf(key)));
  decoder.push(Buffer.from(`${E}[200~half`));
  decoder.push(Buffer.from('\u0003'));
  expect(keys).toEqual([]);
  decoder.stall();
  decoder.push(Buffer.from('\u0003'));
  decoder.push(Buffer.from('x'));
  expect(keys).toEqual(['paste=half', 'ctrl-c', 'x']);
});

test('no bytes at all break it, and no key writes what a terminal would obey', () => {
  const bytes = fc.uint8Array({ maxLength: 200 });
  const likely = fc
    .array(fc.constantFrom(E, '[', 'O', ']', '2', '0', '~', ';', '1', 'M', '<', 'u', '\u0007', 'a', '\r', '日'))
    .map((all) => Buffer.from(all.join('')));
  fc.assert(
    fc.property(fc.array(fc.oneof(bytes, likely), { maxLength: 5 }), (pieces) => {
      const texts: string[] = [];
      const decoder = new KeyDecoder(({ text, name }) => texts.push(text, name));
      for (const piece of pieces) decoder.push(piece);
      decoder.settle();
      expect(texts.join('').replaceAll(/[\n\t]/gu, '')).not.toMatch(/\p{Cc}/u);
    }),
    { numRuns: 1000 },
  );
});

/** Decodes pieces with a pause after each; `isDue`: the terminal was asked, and has not replied yet. */
function checkReply(
  pieces: readonly string[],
  { isDue, keys, replies }: { readonly isDue: boolean; readonly keys: string; readonly replies: readonly string[] },
): void {
  let typed = '';
  const got: string[] = [];
  const ports = { onReply: (sequence: string) => void got.push(sequence), isExpecting: () => isDue };
  const decoder = new KeyDecoder(({ text }) => (typed += text), ports);
  for (const piece of pieces) {
    decoder.push(Buffer.from(piece));
    decoder.settle();
  }
  expect([typed, got]).toEqual([keys, replies]);
}

const OK = `${E}_Gi=31;OK${E}\\`;
const ATTRIBUTES = `${E}[?62;4c`;

test('replies of a terminal are no typed text, wherever a pause cuts them and whatever is typed around them', () => {
  const whole = `a${OK}${ATTRIBUTES}b`;
  for (let first = 1; first < whole.length; first++) {
    for (let second = first; second < whole.length; second++) {
      // Escape, a pause, one sign and a pause: nobody can tell that from keys.
      if (second === first + 1 && whole[first - 1] === E) continue;
      const pieces = [whole.slice(0, first), whole.slice(first, second), whole.slice(second)].filter(Boolean);
      checkReply(pieces, { isDue: true, keys: 'ab', replies: [OK, ATTRIBUTES] });
    }
  }
});

test('while a reply is due, Alt with a key is still that key, and text after it is text', () => {
  checkReply([`${E}_`, 'one'], { isDue: true, keys: 'one', replies: [] });
  checkReply([E, 'Gi=31;OK'], { isDue: true, keys: 'Gi=31;OK', replies: [] });
  checkReply([`${E}[`, 'x'], { isDue: true, keys: 'x', replies: [] });
});

test('a reply that nobody waits for is dropped where it is whole', () => {
  checkReply([`a${OK}b${ATTRIBUTES}c`], { isDue: false, keys: 'abc', replies: [OK, ATTRIBUTES] });
});
