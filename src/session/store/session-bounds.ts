import { measureJson } from './json-measure.js';

/** Why a line is beyond what a session file may hold; undefined when it is not. Holds for writing and for reading. */
export function lineExcess(line: Buffer, valuesBefore: number): { readonly excess?: string; readonly values: number } {
  if (line.length > LINE_BYTES) {
    return { excess: `it has ${line.length} bytes, the limit of a line is ${LINE_BYTES}`, values: 0 };
  }
  const { depth, values } = measureJson(line);
  if (depth > DEPTH) return { excess: `it is nested more than ${DEPTH} levels deep`, values };
  if (valuesBefore + values > VALUES) return { excess: `it has more than ${VALUES} values`, values };
  return { values };
}

export const SESSION_BYTES = 536_870_912; // 512 MB: weeks of work; the longest string of Node has as many characters
const LINE_BYTES = 67_108_864; // 64 MB: four times the largest response of a server that stays in memory
const DEPTH = 640; // the 512 levels that the wire accepts, within the levels of a line
const VALUES = 5_000_000; // an object of two bytes takes 56 in memory: 300 MB of them
