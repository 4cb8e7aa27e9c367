import type { HostError } from '../base/errors.js';
import { ancestorsOf, findProjectRoot, type Places, placesOf } from '../edge/directories.js';
import type { Environment } from './entries/expand.js';
import type { PermissionFlags } from './policy/permissions.js';

export interface ConfigOptions {
  readonly cwd?: string;
  readonly env?: Environment;
  readonly platform?: NodeJS.Platform;
  /** `--mcp-config`: files or JSON texts. */
  readonly mcpConfig?: readonly string[];
  /** `--mcp-server`: `NAME=JSON`. */
  readonly mcpServers?: readonly string[];
  /** `--strict-mcp-config`: only `mcpConfig` and `mcpServers` are used. */
  readonly strict?: boolean;
  /** `--approve-project-servers`: for this run only. */
  readonly approveProject?: boolean;
  /** `--trust-folder`: the user's own servers, hooks and helpers start in the working directory, for this run only. */
  readonly trustFolder?: boolean;
  /** `mcpConfig` was written for every folder: its servers start in the working directory only if that is trusted. */
  readonly isForEveryFolder?: boolean;
  /** `--permission-mode`, `--allow`, `--ask`, `--deny`: for this run only. */
  readonly permissions?: PermissionFlags;
  /** The administrator's folders. No environment variable moves them: otherwise users could escape a lock. */
  readonly managedDirectories?: readonly string[];
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
  /** Why the working directory cannot be used: then no project is read, but everything else is. */
  readonly refused?: HostError;
}

export function openContext(options: ConfigOptions = {}): ConfigContext {
  const env = options.env ?? process.env;
  const { cwd, ancestors, problem } = ancestorsOf(options.cwd ?? currentFolder());
  const platform = options.platform ?? process.platform;
  const places = placesOf({
    env,
    platform,
    ...(options.managedDirectories && { managed: options.managedDirectories }),
  });
  return {
    options,
    cwd,
    env,
    platform,
    places,
    projectRoot: findProjectRoot(cwd),
    ancestors,
    ...(problem && { refused: problem }),
  };
}

/** A folder that was deleted under a running shell has no path any more, but the shell's PWD still names it. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return process.env['PWD'] ?? '/';
  }
}
