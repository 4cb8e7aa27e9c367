/** How many symbols in a row make one fingerprint. */
export const SHINGLE = 16;
/** Of this many fingerprints in a row at least one is kept of what is read: a copy of 23 symbols is always noticed. */
const WINDOW = 8;

/** Fingerprints of a text, each a hash of 16 symbols in a row, and the indexes of their first symbols. */
export interface Fingerprints {
  readonly prints: Uint32Array;
  readonly places: Uint32Array;
}

/**
 * The fingerprints of a text that are kept: of each eight in a row the smallest, so that the same are kept of a copy
 * (Schleimer, Wilkerson, Aiken: Winnowing, 2003).
 */
export function keptFingerprints(symbols: Uint16Array): Fingerprints {
  const all = fingerprintsOf(symbols);
  const count = all.length;
  const places = new Uint32Array(count);
  let length = 0;
  // A text that is shorter than the window has one window.
  for (
    let [from, end] = [0, Math.min(WINDOW, count)];
    from < end && end <= count;
    from = places[length - 1]! + 1, end++
  ) {
    let least = from;
    for (let at = from + 1; at < end; at++) if (all[at]! <= all[least]!) least = at;
    places[length++] = least;
    // Until the window leaves the smallest one behind, only one that is as small takes its place.
    for (let last = Math.min(count, least + WINDOW); end < last; end++) {
      if (all[end]! > all[least]!) continue;
      least = end;
      places[length++] = least;
      last = Math.min(count, least + WINDOW);
    }
  }
  const kept = places.subarray(0, length);
  return { prints: kept.map((at) => all[at]!), places: kept };
}

function fingerprintsOf(symbols: Uint16Array): Uint32Array {
  const prints = new Uint32Array(Math.max(0, symbols.length - SHINGLE + 1));
  let hash = 0;
  for (let at = 0; at < SHINGLE - 1 && at < symbols.length; at++) hash = (Math.imul(hash, BASE) + symbols[at]!) | 0;
  for (let at = 0; at < prints.length; at++) {
    hash = (Math.imul(hash, BASE) + symbols[at + SHINGLE - 1]!) | 0;
    prints[at] = mix(hash);
    hash = (hash - Math.imul(symbols[at]!, BASE_OUT)) | 0;
  }
  return prints;
}

/** A hash of all symbols from one index to another. */
export function hashOfSymbols(symbols: Uint16Array, from = 0, to = symbols.length): number {
  let hash = 0;
  for (let at = from; at < to; at++) hash = (Math.imul(hash, BASE) + symbols[at]!) | 0;
  return mix(hash);
}

const BASE = 0x01_00_01_93;
const BASE_OUT = Array.from({ length: SHINGLE - 1 }).reduce<number>((power) => Math.imul(power, BASE), 1);

/** Spreads a hash over all 32 bits (the finalizer of MurmurHash3). */
function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85_eb_ca_6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2_b2_ae_35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
