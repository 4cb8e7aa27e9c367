import { gateJson } from '../model/text/json-gate.js';
import { gateText } from '../model/text/text-gate.js';

/** Takes hidden characters out of what a server sent. What has none stays the same object. */
export type Clean = <Value extends object>(value: Value) => Value;

/** Line ends stay as the server wrote them: clients get files through this. */
export const withoutHidden: Clean = (value) => gateJson(value, KEEPING).value as typeof value;

/** `settings.gateway.results: "raw"`. */
export const asSent: Clean = (value) => value;

export function toClean(results: 'clean' | 'raw' | undefined): Clean {
  return results === 'raw' ? asSent : withoutHidden;
}

/** One text, such as a server's instructions. */
export function cleanText(text: string, limit?: number): string {
  return gateText(text, limit === undefined ? {} : { limit }).text;
}

const KEEPING = { keepsLineEnds: true } as const;
