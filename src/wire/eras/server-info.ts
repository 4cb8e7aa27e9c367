import { isObject } from '../../base/json.js';
import type { Implementation } from '../../model/implementation.js';
import { gateLine, gateText } from '../../model/text/text-gate.js';

/** The server's description of itself: for display, never for decisions. */
export function readImplementation(info: unknown): Implementation {
  if (!isObject(info)) return { name: '', version: '' };
  const { name, version, title } = info;
  return { name: toLine(name), version: toLine(version), ...(typeof title === 'string' && { title: toLine(title) }) };
}

/** Instructions for the model, cleaned and cut to `INSTRUCTIONS_LIMIT`. */
export function readInstructions(instructions: unknown): string | undefined {
  if (typeof instructions !== 'string' || instructions === '') return undefined;
  return gateText(instructions, { limit: INSTRUCTIONS_LIMIT }).text;
}

function toLine(value: unknown): string {
  return typeof value === 'string' ? gateLine(value, { limit: NAME_LIMIT }).text : '';
}

const NAME_LIMIT = 100;
const INSTRUCTIONS_LIMIT = 2048; // some servers send very long texts, which cost tokens in every turn
