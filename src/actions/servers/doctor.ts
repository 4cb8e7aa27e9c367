import { HostError } from '../../base/errors.js';
import type { Finding } from '../../host/diagnose.js';
import { countOf, showExact, showLine } from '../../model/show.js';
import { type Action, defineAction } from '../action.js';
import { type ActionContext, waitFor } from '../action-context.js';
import { type ActionPlace, type HostPlace, loadedOf } from '../action-place.js';
import { reportOpening } from '../openings.js';
import { connectionsOf, startIdle } from '../running-server.js';
import { toDiagnosed } from '../health/diagnosed-host.js';
import { type Fixes, fixWhatIsSafe } from '../files/fix.js';
import type { ToldPart } from '../told.js';
import { usageError } from '../usage-error.js';

const args = {
  server: { kind: 'server', isOptional: true },
  all: { kind: 'flag', summary: 'also start lazy servers ("start": "lazy")' },
  noConnect: { kind: 'flag', summary: 'look at the files and this machine, and start no server' },
  fix: { kind: 'flag', summary: "repair what is safe in Plugboard's own files" },
  dryRun: { kind: 'flag', summary: 'with --fix: only say what would be repaired' },
} as const;

interface Examined {
  readonly findings: readonly Finding[];
  /** How many servers may run, how many are connected, and how many lazy ones are not started. */
  readonly counts: string;
  /** No server may run, so nothing is known to be well. */
  readonly isIdle: boolean;
  /** What of this machine was looked at, each with what was found; empty where one server was asked about. */
  readonly checked: readonly string[];
  /** Undefined without `--fix`. */
  readonly fixes: Fixes | undefined;
}

export const doctor: Action<typeof args, Examined> = defineAction({
  name: 'doctor',
  label: 'diagnose',
  doing: 'diagnosing',
  summary: 'Find what is wrong, and say what to do about it',
  args,
  needs: 'files',
  opening: reportOpening(),
  async run(on, { server: name, all, noConnect, fix, dryRun }, context) {
    if (dryRun && !fix) throw usageError('--dry-run goes with --fix', { hint: 'plugboard doctor --fix --dry-run' });
    const loaded = await loadedOf(on);
    const meant = loaded.servers.filter((server) => name === undefined || server.name === name);
    if (name !== undefined && meant.length === 0)
      throw (await import('../../config/edit/manage.js')).unknownServer(loaded, name);
    const fixes = fix ? await fixWhatIsSafe(loaded, { now: context.now(), isDryRun: dryRun }) : undefined;
    const ready = meant.filter(({ standing }) => standing.kind === 'ready').map((server) => server.name);
    const isTimedOut = on.kind === 'host' && (await isWaitedFor(on, name !== undefined || all ? ready : [], context));
    const host = on.kind === 'host' ? on.host : undefined;
    const { diagnose } = await import('../../host/diagnose.js');
    const findings = await diagnose(loaded, {
      host: host && toDiagnosed(host),
      only: name,
      machine: noConnect ? 'inside' : 'outside',
      ...(host && { isTimedOut }),
    });
    const counts = ready.length === 0 ? noneText(loaded.servers.length, name) : countsText(on, ready);
    const checked = name === undefined ? checkedOf(!noConnect) : [];
    return { findings, counts, isIdle: ready.length === 0, fixes, checked };
  },
  json: ({ findings, fixes, checked }) => ({
    findings,
    ...(checked.length > 0 && { checked }),
    ...(fixes && { fixed: fixes.fixed, unfixed: fixes.failed }),
    ...(fixes?.isDryRun === true && { dryRun: true }),
  }),
  tell({ findings, counts, isIdle, fixes, checked }) {
    const having = (severity: Finding['severity']): number =>
      findings.filter((one) => one.severity === severity).length;
    const errors = having('error');
    const health = errors > 0 ? 'ill' : isIdle ? 'idle' : 'well';
    const summary = `${counts}; ${countOf(errors, 'error')}, ${countOf(having('warning'), 'warning')}`;
    return {
      tone: errors > 0 ? 'failed' : isIdle ? 'note' : 'done',
      parts: [
        ...(fixes ? fixParts(fixes, findings.length) : []),
        { kind: 'findings', findings: folded(findings), health, summary },
        ...(checked.length === 0 ? [] : [checkedPart(checked)]),
      ],
      code: errors === 0 ? undefined : 'unhealthy',
    };
  },
});

