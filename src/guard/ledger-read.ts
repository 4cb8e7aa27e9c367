import { followFile } from '../edge/logs/follow-file.js';
import { type FilePosition, readTail } from '../edge/logs/tail-file.js';
import { type LedgerGap, type LedgerLine, parseLedgerLine } from '../model/ledger-entry.js';
import { gateJson } from '../model/text/json-gate.js';
import { ledgerFile } from './ledger-file.js';

export type LedgerRecord = LedgerLine | LedgerGap;

export interface LedgerTail {
  readonly file: string;
  readonly calls: readonly LedgerRecord[];
  /** Undefined: there is no ledger. */
  readonly position: FilePosition | undefined;
}

export interface ReadLedgerOptions {
  /** Maximum number of calls. */
  readonly tail: number;
  /** Only calls to this server. */
  readonly server?: string | undefined;
}

/** The last calls, oldest first. Skips truncated and invalid lines. Throws a HostError when it cannot be read. */
export function readLedger(folder: string, { tail, server }: ReadLedgerOptions): LedgerTail {
  const file = ledgerFile(folder);
  // Lines of turns are among those of calls, and a filter by server applies only after reading: more lines are read.
  for (let wanted = server === undefined ? 2 * tail : MOST_LINES; ; wanted *= MORE) {
    const { lines, position } = readTail(file, { lines: wanted, takesUnfinished: false, bytes: MOST_BYTES });
    const calls = toRecords(lines, server);
    if (calls.length >= tail || lines.length < wanted || wanted >= MOST_LINES) {
      return { file, calls: tail === 0 ? [] : calls.slice(-tail), position };
    }
  }
}

export interface FollowLedgerOptions {
  readonly server?: string | undefined;
  readonly from: FilePosition | undefined;
  readonly signal: AbortSignal;
  /** Contract: returns false when no more calls are wanted. */
  readonly onCalls: (calls: readonly LedgerRecord[]) => boolean;
}

/** Passes on new calls of all hosts that share the ledger, until the signal aborts. */
export function followLedger(folder: string, { server, from, signal, onCalls }: FollowLedgerOptions): Promise<void> {
  const onLines = (lines: readonly string[]): boolean => {
    const calls = toRecords(lines, server);
    return calls.length === 0 || onCalls(calls);
  };
  return followFile(ledgerFile(folder), { from, signal, onLines });
}

const MOST_BYTES = 20_971_520; // two files
const MOST_LINES = 100_000;
const MORE = 4;

function toRecords(lines: readonly string[], server: string | undefined): LedgerRecord[] {
  return lines
    .map((line) => parseLedgerLine(line))
    .filter((record) => record !== undefined)
    .filter((record) => server === undefined || 'lost' in record || record.server === server)
    .map((record) => gateJson(record).value as LedgerRecord);
}
