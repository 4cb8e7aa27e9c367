// SHA-256 as in FIPS 180-4. Pure, because the model room imports nothing from Node; and loading node:crypto takes 3 ms,
// more than everything else that listing servers needs.

/** The digest as eight 32-bit words. */
export function sha256(bytes: Uint8Array): Uint32Array {
  const words = padded(bytes);
  const state = Int32Array.from(INITIAL);
  const schedule = new Int32Array(64);
  for (let block = 0; block < words.length; block += 16) {
    schedule.set(words.subarray(block, block + 16));
    compress(state, schedule);
  }
  return new Uint32Array(state.buffer);
}

/** The hexadecimal digest of a short text in UTF-8. */
export function sha256Hex(text: string): string {
  return Array.from(sha256(new TextEncoder().encode(text)), (word) => word.toString(16).padStart(8, '0')).join('');
}

function padded(bytes: Uint8Array): Int32Array {
  const bits = bytes.length * 8;
  const words = new Int32Array((((bytes.length + 8) >>> 6) + 1) * 16);
  for (let index = 0; index < bytes.length; index++) words[index >>> 2]! |= bytes[index]! << (24 - (index & 3) * 8);
  words[bytes.length >>> 2]! |= 0x80 << (24 - (bytes.length & 3) * 8);
  words[words.length - 2] = Math.floor(bits / 2 ** 32);
  words[words.length - 1] = bits;
  return words;
}

/** Rotations are written out and there is one loop: a short-lived process runs this before V8 has optimized anything. */
function compress(state: Int32Array, schedule: Int32Array): void {
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let round = 0; round < 64; round++) {
    let word = schedule[round]!;
    if (round > 15) {
      const early = schedule[round - 15]!;
      const late = schedule[round - 2]!;
      word =
        (schedule[round - 16]! +
          (((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3)) +
          schedule[round - 7]! +
          (((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10))) |
        0;
      schedule[round] = word;
    }
    const mixed =
      (h +
        (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))) +
        ((e & f) ^ (~e & g)) +
        ROUND[round]! +
        word) |
      0;
    const spread =
      (((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))) + ((a & b) ^ (a & c) ^ (b & c));
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

// The fractional parts of the square roots of the first 8 primes and of the cube roots of the first 64.
const INITIAL = fractions(8, Math.sqrt);
const ROUND = Int32Array.from(fractions(64, Math.cbrt));

function fractions(count: number, root: (value: number) => number): number[] {
  const found: number[] = [];
  for (let value = 2; found.length < count; value++) {
    let prime = true;
    for (let divisor = 2; divisor * divisor <= value; divisor++) prime &&= value % divisor !== 0;
    if (prime) found.push(Math.floor((root(value) % 1) * 2 ** 32));
  }
  return found;
}
