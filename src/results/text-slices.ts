import { type RemovedText, type FindingKind, gateText } from '../model/text/text-gate.js';
import { TimeSlice } from '../edge/time-slice.js';

/** Counts of what the text gate removed from a result. */
export type Findings = Map<FindingKind, number>;

export function addFindings(all: Findings, found: readonly RemovedText[]): void {
  for (const { kind, count } of found) all.set(kind, (all.get(kind) ?? 0) + count);
}

/** Passes a text through the text gate, in time slices. */
export async function gateInTurns(text: string, findings: Findings): Promise<string> {
  if (text.length <= SLICE) return gateSlice(text, findings);
  const turns = new TimeSlice();
  const pieces: string[] = [];
  let isChanged = false;
  for (const slice of slicesOf(text)) {
    const gated = gateSlice(slice, findings);
    isChanged ||= gated !== slice;
    pieces.push(gated);
    const wait = turns.pause();
    if (wait) await wait;
  }
  return isChanged ? pieces.join('') : text;
}

export function gateSlice(slice: string, findings: Findings): string {
  const { text, findings: found } = gateText(slice);
  if (found.length > 0) addFindings(findings, found);
  return text;
}

/** Slices end after a newline or blank if one is near, where all that the gate removes ends; never inside a pair. */
export function* slicesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = at + SLICE >= text.length ? text.length : cutBefore(text, at + SLICE);
    yield text.slice(at, end);
    at = end;
  }
}

const SLICE = 32_768; // characters; 10 ms at worst, when the gate removes every one
const NEAR = 4_096;

function cutBefore(text: string, end: number): number {
  const tail = text.slice(end - NEAR, end);
  const lineEnd = tail.lastIndexOf('\n');
  const cut = lineEnd === -1 ? tail.lastIndexOf(' ') : lineEnd;
  if (cut !== -1) return end - NEAR + cut + 1;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
