import { countOf, showLine, showPath } from '../../model/show.js';
import { dayText } from './day-text.js';
import type { ServerValue, ToolValue, ValueReport } from '../../model/value/server-value.js';
import { isValueDays, VALUE_DAYS } from '../../model/value/value-days.js';
import { type Action, defineAction } from '../action.js';
import { type ActionPlace, loadedOf } from '../action-place.js';
import type { ToldPart, ToldValue } from '../told.js';
import { usageError } from '../usage-error.js';
import { adviceParts } from './advice-parts.js';
import { homeless } from '../servers/logs.js';

const args = {
  server: { kind: 'server', isOptional: true },
  days: { kind: 'text', value: 'N', summary: `count the last N days (default: ${VALUE_DAYS})` },
} as const;

interface Valued {
  readonly report: ValueReport;
  /** The server that was asked about, with its tools; undefined: all servers. */
  readonly server: ServerValue | undefined;
}

/** Shows what servers cost and bring, from the ledger of every host of this user. */
export const value: Action<typeof args, Valued> = defineAction({
  name: 'value',
  label: 'value',
  doing: 'reading the ledger',
  summary: 'Show what servers cost in tokens and what they bring, and what to change',
  args,
  needs: 'files',
  async run(on, { server: name, days: typed }, { now, signal }) {
    const days = dayCount(typed);
    const report = await valueReport(on, { days, now: now(), signal });
    if (report.ledger.folder === undefined) throw homeless('There is no ledger of turns and calls');
    const server = report.servers.find((one) => one.name === name);
    if (name !== undefined && !server)
      throw (await import('../../config/edit/manage.js')).unknownServer(await loadedOf(on), name);
    return { report: server ? { ...report, servers: [server], builtIns: [] } : report, server };
  },
  json: ({ report }) => report,
  tell: ({ report, server }) => ({
    tone: 'note',
    parts: server ? serverParts(report, server) : reportParts(report),
    notes: extentNotes(report),
  }),
});

/** The report, for faces that show only a part of it. Rejects with a `HostError`, and with the reason of the signal. */
export async function valueReport(
  on: ActionPlace,
  { days = VALUE_DAYS, now, signal }: { days?: number; now: Date; signal?: AbortSignal | undefined },
): Promise<ValueReport> {
  if (on.kind === 'host') return on.host.value({ days, ...(signal && { signal }) });
  const { readValueReport } = await import('../../host/value/value-report.js');
  return readValueReport(await on.load(), { days, now: now.getTime(), signal });
}

function dayCount(given: string = String(VALUE_DAYS)): number {
  const days = /^\d{1,4}$/u.test(given) ? Number(given) : 0;
  if (isValueDays(days)) return days;
  throw usageError(showLine(`--days must be a whole number from 1 to 3650, got ${given}`), { hint: 'Write --days 30' });
}

function reportParts(report: ValueReport): ToldPart[] {
  const { servers, builtIns, cacheBreaksAvoided } = report;
  const known = servers.filter(({ turns, calls, denied, advice }) => turns + calls + denied > 0 || advice);
  if (known.length === 0) return [{ kind: 'sentence', text: emptyText(report) }];
  const { count, tokens } = cacheBreaksAvoided;
  const silent = servers.length - known.length;
  return [
    { kind: 'line', spans: [{ text: extentText(report) }] },
    { kind: 'values', of: 'server', values: known.slice(0, SHOWN).map(toServerRow) },
    ...(known.length > SHOWN ? [sentence(`  … and ${known.length - SHOWN} more: plugboard value --json`)] : []),
    ...(silent > 0 ? [line(`${countOf(silent, 'server')} more of this folder: no turn and no call`)] : []),
    ...(builtIns.length > 0 ? [line(builtInText(builtIns))] : []),
    ...(count > 0 ? [line(`Cache breaks avoided: ${count}, which saved reading ${amount(tokens)} tokens again`)] : []),
    ...known.filter(({ advice }) => advice).flatMap((server, at) => adviceParts(server, at === 0)),
  ];
}

