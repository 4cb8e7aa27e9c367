/** How many symbols in a row make one fingerprint. */
export const SHINGLE = 16;
/** Of this many fingerprints in a row at least one is kept of what is read: a copy of 23 symbols is always noticed. */
const WINDOW = 8;

/** The fingerprints of a text: a hash of every 16 symbols in a row, by the index of the first. */
export function fingerprintsOf(symbols: Uint16Array): Uint32Array {
  const prints = new Uint32Array(Math.max(0, symbols.length - SHINGLE + 1));
  let hash = 0;
  for (let at = 0; at < symbols.length; at++) {
    hash = (Math.imul(hash, BASE) + symbols[at]!) | 0;
    if (at < SHINGLE - 1) continue;
    prints[at - SHINGLE + 1] = mix(hash);
    hash = (hash - Math.imul(symbols[at - SHINGLE + 1]!, BASE_OUT)) | 0;
  }
  return prints;
}

/** The fingerprints of a text that are kept. */
export function keptFingerprints(symbols: Uint16Array): Uint32Array {
  const prints = fingerprintsOf(symbols);
  return keptIndexes(prints).map((at) => prints[at]!);
}

/**
 * Which fingerprints of a text are kept: of each eight in a row the smallest, so that the same are kept of a copy
 * (Schleimer, Wilkerson, Aiken: Winnowing, 2003).
 */
export function keptIndexes(prints: Uint32Array): Uint32Array {
  const kept = new Uint32Array(prints.length);
  let length = 0;
  let least = -1;
  // A text that is shorter than the window has one window.
  for (let end = Math.min(WINDOW, prints.length) - 1; end >= 0 && end < prints.length; end++) {
    const start = Math.max(0, end - WINDOW + 1);
    if (least >= start && prints[end]! > prints[least]!) continue;
    if (least >= start) least = end;
    else {
      least = start;
      for (let at = start + 1; at <= end; at++) if (prints[at]! <= prints[least]!) least = at;
    }
    kept[length++] = least;
  }
  return kept.slice(0, length);
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
