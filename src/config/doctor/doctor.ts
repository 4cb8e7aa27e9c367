import { dirname, resolve } from 'node:path';
import { nameWord, shellWord } from '../../base/shell-word.js';
import { findCommand } from '../../edge/processes/find-command.js';
import { isFolder, isReadableByOthers, isThere, isWritable } from '../../edge/files/folders.js';
import { hasMixedScript } from '../../model/text/mixed-script.js';
import { serverTargetOf } from '../../transports/kinds.js';
import { adviseOnCommand } from '../risks/command-advice.js';
import { diagnoseMachine } from './doctor-machine.js';
import { identityOf } from '../entries/signature.js';
import { bareVariablesOf } from '../entries/expand-entry.js';
import { trustCommand, untrustedText } from '../../model/text/untrusted-text.js';
import type { HostConfig } from '../load.js';
import { holdsSecret, maskEntry } from '../edit/mask.js';
import { startFolderOf } from '../risks/private-places.js';
import { describeProblem } from '../../model/text/problem-text.js';
import type { ProblemCode } from '../problem.js';
import type { ConfiguredServer } from '../entries/server.js';
import { POLICY_STEP } from '../../model/text/policy-step.js';

export interface ConfigFinding {
  readonly server?: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly code: ConfigFindingCode;
  readonly message: string;
  readonly hint: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** The file of the entry that is meant, where it is not the one that runs. */
  readonly origin?: string;
}

/** What can be found without contacting a server. Scripts rely on these codes; texts may change. */
export type ConfigFindingCode =
  | ProblemCode
  | 'no-home'
  | 'read-only' // one of our folders cannot be written to
  | 'unapproved'
  | 'folder-untrusted'
  | 'private-folder'
  | 'denied'
  | 'disabled'
  | 'shadowed' // a stronger definition has its name
  | 'duplicate' // the same server under a second name, which does not run
  | 'runs-twice' // the same server under a second name, which runs as well
  | 'mixed-script'
  | 'bare-variable' // `$NAME`, which is not expanded
  | 'shared-secret'
  | 'readable-secret'
  | 'no-folder'
  | 'command-not-found'
  | 'start-failed' // the program exists but cannot be started
  | 'sandbox-unavailable'
  | 'sandbox-path'
  | 'sandbox-processes'
  | 'sandbox-program'
  | 'sandbox-network'
  | 'sandbox-home'
  | 'sandbox-npmrc'
  | 'sandbox-sockets'
  | 'old-node'
  | 'clock'
  | 'bad-proxy' // a proxy variable cannot be parsed
  | 'no-ca-file'
  | 'tls-variable'
  | 'read-only-cache';

/** What is wrong in the files, and what will fail when a server is started. */
export function diagnoseConfig(loaded: HostConfig): readonly ConfigFinding[] {
  const findings = [
    ...loaded.problems.map((problem): ConfigFinding => ({
      ...(problem.server !== undefined && { server: problem.server }),
      severity: problem.severity,
      code: problem.code,
      message: describeProblem(problem),
      hint: problem.hint,
      file: problem.file,
      ...(problem.line !== undefined && { line: problem.line }),
      ...(problem.column !== undefined && { column: problem.column }),
    })),
    ...diagnosePlaces(loaded),
    ...diagnoseMachine(loaded),
    ...diagnoseStarts(loaded),
    ...diagnoseTwins(loaded),
    ...loaded.servers.flatMap((server) => diagnoseServer(server, loaded)),
  ];
  return inOrder(findings);
}

/** The servers that start in a private folder because the folder is not trusted. */
function diagnoseStarts(loaded: HostConfig): ConfigFinding[] {
  const { folder } = loaded.trust;
  return loaded.servers.flatMap((server): ConfigFinding[] => {
    const startsIn = startFolderOf(server, loaded);
    if (startsIn === undefined) return [];
    const message = `"${server.name}" starts in ${startsIn}, because ${folder} is not trusted`;
    return [{ server: server.name, severity: 'info', code: 'private-folder', message, hint: trustCommand(folder) }];
  });
}

/** Servers that run twice, under two names: each tool is offered to the model twice. */
function diagnoseTwins({ servers }: HostConfig): ConfigFinding[] {
  const first = new Map<string, ConfiguredServer>();
  return servers.flatMap((server): ConfigFinding[] => {
    const { name, config, standing, scope, origin } = server;
    if (standing.kind !== 'ready' || !config) return [];
    // The same program with another environment or account is often meant.
    const twin = JSON.stringify(identityOf(serverTargetOf(config), server.written));
    const other = first.get(twin);
    if (!other) {
      first.set(twin, server);
      return [];
    }
    const message = `"${name}" is the same server as "${other.name}", and both run: each tool is there twice`;
    const isRemovable = REMOVABLE.has(scope);
    const hint = isRemovable
      ? `plugboard remove ${nameWord(name)} --scope ${scope}, or keep it for later: plugboard disable ${nameWord(name)}`
      : `plugboard disable ${nameWord(name)}`;
    return [{ server: name, severity: 'info', code: 'runs-twice', message, hint, origin }];
  });
}

const REMOVABLE: ReadonlySet<string> = new Set(['local', 'project', 'user']);

/** Sorted by severity, errors first. */
export function inOrder<Found extends Pick<ConfigFinding, 'severity'>>(findings: readonly Found[]): readonly Found[] {
  return findings.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
}

