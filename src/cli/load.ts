import type { ConfigOptions, Problem } from '../index.js';
import type { ConfigContext, ConfiguredServer, LoadedConfig } from '../actions/action-place.js';
import { HostError } from '../base/errors.js';
import { describeProblem } from '../config/problem.js';
import type { Invocation } from './arguments.js';
import type { Io } from './io.js';
import { permissionFlags } from './session-flags.js';
import { showLine } from '../model/show.js';
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
