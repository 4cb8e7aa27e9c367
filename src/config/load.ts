import { resolve } from 'node:path';
import { HostError } from '../base/errors.js';
import { findCommand } from '../edge/processes/find-command.js';
import type { FolderReach } from '../edge/files/folder-reach.js';
import { listFolders } from '../edge/files/folders.js';
import { type FileRead, readBounded } from '../edge/files/read-file.js';
import type { ServerLocks } from '../model/pins/server-lock.js';
import { readAccounts, withAccounts } from './accounts.js';
import { APPROVALS_LIMIT, approvalsFile, type Choices, parseChoices } from './approval/approvals.js';
import { type ConfigContext, type ConfigOptions, hasOwnServers, isRead, openContext } from './context.js';
import { readDocument, type DocumentReading } from './document.js';
import { type FolderTrust, reachOf, readTrust } from './approval/folder-trust.js';
import { type StandingRules, decideStandings } from './standing.js';
import { loadLocks } from './edit/lock-files.js';
import { type CallSettings, readCallSettings } from './policy/permissions.js';
import type { Policy } from './policy/policy.js';
import { oddVariables } from './risks/odd-variables.js';
import { type Problem, toProblem } from './problem.js';
import { resolveServers } from './resolve.js';
import type { Scope, ScopeName, ScopeReader, ScopeReading, Settings } from './scope.js';
import { findLock } from './scopes/enterprise.js';
import { scopes } from './scopes/all.js';
import { localFile } from './scopes/local.js';
import { userFile } from './scopes/user.js';
import type { ConfiguredServer } from './entries/server.js';
import { joinReadings } from './entries/servers.js';
import { readSettings } from './policy/settings.js';
import { withTwins } from './entries/twins.js';

export interface HostConfig {
  /** Every definition found, strongest first, with its standing. */
  readonly servers: readonly ConfiguredServer[];
  readonly problems: readonly Problem[];
  /** Every file and folder that was read or looked for, for the watcher. */
  readonly watched: readonly string[];
  /** The administrator's file that has exclusive control, if there is one. */
  readonly lock?: string;
  readonly policies: readonly Policy[];
  readonly settings: Settings & Pick<CallSettings, 'toolSearch' | 'toolBytes'>;
  /** The rules, modes and hooks for calls. */
  readonly permissions: CallSettings['permissions'];
  readonly hooks: CallSettings['hooks'];
  /** What the flow guard does. */
  readonly flow: CallSettings['flow'];
  /** The pins in the lock files of the servers that may run, by server name. */
  readonly locks: ServerLocks;
  /** Whether servers that the user configured for every folder may start in the working directory. */
  readonly trust: FolderTrust;
  readonly context: ConfigContext;
}

/** Loads, checks, merges and deduplicates the servers of all scopes. Never throws: errors are problems. */
export async function loadHostConfig(options: ConfigOptions | ConfigContext = {}): Promise<HostConfig> {
  const context = 'places' in options ? options : openContext(options);
  const { reader, watched } = openReader(context);
  const settings = await readSettings(reader);
  const lock = await findLock(reader);
  const { permissions, hooks, flow, toolSearch, toolBytes, problems: callProblems } = await readCallSettings(reader);
  const problems: Problem[] = [...settings.problems, ...callProblems, ...oddVariables(context.env)];
  if (context.refused) problems.push(toProblem(context.refused, context.cwd));

  const full: ScopeReader = { ...reader, settings: withPlugins(settings.settings, context) };
  const wanted = selectScopes(context, lock !== undefined, problems);
  const found = joinReadings(await Promise.all(wanted.map((scope) => readScope(scope, full))));
  problems.push(...found.problems);

  const trust = await readTrust(context, reader.read, problems);
  let reach: FolderReach | undefined;
  const judge: StandingRules = {
    context,
    trust,
    reach: () => (reach ??= reachOf(context, trust)),
    policies: settings.policies,
    choices: await readChoices(context, reader, problems),
    disabled: await readDisabled(context, reader, problems),
    findCommand: openFinder(context),
    watch: (file) => watched.add(file),
  };
  const candidates: ConfiguredServer[] = [];
  for (const source of found.sources) {
    const judged = await decideStandings(source, judge);
    candidates.push(...judged.servers);
    problems.push(...judged.problems);
  }
  const configured = resolveServers(candidates);
  const pinned = await loadLocks(reader, configured);
  const servers = withTwins(withAccounts(configured, await readAccounts(context, reader.read, problems), judge));
  problems.push(...pinned.problems);
  return {
    servers,
    problems: sortProblems(problems),
    watched: [...watched],
    ...(lock && { lock: lock.file }),
    policies: settings.policies,
    settings: { ...settings.settings, toolSearch, toolBytes },
    permissions,
    hooks,
    flow,
    locks: locksOfAccounts(pinned.locks, servers),
    trust,
    context,
  };
}

/** An account has the entry of its server, and its pins. */
function locksOfAccounts(locks: ServerLocks, servers: readonly ConfiguredServer[]): ServerLocks {
  const more = servers.flatMap(({ name, accountOf }) => {
    const lock = accountOf === undefined ? undefined : locks.get(accountOf);
    return lock ? [[name, lock] as const] : [];
  });
  return more.length === 0 ? locks : new Map([...locks, ...more]);
}

