import { HostError } from '../../base/errors.js';
import type { LoadedConfig } from '../../config/load.js';
import type { Finding } from '../../host/diagnose.js';
import { exitCodes } from '../io.js';
import { loadToStart } from '../load-to-start.js';
import { countOf, nameOnce, showLine, showText } from '../../model/show.js';
import { screenColumns, type Style, styleFor } from '../style.js';
import type { Run, Verb } from '../verb.js';
import { usageError } from '../usage-error.js';
import { wrapHint, wrapLine } from '../wrap.js';

export const doctor: Verb = {
  name: 'doctor',
  usage: '[SERVER] [--all] [--no-connect]',
  summary: 'Find what is wrong, and say what to do about it',
  completes: 'server',
  options: [
    { name: 'all', summary: 'also start servers that wait for their first use ("start": "lazy")' },
    { name: 'no-connect', summary: 'look at the files and this machine, and start no server' },
  ],
  examples: ['plugboard doctor', 'plugboard doctor github --json', 'plugboard doctor --timeout 5000'],
  async run(invocation, io) {
    if (invocation.positionals.length > 1) throw usageError('doctor takes one server at most');
    const [name] = invocation.positionals;
    const loaded = await loadToStart(invocation, io, {
      starts: (server) => name === undefined || server.name === name,
    });
    if (name !== undefined && !loaded.servers.some((server) => server.name === name)) {
      throw (await import('../../config/manage.js')).unknownServer(loaded, name);
    }
    const { findings, counts } = await examine({ invocation, io, loaded, name });
    const style = styleFor(io.stdout, { env: io.env, noColor: invocation.has('no-color') });
    const errors = findings.filter(({ severity }) => severity === 'error').length;
    const warnings = findings.filter(({ severity }) => severity === 'warning').length;
    const summary = [countsText(counts), `${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}`].join('; ');
    return {
      data: { findings },
      text: [
        ...folded(findings).flatMap((finding) => findingLines(finding, { style, columns: screenColumns(io.stdout) })),
        ...(findings.length === 0 ? [] : ['']),
        `${errors === 0 ? style.green('✔') : style.red('✘')} ${summary}`,
      ].join('\n'),
      ...(errors > 0 && { exitCode: exitCodes.unhealthy }),
    };
  },
};

interface Examination extends Run {
  readonly loaded: LoadedConfig;
  readonly name: string | undefined;
}

interface Examined {
  readonly findings: readonly Finding[];
  readonly counts: Counts;
}

interface Counts {
  readonly mayRun: number;
  readonly connected: number;
  /** Lazy ones, which nobody has used. */
  readonly idle: number;
  readonly isAsked: boolean;
}

async function examine({ invocation, io, loaded, name }: Examination): Promise<Examined> {
  const { diagnose } = await import('../../host/diagnose.js');
  const ready = loaded.servers.filter(
    (server) => server.standing.kind === 'ready' && (name === undefined || server.name === name),
  );
  if (invocation.has('no-connect') || ready.length === 0) {
    const findings = await diagnose(loaded, { host: undefined, only: name });
    return { findings, counts: { mayRun: ready.length, connected: 0, idle: 0, isAsked: false } };
  }
  const { withHost } = await import('../open-host.js');
  const { startIdle } = await import('../../actions/running-server.js');
  const only = ready.map((server) => server.name);
  return withHost({ invocation, io, loaded, only, isReport: true }, async ({ host, settled }) => {
    if (name !== undefined || invocation.has('all')) for (const one of only) startIdle(host, one);
    const waited = await settled();
    if (waited.kind === 'interrupted') throw new HostError('cancelled', 'doctor was interrupted');
    const isLate = waited.kind === 'late';
    const findings = await diagnose(loaded, { host, only: name, isLate });
    const states = only.map((one) => host.server(one)?.status);
    const having = (status: string): number => states.filter((state) => state === status).length;
    const counts = { mayRun: only.length, connected: having('connected'), idle: having('idle'), isAsked: true };
    return { findings, counts };
  });
}

/** For people one note, where many servers wait for the same or start alike. */
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

interface Looks {
  readonly style: Style;
  readonly columns: number;
}

/** What; where, why and what it said; do this. */
function findingLines(finding: Finding, { style, columns }: Looks): string[] {
  const { server, severity, hint, cause, stderr, file, line } = finding;
  const message = server === undefined ? finding.message : nameOnce(finding.message, server);
  const marks = { error: style.red('✘ error'), warning: style.yellow('! warning'), info: style.dim('• note') };
  const place =
    file === undefined || message.startsWith(file) ? undefined : `${file}${line === undefined ? '' : `:${line}`}`;
  return [
    ...wrapLine(`${marks[severity]}: ${showLine(message)}`, columns, 4),
    ...(place === undefined ? [] : [`    ${style.dim('at')} ${showLine(place)}`]),
    ...(cause === undefined || message.includes(cause) ? [] : [`    ${style.dim('because')} ${showLine(cause)}`]),
    ...(stderr === undefined ? [] : [`    ${style.dim('what it said on stderr:')}`, indented(showText(stderr))]),
    ...wrapHint(`    ${style.dim('→')} ${showLine(hint)}`, columns, 6),
  ];
}

function indented(text: string): string {
  return text.replaceAll(/^/gmu, '      ');
}

function countsText({ mayRun, connected, idle, isAsked }: Counts): string {
  if (!isAsked) return `${countOf(mayRun, 'server')} may run`;
  const waiting = idle === 0 ? '' : `, ${idle} not started yet`;
  return `${connected} of ${countOf(mayRun, 'server')} connected${waiting}`;
}
