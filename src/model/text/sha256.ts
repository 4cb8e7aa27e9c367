// SHA-256 as in FIPS 180-4. Pure, because the model room imports nothing from Node; and loading node:crypto takes 3 ms,
// more than everything else that listing servers needs.

/** The digest as eight 32-bit words. */
export function sha256(bytes: Uint8Array): Uint32Array {
  const words = padded(bytes);
  const state = Uint32Array.from(INITIAL);
  const schedule = new Uint32Array(64);
  for (let block = 0; block < words.length; block += 16) {
    for (let round = 0; round < 16; round++) schedule[round] = words[block + round]!;
    for (let round = 16; round < 64; round++) schedule[round] = extended(schedule, round);
    compress(state, schedule);
  }
  return state;
}

/** The hexadecimal digest of a short text in UTF-8. */
export function sha256Hex(text: string): string {
  return Array.from(sha256(new TextEncoder().encode(text)), (word) => word.toString(16).padStart(8, '0')).join('');
}

function padded(bytes: Uint8Array): Uint32Array {
  const bits = bytes.length * 8;
  const words = new Uint32Array((((bytes.length + 8) >>> 6) + 1) * 16);
  for (let index = 0; index < bytes.length; index++) words[index >>> 2]! |= bytes[index]! << (24 - (index & 3) * 8);
  words[bytes.length >>> 2]! |= 0x80 << (24 - (bytes.length & 3) * 8);
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
  // Without loops or spreading, which cost as much as the rounds: 10,000 long names are hashed at once.
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

// The fractional parts of the square roots of the first 8 primes and of the cube roots of the first 64.
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
