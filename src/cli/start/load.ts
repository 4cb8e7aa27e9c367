import type { ConfigContext, LoadedConfig } from '../../actions/action-place.js';
import { loadConfiguration, openConfiguration } from '../../actions/load-configuration.js';
import { problemNotes as toNotes } from '../../actions/servers/problem-notes.js';
import { noteLines, type ToldNote } from '../../actions/told.js';
import type { Problem } from '../../index.js';
import type { Invocation } from '../input/arguments.js';
import type { Io } from '../io.js';
import { isWider, type PermissionMode } from '../../model/permissions/settings.js';
import { showLine } from '../../model/show.js';
import { driverNotes, driverPlaces, refuseBarredFlags, widestMode } from '../input/driver/driver-flags.js';
import type { SettingsFlag } from '../input/driver/settings-flag.js';
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
  refuseBarredFlags(invocation);
  const permissions = permissionFlags(invocation);
  const settings = invocation.has('settings') ? await readSettings(invocation) : undefined;
  const widest = strictest(widestMode(invocation), settings?.widestMode);
  const places = driverPlaces(invocation, settings?.folders);
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
    ...(widest && { widestMode: widest }),
    ...places,
    ...(settings && { settings: settings.settings }),
    ...io.config,
  });
}

function strictest(one: PermissionMode | undefined, other: PermissionMode | undefined): PermissionMode | undefined {
  return one === undefined || (other !== undefined && isWider(one, other)) ? other : one;
}

/** A dynamic import, because few runs have the flag. */
async function readSettings(invocation: Invocation): Promise<SettingsFlag | undefined> {
  return (await import('../input/driver/settings-flag.js')).readSettingsFlag(invocation);
}

/** Notes on flags of programs that have no effect here, and on what of `--settings` is not obeyed. Rejects with `usage`. */
export async function flagNotes(invocation: Invocation): Promise<readonly string[]> {
  const { notes = [] } = (invocation.has('settings') ? await readSettings(invocation) : undefined) ?? {};
  return [...driverNotes(invocation), ...notes].map((note) => `note: ${showLine(note)}`);
}

/** Loads the configuration of this run. Rejects for a flag that cannot be obeyed. */
export async function loadRun(invocation: Invocation, io: Io): Promise<LoadedConfig> {
  return loadConfiguration(await openRun(invocation, io));
}

/**
 * Problems of environment variables, modes that this run may not have, and errors of files, for a run that goes on
 * without what they say. Those of an entry are told with its server.
 */
export function fileNotes({ problems }: Pick<LoadedConfig, 'problems'>, run: ProgramRun): string[] {
  const told = problems.filter(
    ({ code, severity, server }) => TOLD.has(code) || (severity === 'error' && server === undefined),
  );
  return configProblemNotes(
    told.map((problem) => ({ ...problem, severity: 'warning' })),
    run,
  );
}

const TOLD: ReadonlySet<string> = new Set(['odd-variable', 'unused-mode']);

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
