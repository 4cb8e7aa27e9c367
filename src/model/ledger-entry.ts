import { isObject, type JsonObject, parseJson } from '../base/json.js';

/**
 * The record of one call: decision, outcome, duration and sizes. It never has a value of the input or output, except a
 * resource's URI and the names of a prompt and its argument, with known secrets removed.
 */
export interface LedgerEntry {
  /** The call's id. */
  readonly id: string;
  /** The name that the model knows. */
  readonly tool: string;
  /** Undefined for a built-in tool. */
  readonly server?: string | undefined;
  /** The URI of the resource that was read. */
  readonly uri?: string | undefined;
  /** The prompt's name as its server spells it. */
  readonly prompt?: string | undefined;
  /** The argument of the prompt, or of the template `uri`, for which values were to be suggested. */
  readonly completes?: string | undefined;
  /** `allow`, `deny`; `ask-allow`, `ask-deny` when a person was asked. */
  readonly decision: string;
  /** The rule, mode, hook or person that decided. */
  readonly rule?: string | undefined;
  /** What the flow guard found: `ask copy web -> notes base64`. Absent where it had nothing to say. */
  readonly flow?: string | undefined;
  readonly outcome: 'ok' | 'error' | 'unknown';
  /** The code of a `HostError`. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** Duration of the call in milliseconds. */
  readonly ms: number;
  /** The part of `ms` spent waiting for a person, a hook or an unavailable server. */
  readonly waitedMs?: number | undefined;
  readonly bytesIn?: number | undefined;
  readonly bytesOut?: number | undefined;
  readonly tokens?: number | undefined;
  readonly attempts?: number | undefined;
}

/** A line of the ledger as it is read back. */
export interface LedgerLine extends LedgerEntry {
  /** When the call ended: ISO 8601, UTC. */
  readonly at: string;
  /** The process id of the host. */
  readonly pid: number;
  readonly session?: string | undefined;
}

/** Counts calls that were not recorded, because the disk was full or too slow. */
export interface LedgerGap {
  readonly at: string;
  readonly pid: number;
  readonly lost: number;
}

/** Returns undefined for a line that is truncated, of a turn (value/turn-line.ts) or not of this format. */
export function parseLedgerLine(line: string): LedgerLine | LedgerGap | undefined {
  const value = parseJson(line);
  return isObject(value) ? toLedgerLine(value) : undefined;
}

/** The same for a line that was parsed already. */
export function toLedgerLine(value: JsonObject): LedgerLine | LedgerGap | undefined {
  const { at, pid, lost, id, tool, outcome, decision, ms } = value;
  if (typeof at !== 'string' || typeof pid !== 'number') return undefined;
  if (typeof lost === 'number') return { at, pid, lost };
  const isCall = [id, tool, outcome, decision].every((field) => typeof field === 'string') && typeof ms === 'number';
  return isCall ? (value as object as LedgerLine) : undefined;
}
