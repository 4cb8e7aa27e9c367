import type { HostError } from '../base/errors.js';
import { ancestorsOf, findProjectRoot, type Places, placesOf } from '../edge/directories.js';
import type { Environment } from './entries/expand.js';
import type { PermissionFlags } from './policy/permissions.js';

export interface ConfigOptions {
  readonly cwd?: string;
  readonly env?: Environment;
  readonly platform?: NodeJS.Platform;
  /** `--mcp-config`: files, or JSON. */
  readonly mcpConfig?: readonly string[];
  /** `--mcp-server`: `NAME=JSON`. */
  readonly mcpServers?: readonly string[];
  /** `--strict-mcp-config`: nothing but the two above. */
  readonly strict?: boolean;
  /** `--approve-project-servers`: for this run only. */
  readonly approveProject?: boolean;
  /** `--trust-folder`: the user's own servers, hooks and helpers start in the working directory, this run only. */
  readonly trustFolder?: boolean;
  /** The servers of `mcpConfig` were written for every folder: they start in the working directory only if the user trusts it. */
  readonly isForEveryFolder?: boolean;
  /** `--permission-mode`, `--allow`, `--ask`, `--deny`: for this run only. */
  readonly permissions?: PermissionFlags;
  /** Where an administrator's files are. No environment variable moves them: a user could then leave a lock behind. */
  readonly managedDirectories?: readonly string[];
}

/** Where one load looks: resolved once, handed to every scope. */
export interface ConfigContext {
  readonly options: ConfigOptions;
  readonly cwd: string;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly places: Places;
  /** The git root of the working directory, or the directory itself: what "this project" means. */
  readonly projectRoot: string;
  /** The working directory and its parents, nearest first. */
  readonly ancestors: readonly string[];
  /** Why the working directory cannot be used: no project is read then, everything else is. */
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

/** A folder that was removed under a running shell has no name any more, but the shell remembers what it was. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return process.env['PWD'] ?? '/';
  }
}
