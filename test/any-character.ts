import * as fc from 'fast-check';

const BEFORE_SURROGATES = 0xd800;
const SURROGATES = 0x800;

/**
 * Every character, as `unit: 'binary'` of fast-check; that one makes a table of all million of them, which takes half a
 * second, and 80 MB until the process ends.
 */
export const anyCharacter = fc
  .nat({ max: 0x10_ffff - SURROGATES })
  .map(toCharacter, (value) => toPlace((value as string).codePointAt(0)!));

function toCharacter(at: number): string {
  return String.fromCodePoint(at < BEFORE_SURROGATES ? at : at + SURROGATES);
}

function toPlace(codePoint: number): number {
  return codePoint < BEFORE_SURROGATES ? codePoint : codePoint - SURROGATES;
}
