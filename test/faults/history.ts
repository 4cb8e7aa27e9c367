import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Host } from '../../src/host/host.js';
import type { CallResult } from '../../src/host/host-options.js';

/** A call's begin and end, as its caller saw them. */
export interface CallRecord {
  readonly key: string;
  readonly tool: string;
  readonly began: number;
  /** How often the call ended: exactly once is right. */
  ends: number;
  ended: number;
  result: CallResult | undefined;
}

export interface Verdict {
  readonly calls: number;
  readonly ok: number;
  readonly error: number;
  readonly unknown: number;
  /** Calls that never ended, or ended more than once. */
  readonly lost: number;
  /** Calls with effects that the server ran more than once. */
  readonly duplicated: number;
  /** Calls reported as ok that the server never ran, or reported as failed before sending that it did run. */
  readonly lies: number;
}

/**
 * Compares what callers saw with what the server recorded. Every call has a key of its own; the server writes `tool key
 * pid` to its journal before it does anything.
 */
export class History {
  readonly records: CallRecord[] = [];
  readonly #host: Host;
  readonly #server: string;

  constructor(host: Host, server: string) {
    this.#host = host;
    this.#server = server;
  }

  async call(tool: 'read' | 'put' | 'append', input: Record<string, unknown> = {}): Promise<CallResult> {
    const key = `k${this.records.length}`;
    const record: CallRecord = { key, tool, began: performance.now(), ends: 0, ended: 0, result: undefined };
    this.records.push(record);
    const result = await this.#host.call({ name: `mcp__${this.#server}__${tool}`, input: { ...input, key } });
    record.ends++;
    record.ended = performance.now();
    record.result = result;
    return result;
  }

  /** `ran`: lines of `tool key ...`, in the order in which the server began the calls. */
  judge(ran: readonly string[]): Verdict {
    const times = new Map<string, number>();
    for (const line of ran) {
      const [, key = ''] = line.split(' ');
      times.set(key, (times.get(key) ?? 0) + 1);
    }
    const { records } = this;
    const count = (outcome: CallResult['outcome']): number =>
      records.filter(({ result }) => result?.outcome === outcome).length;
    return {
      calls: records.length,
      ok: count('ok'),
      error: count('error'),
      unknown: count('unknown'),
      lost: records.filter(({ ends }) => ends !== 1).length,
      duplicated: records.filter(({ key, tool }) => tool === 'append' && (times.get(key) ?? 0) > 1).length,
      lies: records.filter(({ key, result }) => {
        const runs = times.get(key) ?? 0;
        if (result?.outcome === 'ok') return runs === 0;
        return result?.outcome === 'error' && result.attempts === 0 && runs > 0;
      }).length,
    };
  }
}

/** The lines that the journal server wrote. */
export function readJournal(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean);
}

/** Prints the figures, and checks the rule for all faults: no call lost, duplicated or reported wrongly. */
export function checkHistory(
  fault: string,
  verdict: Verdict,
  more: Readonly<Record<string, number | string>> = {},
): void {
  const { lost, duplicated, lies } = verdict;
  const figures = Object.entries({ ...verdict, ...more }).map(([name, value]) => `${name} ${value}`);
  console.log(`${fault}: ${figures.join(', ')}`);
  expect({ fault, lost, duplicated, lies }).toEqual({ fault, lost: 0, duplicated: 0, lies: 0 });
}
