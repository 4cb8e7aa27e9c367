import { isObject } from '../../base/json.js';
import type { Implementation } from '../../model/implementation.js';
import { gateLine, gateText } from '../../model/text/text-gate.js';

/** What a server says of itself: for people to read, never to rely on. */
export function readImplementation(info: unknown): Implementation {
  if (!isObject(info)) return { name: '', version: '' };
  const { name, version, title } = info;
  return { name: toLine(name), version: toLine(version), ...(typeof title === 'string' && { title: toLine(title) }) };
}

/** A model reads them: cleaned, and cut before anything keeps them. */
export function readInstructions(instructions: unknown): string | undefined {
  if (typeof instructions !== 'string' || instructions === '') return undefined;
  return gateText(instructions, { limit: INSTRUCTIONS_LIMIT }).text;
}

function toLine(value: unknown): string {
  return typeof value === 'string' ? gateLine(value, { limit: NAME_LIMIT }).text : '';
}

const NAME_LIMIT = 100;
const INSTRUCTIONS_LIMIT = 2048; // generated servers send novels, and every turn pays for them
