import { resolve } from 'node:path';
import type { HostError } from '../base/errors.js';
import { ancestorsOf, findProjectRoot, type Places, placesOf } from '../edge/directories.js';
import type { Environment } from './entries/expand.js';
import type { ServerEntry } from './server-entry.js';
import type { PermissionMode } from '../model/permissions/settings.js';
import type { PermissionFlags } from './policy/permissions.js';

/** Where configuration is read from, and what is added for this run. Everything has a default. */
export interface ConfigOptions {
  /** The working directory: its project is read, and relative paths start there. Default: that of this process. */
  readonly cwd?: string;
  /** The environment: variables of entries, and where the user's files are. Default: that of this process. */
  readonly env?: Environment;
  /** Default: that of this process. */
  readonly platform?: NodeJS.Platform;
  /** More configuration: paths of files, their texts, or objects such as `{ mcpServers: { ... } }`. */
  readonly mcpConfig?: readonly (string | ServersObject)[];
  /**
   * Servers of this run by name, stronger than those of files; or texts of the form `NAME=JSON`. Of two with one name
   * that of `mcpConfig` runs, and of several there the last.
   */
  readonly mcpServers?: Readonly<Record<string, ServerEntry>> | readonly string[];
  /** Only `mcpConfig` and `mcpServers` are used, and no file of the user or the project. */
  readonly strict?: boolean;
  /** Servers of the project need no approval, for this run only. */
  readonly approveProject?: boolean;
  /** The user's own servers, hooks and helpers start in the working directory, for this run only. */
  readonly trustFolder?: boolean;
  /** `mcpConfig` was written for every folder: its servers start in the working directory only if that is trusted. */
  readonly isForEveryFolder?: boolean;
  /** Which files are read besides the administrator's. Default: all of them; empty: no file at all. */
  readonly settingSources?: readonly SettingSource[];
  /** More plugins, or folders of plugins, for this run only. Relative paths start in the working directory. */
  readonly pluginDirs?: readonly string[];
  /** More folders to work in: servers get them as roots, and a model may read files there without a question. */
  readonly additionalDirectories?: readonly string[];
  /** Permissions, hooks and policies of this run, as in a settings file: `{ permissions, hooks, deniedMcpServers }`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Permission mode and rules, for this run only. They are stronger than those of files, except for what these deny. */
  readonly permissions?: PermissionFlags;
  /** Modes that run more without a question than this one are not used, whatever file or flag they are in. */
  readonly widestMode?: PermissionMode;
  /**
   * `false`: nothing is written to the folders for state and cache, and nothing that is kept there is read: no ledger, no
   * saved results, no catalogs, no approvals, no sign-ins. Default: true.
   */
  readonly persist?: boolean;
  /** The administrator's folders. No environment variable moves them: otherwise users could escape a lock. */
  readonly managedDirectories?: readonly string[];
  /** The options come from a command line: errors and problems name its flags instead of these options. */
  readonly isCommandLine?: boolean;
}

/** Files that belong together: the user's with plugins and connectors, the project's, the user's for this project. */
export type SettingSource = 'user' | 'project' | 'local';

/** Whether the files of this source are read. */
export function isRead({ settingSources }: ConfigOptions, source: SettingSource): boolean {
  return settingSources?.includes(source) ?? true;
}

/** What problems name the settings of this run: the flag, or the option of the library. */
export function settingsOrigin({ isCommandLine }: ConfigOptions): string {
  return isCommandLine === true ? '--settings' : 'settings';
}

/** Servers by name, as in a configuration file. */
export interface ServersObject {
  /** The key is the server's name. */
  readonly mcpServers: Readonly<Record<string, ServerEntry>>;
}

/** Whether the options bring servers of this run. */
export function hasOwnServers({ mcpConfig = [], mcpServers = [] }: ConfigOptions): boolean {
  return mcpConfig.length > 0 || Object.keys(mcpServers).length > 0;
}

/** The places that one load reads: resolved once, passed to every scope. */
export interface ConfigContext {
  readonly options: ConfigOptions;
  readonly cwd: string;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly places: Places;
  /** The git root of the working directory, or the directory itself: the meaning of "this project". */
  readonly projectRoot: string;
  /** The working directory and its parents, nearest first. */
  readonly ancestors: readonly string[];
  /** The folders of `additionalDirectories`, absolute. */
  readonly moreFolders?: readonly string[];
  /** Why the working directory cannot be used: then no project is read, but everything else is. */
  readonly refused?: HostError;
}

export function openContext(options: ConfigOptions = {}): ConfigContext {
  const env = options.env ?? process.env;
  const { cwd, ancestors, problem } = ancestorsOf(options.cwd ?? currentFolder());
  const platform = options.platform ?? process.platform;
  const found = placesOf({
    env,
    platform,
    ...(options.managedDirectories && { managed: options.managedDirectories }),
  });
  const places = options.persist === false ? { ...found, ...NOWHERE } : found;
  return {
    options,
    cwd,
    env,
    platform,
    places,
    projectRoot: findProjectRoot(cwd),
    ancestors,
    ...(options.additionalDirectories && {
      moreFolders: options.additionalDirectories.map((folder) => resolve(cwd, folder)),
    }),
    ...(problem && { refused: problem }),
  };
}

const NOWHERE = { state: undefined, cache: undefined, runtime: undefined };

/** A folder that was deleted under a running shell has no path any more, but the shell's PWD still names it. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return process.env['PWD'] ?? '/';
  }
}
