// SHA-256 as in FIPS 180-4. Pure, because the model room imports nothing from Node, and cryptographic, because a
// hostile server that could aim a cheap hash would take over the suffixed name of another server's tool.

/** Of base 32 characters: 50 bits. */
export const SUFFIX_LENGTH = 10;

/** A short, stable mark of one (server, tool) pair, in lower case so that it is distinct on case-blind stores too. */
export function nameSuffix(server: string, tool: string, attempt = 0): string {
  // The length in front keeps ('a', 'bc') apart from ('ab', 'c').
  const digest = sha256(`${attempt}:${server.length}:${server}${tool}`);
  let suffix = '';
  for (let index = 0; index < SUFFIX_LENGTH; index++) {
    const bit = index * 5;
    const word = digest[bit >>> 5]!;
    const next = digest[(bit >>> 5) + 1]!;
    const offset = bit & 31;
    const window = offset === 0 ? word : (word << offset) | (next >>> (32 - offset));
    suffix += ALPHABET[window >>> 27]!;
  }
  return suffix;
}

const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'; // without l, o, 0 and 1, which people misread

/** Over the UTF-16 units, high byte first: UTF-8 would make all lone surrogates alike. */
function sha256(text: string): Uint32Array {
  const words = padded(text);
  const state = Uint32Array.from(INITIAL);
  const schedule = new Uint32Array(64);
  for (let block = 0; block < words.length; block += 16) {
    for (let round = 0; round < 16; round++) schedule[round] = words[block + round]!;
    for (let round = 16; round < 64; round++) schedule[round] = extended(schedule, round);
    compress(state, schedule);
  }
  return state;
}

function padded(text: string): Uint32Array {
  const bits = text.length * 16;
  const words = new Uint32Array((((bits + 64) >>> 9) + 1) * 16);
  for (let index = 0; index < text.length; index++) {
    words[index >>> 1]! |= text.charCodeAt(index) << (index & 1 ? 0 : 16);
  }
  words[text.length >>> 1]! |= 0x80 << (text.length & 1 ? 8 : 24);
  words[words.length - 2] = Math.floor(bits / 2 ** 32);
  words[words.length - 1] = bits;
  return words;
}

function extended(schedule: Uint32Array, round: number): number {
  const early = schedule[round - 15]!;
  const late = schedule[round - 2]!;
  const sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
  const sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
  return (schedule[round - 16]! + sigma0 + schedule[round - 7]! + sigma1) | 0;
}

function compress(state: Uint32Array, schedule: Uint32Array): void {
  // Read and written one by one: 10,000 long names are hashed in one go, and spreading costs as much as the rounds.
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let round = 0; round < 64; round++) {
    const choice = (e & f) ^ (~e & g);
    const mixed = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + ROUND[round]! + schedule[round]!) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const spread = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + mixed) | 0;
    d = c;
    c = b;
    b = a;
    a = (mixed + spread) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

// The fractions of the square roots of the first 8 primes and of the cube roots of the first 64.
const INITIAL = fractions(8, Math.sqrt);
const ROUND = Uint32Array.from(fractions(64, Math.cbrt));

function fractions(count: number, root: (value: number) => number): number[] {
  const found: number[] = [];
  for (let value = 2; found.length < count; value++) {
    let prime = true;
    for (let divisor = 2; divisor * divisor <= value; divisor++) prime &&= value % divisor !== 0;
    if (prime) found.push(Math.floor((root(value) % 1) * 2 ** 32));
  }
  return found;
}
