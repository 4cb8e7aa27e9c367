import { HostError } from '../base/errors.js';
import type { ConfigContext, ConfigOptions } from '../config/context.js';
import { trustCommand, untrustedText } from '../config/folder-trust.js';
import type { LoadedConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/server.js';
import { describeProblem, type Problem } from '../config/problem.js';
import type { Invocation } from './arguments.js';
import type { Io } from './io.js';
import { permissionFlags } from './session-flags.js';
import { showLine, showName } from './show.js';
import { styleFor } from './style.js';
import { usageError } from './usage-error.js';
import type { Run } from './verb.js';

/** What the flags of a run say about where its configuration is. */
export async function openRun(invocation: Invocation, io: Io): Promise<ConfigContext> {
  const { openContext } = await import('../config/context.js');
  const cwd = invocation.value('cwd');
  const timeout = invocation.value('timeout');
  if (timeout !== undefined && !/^[1-9]\d{0,9}$/u.test(timeout)) {
    throw usageError(`--timeout must be a number of milliseconds, got ${timeout}`, { hint: 'Write --timeout 30000' });
  }
  const permissions = permissionFlags(invocation);
  const options: ConfigOptions = {
    ...(cwd !== undefined && { cwd }),
    env: io.env,
    mcpConfig: invocation.values('mcp-config'),
    mcpServers: invocation.values('mcp-server'),
    strict: invocation.has('strict-mcp-config'),
    approveProject: invocation.has('approve-project-servers'),
    trustFolder: invocation.has('trust-folder'),
    ...(permissions && { permissions }),
    ...io.config,
  };
  const context = openContext(options);
  if (cwd !== undefined && context.refused) throw context.refused;
  return context;
}

/** The configuration of this run. A flag that cannot be obeyed ends it: nothing may start from a mistyped one. */
export async function loadRun(invocation: Invocation, io: Io): Promise<LoadedConfig> {
  const { loadConfig } = await import('../config/load.js');
  const loaded = await loadConfig(await openRun(invocation, io));
  const wrong = loaded.problems.find(({ code }) => code === 'bad-argument');
  if (wrong) {
    const code = loaded.lock === undefined ? 'config-invalid' : 'enterprise-locked';
    throw new HostError(code, wrong.message.includes(wrong.file) ? wrong.message : describeProblem(wrong), {
      hint: wrong.hint,
    });
  }
  return loaded;
}

type Entry = { readonly [field: string]: unknown };

/** A new entry as it is written into that scope: one for every folder names its files in full. */
export async function forScope(
  entry: Entry,
  { scope, context }: { readonly scope: string; readonly context: ConfigContext },
): Promise<{ readonly entry: Entry; readonly notes: readonly string[] }> {
  if (scope !== 'user') return { entry, notes: [] };
  const { toAbsoluteEntry } = await import('../config/absolute-entry.js');
  const { entry: written, notes } = toAbsoluteEntry(entry, context.cwd);
  return { entry: written, notes: notes.map((note) => showLine(`Note: ${note}`)) };
}

/** What a new entry makes one hear: fields that nobody knows, variables that are not set, an approval that is needed. */
export async function addedNotes(
  { server, file }: { readonly server: string; readonly file: string },
  { invocation, io }: Run,
): Promise<string[]> {
  if (invocation.has('dry-run')) return [];
  const { loadConfig } = await import('../config/load.js');
  const { servers, problems } = await loadConfig(await openRun(invocation, io));
  const added = servers.find(({ name, origin }) => name === server && origin === file);
  const standing = added?.standing;
  const state =
    standing?.kind === 'unapproved'
      ? [`It runs once it is approved: plugboard approve ${showName(server)}`]
      : standing?.kind === 'untrusted'
        ? [showLine(`In this folder it ${untrustedText(standing)}. Run: ${trustCommand(standing.folder)}`)]
        : standing?.kind === 'suppressed'
          ? [`It does not run here: ${standing.by.scope} config has "${showLine(standing.by.name)}", which comes first`]
          : [];
  const own = problems.filter((problem) => problem.server === server && problem.file === file);
  return [...problemNotes(own, { invocation, io }), ...(added ? await sharedSecretNotes([added]) : []), ...state];
}

/** A secret in a file that others will read is told when it is written, not when it has leaked. */
export async function sharedSecretNotes(servers: readonly ConfiguredServer[]): Promise<string[]> {
  const { holdsSecret } = await import('../config/mask.js');
  return servers
    .filter(({ author, written }) => author === 'repository' && written && holdsSecret(written))
    .map(({ name, origin }) =>
      showLine(`warning "${name}" has a secret in ${origin}, a file that is shared; write \${NAME} there instead`),
    );
}

/** What is wrong in the environment: for whoever hears of no other problem. */
export function variableNotes({ problems }: Pick<LoadedConfig, 'problems'>, run: Run): string[] {
  return problemNotes(
    problems.filter(({ code }) => code === 'odd-variable'),
    run,
  );
}

/** Problems as notes: place, server, field, what, and a way out. */
export function problemNotes(problems: readonly Problem[], { invocation, io }: Run): string[] {
  if (problems.length === 0) return [];
  const style = styleFor(io.stderr, { env: io.env, noColor: invocation.has('no-color') });
  const shown = problems.slice(0, PROBLEMS_SHOWN).flatMap((problem) => {
    const word = problem.severity === 'error' ? style.red('error') : style.yellow('warning');
    return [`${word} ${showLine(describeProblem(problem))}`, `  ${showLine(problem.hint)}`];
  });
  const rest = problems.length - PROBLEMS_SHOWN;
  return rest > 0 ? [...shown, `and ${rest} more: plugboard doctor`] : shown;
}

const PROBLEMS_SHOWN = 20; // a screen or two; doctor shows all
