import type { HostConfig } from '../../config/load.js';
import { ledgerFolder } from '../../guard/ledger-file.js';
import { type LedgerScan, scanLedger } from '../../guard/value/scan-ledger.js';
import type {
  LedgerExtent,
  ServerValue,
  ToolValue,
  UseValue,
  ValueAdvice,
  ValueReport,
} from '../../model/value/server-value.js';
import { type CallTally, type ServerTally, type ToolTally, ValueTally } from '../../model/value/value-tally.js';
import { textRedactor } from '../../model/redaction/redact-text.js';
import { gateLine } from '../../model/text/text-gate.js';
import { judge } from '../../model/value/verdict.js';

export interface ValueReportOptions {
  readonly days: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Adds up the ledger and says what to do about servers that cost more than they bring. An empty report without a
 * ledger. Rejects with a `HostError` when the ledger's folder cannot be read, and with the reason of the signal.
 */
export async function readValueReport(
  loaded: HostConfig,
  { days, now, signal }: ValueReportOptions,
): Promise<ValueReport> {
  const { state } = loaded.context.places;
  const folder = state === undefined ? undefined : ledgerFolder(state);
  const [from, to] = [toTime(now - days * DAY_MS), toTime(now)];
  const tally = new ValueTally({ from, to: toTime(now + AHEAD_MS) });
  const scan: LedgerScan = folder === undefined ? { skipped: 0, unread: [] } : await scanLedger(folder, tally, signal);
  tally.finish();
  const configured = new Map(loaded.servers.map(({ name }) => [toLedgerName(name), name]));
  const found = [...tally.servers.values()];
  const advice = await adviceFor(found, { loaded, configured, days });
  const servers = found.map((one) =>
    toServerValue(one, { name: configured.get(one.name), advice: advice.get(one.name) }),
  );
  const told = new Set(found.map(({ name }) => name));
  const silent = [...configured].filter(([name]) => !told.has(name)).map(([, name]) => toSilent(name));
  return {
    days,
    from,
    to,
    ledger: toExtent(tally, scan, folder),
    turns: tally.turns,
    cacheBreaksAvoided: { count: tally.breaks, tokens: tally.breakTokens },
    servers: [...servers, ...silent].toSorted(byTokens),
    builtIns: [...tally.own].map(([name, own]) => toToolValue(name, own)),
  };
}

/** Nothing of this is loaded for a ledger without findings. */
async function adviceFor(
  found: readonly ServerTally[],
  { loaded, configured, days }: { loaded: HostConfig; configured: ReadonlyMap<string, string>; days: number },
): Promise<ReadonlyMap<string, ValueAdvice>> {
  const judged = found.flatMap((tally) => {
    const verdict = configured.has(tally.name) ? judge(tally, msBetween) : undefined;
    return verdict ? [{ tally, verdict, name: configured.get(tally.name)! }] : [];
  });
  if (judged.length === 0) return new Map();
  const { adviceOn } = await import('./value-advice.js');
  const told = await Promise.all(
    judged.map(async (one) => [one.tally.name, await adviceOn(one, loaded, days)] as const),
  );
  return new Map(told.flatMap(([name, advice]) => (advice ? [[name, advice]] : [])));
}

/** A server's name as the ledger has it: cleaned as the `Ledger` cleans all names. */
export function toLedgerName(name: string): string {
  const redactor = textRedactor();
  const whole = gateLine(name, { limit: NAME_LENGTH + redactor.reach }).text;
  return gateLine(redactor.redact(whole), { limit: NAME_LENGTH }).text;
}

interface Known {
  readonly name: string | undefined;
  readonly advice: ValueAdvice | undefined;
}

function toServerValue(tally: ServerTally, { name, advice }: Known): ServerValue {
  const { turns, toldTurns, firstTold, lastTold, last } = tally;
  const { loaded = 0, deferred = 0, instructions = 0, tools: shown } = last?.server ?? {};
  const tools = Array.from(tally.tools, ([tool, own]) => toToolValue(tool, own, shown?.get(tool)));
  return {
    name: name ?? shownName(tally.name),
    configured: name !== undefined,
    turns,
    toldTurns,
    ...(firstTold !== undefined && { firstTold }),
    ...(lastTold !== undefined && { lastTold }),
    definitions: loaded,
    deferred,
    instructions,
    told: tally.definitionTokens + tally.instructionTokens,
    ...toUse(tally),
    cacheBreaksAvoided: { count: tally.breaks, tokens: tally.breakTokens },
    tools: tools.toSorted((one, other) => other.calls - one.calls || (other.definition ?? 0) - (one.definition ?? 0)),
    ...(advice && { advice }),
  };
}

function toToolValue(
  name: string,
  tally: ToolTally,
  shown?: { readonly tokens: number; readonly own?: string | undefined },
): ToolValue {
  return {
    name: shownName(name),
    ...(shown?.own !== undefined && { tool: shownName(shown.own) }),
    ...(shown && { definition: shown.tokens }),
    toldTurns: tally.toldTurns,
    ...toUse(tally),
  };
}

function toUse({ calls, errors, denied, cancelled, resultTokens, ms, lastUsed }: CallTally): UseValue {
  const use = { calls, errors, denied, cancelled, results: resultTokens, ms: Math.round(ms) };
  return lastUsed === undefined ? use : { ...use, lastUsed };
}

/** A server that the ledger says nothing of. */
function toSilent(name: string): ServerValue {
  const none = { calls: 0, errors: 0, denied: 0, cancelled: 0, results: 0, ms: 0 };
  const tokens = { definitions: 0, deferred: 0, instructions: 0, told: 0 };
  const breaks = { count: 0, tokens: 0 };
  return { name, configured: true, turns: 0, toldTurns: 0, ...tokens, ...none, cacheBreaksAvoided: breaks, tools: [] };
}

function toExtent(tally: ValueTally, { skipped, unread }: LedgerScan, folder: string | undefined): LedgerExtent {
  const { since, turnsSince, lost, lostTurns, unknownTurns, future, beyond } = tally;
  return {
    ...(folder !== undefined && { folder }),
    ...(since !== undefined && { since }),
    ...(turnsSince !== undefined && { turnsSince }),
    lostCalls: lost,
    lostTurns,
    unknownTurns,
    futureLines: future,
    skippedLines: skipped + beyond,
    unread,
  };
}

function byTokens(one: ServerValue, other: ServerValue): number {
  return other.told - one.told || other.results - one.results || (one.name < other.name ? -1 : 1);
}

/** Names are in the file as anybody may have written them. */
function shownName(name: string): string {
  return gateLine(name, { limit: NAME_LENGTH }).text;
}

function msBetween(from: string, to: string): number {
  return Date.parse(to) - Date.parse(from);
}

function toTime(ms: number): string {
  return new Date(Math.max(0, ms)).toISOString();
}

const DAY_MS = 86_400_000;
const AHEAD_MS = DAY_MS; // a clock that was set back by less is no reason to leave lines out
const NAME_LENGTH = 200; // as in the ledger