const severities = ['error', 'warning', 'info'];

function diagnosePlaces({ context }: HostConfig): ConfigFinding[] {
  const findings: ConfigFinding[] = [];
  for (const [what, folder] of [
    ['configuration', context.places.config],
    ['state', context.places.state],
    ['cache', context.places.cache],
  ] as const) {
    if (folder === undefined) {
      const message = `There is no ${what} folder: no home folder is known`;
      findings.push({ severity: 'error', code: 'no-home', message, hint: 'Set HOME to a folder of yours' });
    } else if (!isWritable(folder)) {
      const message = `The ${what} folder ${folder} is not writable`;
      findings.push({
        severity: 'warning',
        code: 'read-only',
        message,
        hint: 'Plugboard cannot save changes and approvals there: check the owner and mode of the folder',
      });
    }
  }
  return findings;
}

function diagnoseServer(server: ConfiguredServer, loaded: HostConfig): ConfigFinding[] {
  const { name, standing, written, origin } = server;
  const findings: ConfigFinding[] = [];
  const tell = (severity: ConfigFinding['severity'], code: ConfigFindingCode, message: string, hint: string): void =>
    void findings.push({ server: name, severity, code, message: `"${name}" ${message}`, hint, origin });
  if (standing.kind === 'ready') findings.push(...diagnoseCommand(server, loaded));
  if (standing.kind === 'unapproved' && !standing.rejected) {
    const { previous } = standing;
    const change = previous ? `; its entry changed since it was ${previous.decision}` : '';
    tell('info', 'unapproved', `of ${origin} waits for approval${change}`, `plugboard approve ${nameWord(name)}`);
  }
  if (standing.kind === 'untrusted') {
    tell('info', 'folder-untrusted', `of ${origin} ${untrustedText(standing)}`, trustCommand(standing.folder));
  }
  if (standing.kind === 'denied') {
    tell('warning', 'denied', `may not run: ${standing.reason}`, POLICY_STEP);
  }
  if (standing.kind === 'disabled') {
    const where = standing.by === 'entry' ? `in ${origin}` : 'by you';
    tell('info', 'disabled', `is disabled ${where}`, `plugboard enable ${nameWord(name)}`);
  }
  if (standing.kind === 'suppressed') {
    const by = `"${standing.by.name}" of ${standing.by.scope} config`;
    const how = standing.how === 'shadowed' ? `is hidden by ${by}` : `is the same server as ${by}`;
    tell('info', standing.how, `of ${origin} ${how}`, `plugboard get ${nameWord(name)}`);
  }
  if (hasMixedScript(name))
    tell('warning', 'mixed-script', 'mixes letters of several alphabets that look alike', 'Rename the server');
  if (!written) return findings;
  for (const { variable, field } of bareVariablesOf(written)) {
    const hint = `Write \${${variable}} if you mean the variable`;
    tell('info', 'bare-variable', `${field}: $${variable} is not expanded`, hint);
  }
  if (server.scope === 'project' && holdsSecret(written)) {
    const message = `has a secret in ${origin}, a file that is shared`;
    tell('warning', 'shared-secret', message, 'Write ${NAME} there and set the variable');
  }
  if (server.scope !== 'project' && isReadableByOthers(origin) && holdsSecret(written)) {
    const message = `has a secret in ${origin}, which others on this machine can read`;
    tell('warning', 'readable-secret', message, `chmod 600 ${shellWord(origin)}`);
  }
  return findings;
}

function diagnoseCommand(server: ConfiguredServer, { context }: HostConfig): ConfigFinding[] {
  const { name, config, written, origin } = server;
  const target = config && serverTargetOf(config);
  if (target?.kind !== 'command') return [];
  const findings: ConfigFinding[] = [];
  const cwd = resolve(context.cwd, target.cwd ?? '.');
  // Shown as written: a variable in it may hold a secret.
  const shown = String(maskEntry({ cwd: written?.['cwd'] })['cwd']);
  if (!isFolder(cwd)) {
    const what = isThere(cwd) ? 'is a file' : 'does not exist';
    const message = `"${name}" cwd: ${shown} ${what}`;
    findings.push({ server: name, severity: 'error', code: 'no-folder', message, hint: cwdHint(shown, cwd) });
  }
  const [command = ''] = target.argv;
  const where = { cwd, path: context.env['PATH'], platform: context.platform };
  if (findCommand(command, where) === undefined) {
    const folders = [
      dirname(origin),
      context.projectRoot,
      ...(context.places.home === undefined ? [] : [context.places.home]),
    ];
    const advice = adviseOnCommand(written ?? {}, { command, folders, ...where });
    const code = advice.isThere ? 'start-failed' : 'command-not-found';
    const message = `"${name}" cannot start: ${advice.what}`;
    findings.push({ server: name, severity: 'error', code, message, hint: advice.hint });
  }
  return findings;
}

function cwdHint(shown: string, cwd: string): string {
  if (/^~(?=\/|$)/u.test(shown))
    return `Only a shell expands ~. Write "cwd": ${JSON.stringify(`\${HOME}${shown.slice(1)}`)}`;
  if (isThere(cwd)) return `Write the folder of that file: "cwd": ${JSON.stringify(dirname(shown))}`;
  return shown.includes('${')
    ? 'Create that folder, or correct "cwd"'
    : `mkdir -p ${shellWord(shown)}, or correct "cwd"`;
}