/** With `--no-connect` nothing outside this machine was asked: no proxy, and no clock of a server. */
function checkedOf(isConnecting: boolean): readonly string[] {
  const local = [`Node.js ${process.versions.node}`, 'PATH', 'files', 'duplicates', 'npx cache', 'keychain', 'ports'];
  return [...local, ...(isConnecting ? ['proxy', 'clock'] : [])];
}

function checkedPart(checked: readonly string[]): ToldPart {
  return { kind: 'line', spans: [{ text: `  checked: ${checked.join(', ')}` }] };
}

/** What was repaired comes first; the findings after it are left to the user, each with its command. */
function fixParts({ fixed, failed, isDryRun }: Fixes, left: number): readonly ToldPart[] {
  const lines = [
    ...fixed.map(({ message }) => `${isDryRun ? '○ would fix' : '✔ fixed'}: ${message}`),
    ...failed.map(({ message }) => `✘ not fixed: ${message}`),
    ...(fixed.length + failed.length === 0 ? ['Nothing to fix'] : []),
    ...(left === 0 ? [] : ['The rest is left to you:']),
  ];
  return lines.map((line): ToldPart => ({ kind: 'line', spans: [{ text: showLine(line) }] }));
}

/** Starts the lazy servers among `ready`, and waits. True when the timeout came first; rejects with `cancelled`. */
async function isWaitedFor({ host }: HostPlace, ready: readonly string[], context: ActionContext): Promise<boolean> {
  for (const server of connectionsOf(host)) if (ready.includes(server.name)) startIdle(server);
  const waited = await waitFor(host.settled(), context);
  if (waited.kind === 'interrupted') throw new HostError('cancelled', 'doctor was interrupted');
  return waited.kind === 'timed-out';
}

function noneText(configured: number, name: string | undefined): string {
  if (name !== undefined) return `${showExact(name)} may not run`;
  return configured === 0 ? 'No MCP servers configured' : 'No server may run here';
}

function countsText(on: ActionPlace, ready: readonly string[]): string {
  const mayRun = countOf(ready.length, 'server');
  if (on.kind === 'files') return `${mayRun} may run`;
  const states = ready.map((name) => on.host.server(name)?.status);
  const having = (status: string): number => states.filter((state) => state === status).length;
  const idle = having('idle');
  return `${having('connected')} of ${mayRun} connected${idle === 0 ? '' : `, ${idle} not started yet`}`;
}

/** Merges the findings of many servers that wait for approval or start in private folders into one note each. */
function folded(findings: readonly Finding[]): readonly Finding[] {
  const approval = foldKind(findings, 'unapproved', 'wait for approval', 'plugboard approve');
  return foldKind(
    approval,
    'private-folder',
    'start in private folders, because this folder is not trusted',
    'plugboard trust',
  );
}

function foldKind(findings: readonly Finding[], code: Finding['code'], what: string, hint: string): readonly Finding[] {
  const alike = findings.filter((finding) => finding.code === code);
  if (alike.length <= WAITING_SHOWN) return findings;
  const names = alike.slice(0, WAITING_SHOWN).map(({ server }) => `"${server}"`);
  const message = `${alike.length} servers ${what}: ${names.join(', ')} and ${alike.length - names.length} more`;
  return [...findings.filter((finding) => finding.code !== code), { severity: 'info', code, message, hint }];
}

const WAITING_SHOWN = 3;