/** An administrator's file excludes all other scopes; --strict-mcp-config all but the command line. */
function selectScopes({ options }: ConfigContext, locked: boolean, problems: Problem[]): readonly Scope[] {
  const isDynamic = hasOwnServers(options) || options.strict === true;
  if (locked && isDynamic) {
    const { strict, file, hint } = options.isCommandLine === true ? FLAGS : OPTIONS;
    const what = options.strict === true ? `use ${strict}` : 'dynamically configure MCP servers';
    problems.push({
      severity: 'error',
      code: 'bad-argument',
      file: options.strict === true ? strict : file,
      message: `You cannot ${what} when an enterprise MCP config is present`,
      hint,
    });
  }
  if (locked) return scopes.filter(({ name }) => name === 'enterprise');
  if (options.strict === true) return scopes.filter(({ name }) => name === 'dynamic');
  return scopes.filter(({ name }) => isScopeRead(options, name));
}

/** Linked files, plugins and connectors are the user's; a plugin of this run is read in any case. */
function isScopeRead(options: ConfigOptions, name: ScopeName): boolean {
  if (name === 'enterprise' || name === 'dynamic') return true;
  if (name === 'plugin' && options.pluginDirs !== undefined) return true;
  return isRead(options, name === 'project' || name === 'local' ? name : 'user');
}

/** The settings with the plugins of this run. */
function withPlugins(settings: Settings, { options: { pluginDirs }, cwd }: ConfigContext): Settings {
  if (!pluginDirs) return settings;
  const named = pluginDirs.map((folder) => resolve(cwd, folder));
  return { ...settings, pluginDirs: [...settings.pluginDirs, ...named] };
}

const FLAGS = { strict: '--strict-mcp-config', file: '--mcp-config', hint: 'Leave the flag out' };
const OPTIONS = { strict: 'strict', file: 'mcpConfig', hint: 'Leave the option out' };

async function readScope(scope: Scope, reader: ScopeReader): Promise<ScopeReading> {
  try {
    return await scope.read(reader);
  } catch (cause) {
    // A scope that throws affects only itself.
    const error = new HostError('internal', `the ${scope.name} scope could not be read: ${String(cause)}`, { cause });
    return { sources: [], problems: [toProblem(error, scope.name)] };
  }
}

type FileReader = Omit<ScopeReader, 'settings'>;

/** Reads each file once, and remembers every path that was asked for. */
function openReader(context: ConfigContext): { readonly reader: FileReader; readonly watched: Set<string> } {
  const watched = new Set<string>();
  const readings = new Map<string, Promise<DocumentReading>>();
  const reader: FileReader = {
    context,
    read(file, options) {
      watched.add(file);
      const known = readings.get(file) ?? readDocument(file, options);
      readings.set(file, known);
      return known;
    },
    readText(file, options): FileRead {
      watched.add(file);
      return readBounded(file, options);
    },
    list(folder) {
      watched.add(folder);
      return listFolders(folder);
    },
  };
  return { reader, watched };
}

async function readChoices(context: ConfigContext, reader: FileReader, problems: Problem[]): Promise<Choices> {
  const file = approvalsFile(context);
  const reading = file === undefined ? undefined : await reader.read(file, { limit: APPROVALS_LIMIT });
  if (reading?.kind === 'broken') {
    problems.push({
      ...reading.problem,
      code: 'approvals',
      hint: `Nothing counts as approved until you fix or remove ${file}`,
    });
  }
  return reading?.kind === 'document' ? parseChoices(reading.document.value, context.projectRoot) : new Map();
}

/** Names in `disabledMcpServers` of the user's two files, for this project and for all. */
async function readDisabled(
  context: ConfigContext,
  reader: FileReader,
  problems: Problem[],
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const { options } = context;
  const files = [
    isRead(options, 'local') ? localFile(context) : undefined,
    isRead(options, 'user') ? userFile(context) : undefined,
  ];
  for (const file of files) {
    const reading = file === undefined ? undefined : await reader.read(file);
    if (!reading || reading.kind === 'absent') continue;
    const list = reading.kind === 'document' ? reading.document.value[DISABLED] : salvageNames(reading.text ?? '');
    if (Array.isArray(list)) for (const name of list) names.add(String(name));
    else if (list !== undefined) {
      const hint = `Write "${DISABLED}": ["name"]`;
      const message = 'expected an array of names';
      problems.push({ severity: 'error', code: 'malformed', file: file!, field: DISABLED, message, hint });
    }
  }
  return names;
}

const DISABLED = 'disabledMcpServers';

/** Reads the names from a broken file, so that disabled servers stay disabled until it is repaired. */
function salvageNames(text: string): readonly string[] {
  const list = /"disabledMcpServers"\s*:\s*\[([^\]]*)/u.exec(text)?.[1] ?? '';
  return (list.match(/"(?:[^"\\\n]|\\.)*"/gu) ?? []).map((name) => name.slice(1, -1));
}

function openFinder({ env, platform }: ConfigContext): StandingRules['findCommand'] {
  const found = new Map<string, string | undefined>();
  return (command, cwd) => {
    const key = `${cwd}\0${command}`;
    if (!found.has(key)) {
      found.set(key, findCommand(command, { cwd, path: env['PATH'], platform }));
    }
    return found.get(key);
  };
}

/** Without duplicates, because two readers may report the same problem; errors before warnings, otherwise in order. */
function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  const once = new Map(
    problems.map((problem) => {
      const { file, line, server, field, message } = problem;
      return [JSON.stringify([file, line, server, field, message]), problem];
    }),
  );
  return [...once.values()].toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'));
}
