import { shorten } from '../../base/shorten.js';
import { showLine } from '../../model/show.js';
import type { UserPart } from '../message.js';

/** The title of a session: the beginning of its first prompt, in one line. Empty for a prompt without text. */
export function toTitle(parts: readonly UserPart[]): string {
  const text = parts.find((part) => part.kind === 'text')?.text ?? '';
  return shorten(showLine(text.slice(0, LOOKED_AT)).trim(), TITLE_LENGTH);
}

const LOOKED_AT = 4_000; // characters; the rest of a pasted file changes nothing
const TITLE_LENGTH = 200;
