import { gateText } from '../model/text/text-gate.js';
import { groupDigits } from '../base/group-digits.js';
import type { WrittenText } from './text-file.js';
import { cutToLimit } from './text-limit.js';
import { addFindings, type Findings } from './text-slices.js';

export interface SavedText extends WrittenText {
  /** The subject of the notice, for instance `The text of this result`. */
  readonly what: string;
  readonly format: 'plain text' | 'JSON';
  readonly schema: string | undefined;
  /** At least as many characters as a preview has. */
  readonly beginning: string;
}

/** The notice that replaces a saved text: its size, its path, how to read on, and its beginning. */
export function savedFileNotice(saved: SavedText, findings: Findings): string {
  const { what, path, bytes, lines, format, schema, beginning } = saved;
  const preview = toPreview(beginning, findings);
  const counted = lines === undefined ? '' : ` in ${groupDigits(lines)} line${lines === 1 ? '' : 's'}`;
  const told = [
    `[${what} is too large to be shown whole: ${groupDigits(bytes)} bytes${counted}. All of it is saved to ${path} (${format}).]`,
  ];
  if (schema !== undefined) told.push(`Schema: ${schema}`);
  told.push(`To read on, call Read with ${JSON.stringify(readOn(saved, preview))}.`, 'It begins:', preview, '…');
  return told.join('\n');
}

/** By lines, unless lines are so long that a few would fill a result. */
function readOn({ path, bytes, lines }: SavedText, preview: string): object {
  const hasLongLines = lines === undefined ? !preview.includes('\n') : bytes / Math.max(lines, 1) > LONG_LINE;
  if (hasLongLines) return { path, characters: { from: preview.length, count: CHARACTERS } };
  return { path, offset: preview.split('\n').length, limit: LINES };
}

export function toPreview(beginning: string, findings: Findings): string {
  const gated = gateText(beginning.slice(0, 4 * PREVIEW));
  addFindings(findings, gated.findings);
  return cutToLimit(gated.text, PREVIEW);
}

const PREVIEW = 2_048;
const LONG_LINE = 2_000;
const LINES = 500;
const CHARACTERS = 20_000;
