import { isObject } from '../../base/json.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { ContentBlock } from '../../model/content/content-block.js';
import type { ToolInput } from '../../model/tool.js';

/** A program's decision about a call, in place of the user's. */
export type DelegatedDecision =
  /** `input` is sent in place of what the model wrote. */
  | { readonly kind: 'allow'; readonly input?: ToolInput }
  /** `stops` ends the whole turn, not only this call. */
  | { readonly kind: 'deny'; readonly reason: string; readonly stops?: boolean };

/** Reads `{ behavior: "allow", updatedInput? }` or `{ behavior: "deny", message }`. Anything else denies. */
export function readDecision(answer: unknown, who: string): DelegatedDecision {
  if (!isObject(answer)) return { kind: 'deny', reason: `${who} answers with no JSON object` };
  const { behavior, updatedInput, message, interrupt } = answer;
  if (behavior === 'allow') {
    if (updatedInput === undefined || updatedInput === null) return { kind: 'allow' };
    if (isObject(updatedInput)) return { kind: 'allow', input: updatedInput };
    return { kind: 'deny', reason: `${who} answers with an updatedInput that is no object` };
  }
  if (behavior !== 'deny') return { kind: 'deny', reason: `${who} says neither allow nor deny` };
  const why = typeof message === 'string' ? gateLine(message, { limit: REASON_LIMIT }).text : '';
  return { kind: 'deny', reason: why === '' ? `${who} said no` : why, ...(interrupt === true && { stops: true }) };
}

/** Like `readPermit`, for the text of a tool result. */
export function readPermitText(content: readonly ContentBlock[], who: string): DelegatedDecision {
  const text = joinTexts(content);
  if (text.length > TEXT_LIMIT) return { kind: 'deny', reason: `${who} answers with ${text.length} characters` };
  try {
    return readDecision(JSON.parse(text), who);
  } catch {
    return { kind: 'deny', reason: `${who} answers with what is no JSON` };
  }
}

export function joinTexts(content: readonly ContentBlock[]): string {
  return content.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

const REASON_LIMIT = 2_000;
const TEXT_LIMIT = 2_000_000; // characters; updatedInput may be a whole file
