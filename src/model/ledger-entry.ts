import { isObject, parseJson } from '../base/json.js';

/**
 * What is written down of a call: what was decided, how it ended, how long and how large it was; never a value of its input or output, but for
 * the address of a resource and the name of a prompt, without secrets that are known as such.
 */
export interface LedgerEntry {
  /** The call's own. */
  readonly id: string;
  /** As the model knows it. */
  readonly tool: string;
  /** Undefined for a tool that is built in. */
  readonly server?: string | undefined;
  /** Of the resource that was read. */
  readonly uri?: string | undefined;
  /** The prompt that was got, as its server spells it. */
  readonly prompt?: string | undefined;
  /** `allow`, `deny`, and `ask-allow`, `ask-deny` where a person was asked. */
  readonly decision: string;
  /** The rule, mode, hook or person that decided. */
  readonly rule?: string | undefined;
  readonly outcome: 'ok' | 'error' | 'unknown';
  /** Of an error that this host names. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** From the call to its result. */
  readonly ms: number;
  /** Of these, for a person, a hook or a server that was not there. */
  readonly waitedMs?: number | undefined;
  readonly bytesIn?: number | undefined;
  readonly bytesOut?: number | undefined;
  readonly tokens?: number | undefined;
  readonly attempts?: number | undefined;
}

/** A line of the ledger, as it is read again. */
export interface LedgerLine extends LedgerEntry {
  /** When the call had ended: ISO 8601, UTC. */
  readonly at: string;
  /** The host's process. */
  readonly pid: number;
  readonly session?: string | undefined;
}

/** Calls that could not be written down: the disk was full, or slower than they came. */
export interface LedgerGap {
  readonly at: string;
  readonly pid: number;
  readonly lost: number;
}

/** Undefined for a line that was cut, or that somebody else wrote. */
export function parseLedgerLine(line: string): LedgerLine | LedgerGap | undefined {
  const value = parseJson(line);
  if (!isObject(value)) return undefined;
  const { at, pid, lost, id, tool, outcome, decision, ms } = value;
  if (typeof at !== 'string' || typeof pid !== 'number') return undefined;
  if (typeof lost === 'number') return { at, pid, lost };
  const isCall = [id, tool, outcome, decision].every((field) => typeof field === 'string') && typeof ms === 'number';
  return isCall ? (value as object as LedgerLine) : undefined;
}