function serverParts(report: ValueReport, server: ServerValue): ToldPart[] {
  const { name, turns, toldTurns, calls, denied, tools, told, deferred, cacheBreaksAvoided, configured } = server;
  if (turns + calls + denied === 0) return [sentence(`${showLine(name)}: no turn and no call is recorded`)];
  const { count, tokens } = cacheBreaksAvoided;
  const facts = [
    ...(toldTurns > 0
      ? [
          `told in ${countOf(toldTurns, 'turn')}, which took ${amount(told)} tokens; now ${amount(server.definitions)} of definitions and ${amount(server.instructions)} of instructions a turn`,
        ]
      : []),
    ...(deferred > 0 ? [`${amount(deferred)} tokens of definitions to search for`] : []),
    ...(count > 0 ? [`${countOf(count, 'cache break')} avoided (${amount(tokens)} tokens)`] : []),
    ...(configured ? [] : ['not configured in this folder']),
  ];
  return [
    line(extentText(report)),
    ...(facts.length > 0 ? [line(showLine(`${name}: ${facts.join('; ')}`))] : []),
    ...(tools.length > 0 ? [toolTable(tools)] : []),
    ...(tools.length > SHOWN ? [sentence(`  … and ${tools.length - SHOWN} more: --json`)] : []),
    ...adviceParts(server),
  ];
}

function toolTable(tools: readonly ToolValue[]): ToldPart {
  return { kind: 'values', of: 'tool', values: tools.slice(0, SHOWN).map(toToolRow) };
}

function toServerRow(server: ServerValue): ToldValue {
  const { definitions, instructions, toldTurns, cacheBreaksAvoided, advice, ...use } = server;
  const turn = use.turns > 0 ? definitions + instructions : undefined;
  return { ...use, name: showLine(use.name), turn, toldTurns, breaks: cacheBreaksAvoided.count, isCostly: !!advice };
}

/** A tool is shown by its short name where the server's is known. */
function toToolRow({ tool, definition, ...use }: ToolValue): ToldValue {
  const isCostly = use.toldTurns > 0 && use.calls === 0;
  return { ...use, name: showLine(tool ?? use.name), turn: definition, breaks: undefined, isCostly };
}

function extentText({ days, turns, servers, ledger }: ValueReport): string {
  const calls = servers.reduce((sum, one) => sum + one.calls, 0);
  const { turnsSince, since } = ledger;
  const known = [
    ...(since === undefined ? [] : [`the ledger begins ${dayText(since)}`]),
    ...(turnsSince === undefined || since === undefined || dayText(turnsSince) === dayText(since)
      ? []
      : [`turns ${dayText(turnsSince)}`]),
  ];
  const all = `${countOf(turns, 'turn')} and ${countOf(calls, 'call')} in the last ${countOf(days, 'day')}`;
  return `${all}${known.length === 0 ? '' : ` (${known.join(', ')})`}. Tokens are estimates.`;
}

function emptyText({ days, ledger }: ValueReport): string {
  if (ledger.since === undefined) return 'No turn and no call is recorded yet';
  return `No turn and no call of a server is recorded in the last ${countOf(days, 'day')}`;
}

function builtInText(builtIns: readonly ToolValue[]): string {
  const calls = builtIns.reduce((sum, one) => sum + one.calls, 0);
  const results = builtIns.reduce((sum, one) => sum + one.results, 0);
  return `Tools of no server: ${countOf(calls, 'call')}, ${amount(results)} tokens of results`;
}

/** What the figures do not have in them. */
function extentNotes({ ledger }: ValueReport): string[] {
  const { lostCalls, lostTurns, unknownTurns, futureLines, skippedLines, unread } = ledger;
  const lost = [
    ...(lostCalls > 0 ? [countOf(lostCalls, 'call')] : []),
    ...(lostTurns > 0 ? [countOf(lostTurns, 'turn')] : []),
  ].join(' and ');
  return [
    ...(lost === '' ? [] : [`warning: ${lost} could not be recorded: the disk was full or too slow`]),
    ...(unknownTurns > 0
      ? [`note: what ${countOf(unknownTurns, 'turn')} showed is no longer in the ledger, and not counted`]
      : []),
    ...(futureLines > 0 ? [`warning: ${countOf(futureLines, 'line')} of the ledger left out: later than now`] : []),
    ...(skippedLines > 0
      ? [`warning: ${countOf(skippedLines, 'line')} of the ledger cannot be read, and not counted`]
      : []),
    ...unread.map(({ file, reason }) => `warning: ${showPath(file)} is not counted: ${showLine(reason)}`),
  ];
}

function amount(tokens: number): string {
  return tokens.toLocaleString('en');
}

function line(text: string): ToldPart {
  return { kind: 'line', spans: [{ text }] };
}

function sentence(text: string): ToldPart {
  return { kind: 'sentence', text };
}

const SHOWN = 40; // rows; more scroll by unread
