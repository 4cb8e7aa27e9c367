import type { ConfigContext, LoadedConfig } from '../../actions/action-place.js';
import { loadConfiguration, openConfiguration } from '../../actions/load-configuration.js';
import { problemNotes as toNotes } from '../../actions/servers/problem-notes.js';
import { noteLines, type ToldNote } from '../../actions/told.js';
import type { Problem } from '../../index.js';
import type { Invocation } from '../input/arguments.js';
import type { Io } from '../io.js';
import { driverPlaces } from '../input/driver/driver-flags.js';
import { permissionFlags } from '../input/session-flags.js';
import { errorLines } from '../output/error-lines.js';
import { screenColumns, styleFor } from '../output/style.js';
import { usageError } from '../input/usage-error.js';
import type { ProgramRun } from '../verb.js';

/** Opens the configuration that the flags of a run select. Rejects with `usage`. */
export async function openRun(invocation: Invocation, io: Io): Promise<ConfigContext> {
  const cwd = invocation.value('cwd');
  const timeout = invocation.value('timeout');
  if (timeout !== undefined && !/^[1-9]\d{0,9}$/u.test(timeout)) {
    throw usageError(`--timeout must be a number of milliseconds, got ${timeout}`, { hint: 'Write --timeout 30000' });
  }
  const permissions = permissionFlags(invocation);
  return openConfiguration({
    ...(cwd !== undefined && { cwd }),
    env: io.env,
    isCommandLine: true,
    mcpConfig: invocation.values('mcp-config'),
    mcpServers: invocation.values('mcp-server'),
    strict: invocation.has('strict-mcp-config'),
    approveProject: invocation.has('approve-project-servers'),
    trustFolder: invocation.has('trust-folder'),
    ...(permissions && { permissions }),
    ...driverPlaces(invocation),
    ...io.config,
  });
}

/** Loads the configuration of this run. Rejects for a flag that cannot be obeyed. */
export async function loadRun(invocation: Invocation, io: Io): Promise<LoadedConfig> {
  return loadConfiguration(await openRun(invocation, io));
}

/** Problems of environment variables, for verbs that report no others. */
export function variableNotes({ problems }: Pick<LoadedConfig, 'problems'>, run: ProgramRun): string[] {
  return configProblemNotes(
    problems.filter(({ code }) => code === 'odd-variable'),
    run,
  );
}

export function configProblemNotes(problems: readonly Problem[], run: ProgramRun): string[] {
  return writtenNotes(toNotes(problems), run);
}

/** Formats notes for stderr. */
export function writtenNotes(notes: readonly ToldNote[], { invocation, io }: ProgramRun): string[] {
  const { env, isPlain } = io;
  const style = styleFor(io.stderr, { env, isPlain, noColor: invocation.has('no-color') });
  const looks = { style, columns: screenColumns(io.stderr) };
  return noteLines(notes, ({ text, ...problem }) => errorLines({ ...problem, message: text }, looks));
}
