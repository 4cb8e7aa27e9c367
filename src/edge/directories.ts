import { attempt } from '../base/attempt.js';
import { realpathSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { posix, resolve, dirname, join, win32 } from 'node:path';
import { HostError } from '../base/errors.js';

/** The folders of Plugboard. Each is undefined when the home folder is unknown; reads then go on without it. */
export interface Places {
  readonly home: string | undefined;
  readonly config: string | undefined;
  readonly state: string | undefined;
  readonly cache: string | undefined;
  readonly runtime: string | undefined;
  /** The administrator's folders; the first one wins. The second belongs to another host and is only read. */
  readonly managed: readonly string[];
}

export interface PlacesOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Asks the system when the environment has no home. May throw: a container's uid may have no passwd entry. */
  readonly home?: () => string;
  /**
   * For tests and embedders. No environment variable sets this: with one, a user could get around an enterprise lock.
   */
  readonly managed?: readonly string[];
}

export function placesOf(options: PlacesOptions): Places {
  const { env, platform } = options;
  const paths = platform === 'win32' ? win32 : posix;
  // The XDG specification: a relative path is invalid and must be ignored.
  const absolute = (path: string | undefined): string | undefined =>
    path && paths.isAbsolute(path) ? path : undefined;
  const home = absolute(env[platform === 'win32' ? 'USERPROFILE' : 'HOME']) ?? absolute(ask(options.home));
  const below = (base: string | undefined, ...names: string[]): string | undefined =>
    base && paths.join(base, ...names);
  const xdg = (name: string): string | undefined => below(absolute(env[name]), 'plugboard');

  const roaming = absolute(env['APPDATA']) ?? below(home, 'AppData', 'Roaming');
  const local = absolute(env['LOCALAPPDATA']) ?? below(home, 'AppData', 'Local');
  const support = below(home, 'Library', 'Application Support', 'plugboard');
  const usual = {
    win32: {
      config: below(roaming, 'plugboard'),
      state: below(local, 'plugboard'),
      cache: below(local, 'plugboard', 'cache'),
    },
    darwin: { config: support, state: below(support, 'state'), cache: below(home, 'Library', 'Caches', 'plugboard') },
    other: {
      config: below(home, '.config', 'plugboard'),
      state: below(home, '.local', 'state', 'plugboard'),
      cache: below(home, '.cache', 'plugboard'),
    },
  }[platform === 'win32' || platform === 'darwin' ? platform : 'other'];

  const state = xdg('XDG_STATE_HOME') ?? usual.state;
  return {
    home,
    config: xdg('XDG_CONFIG_HOME') ?? usual.config,
    state,
    cache: xdg('XDG_CACHE_HOME') ?? usual.cache,
    runtime: xdg('XDG_RUNTIME_DIR') ?? state,
    managed: options.managed ?? managedFolders(platform),
  };
}

/**
 * Returns the folder for a caller that writes to it. Throws a `HostError` with a hint when the home folder is unknown.
 */
export function folderToWrite(places: Places, name: 'config' | 'state' | 'cache' | 'runtime'): string {
  const folder = places[name];
  if (folder !== undefined) return folder;
  throw new HostError('write-failed', `There is no ${name} folder to write to: no home folder is known`, {
    hint: `Set HOME or XDG_${name.toUpperCase()}_${name === 'runtime' ? 'DIR' : 'HOME'} to an absolute path`,
  });
}

/** Returns the nearest ancestor that is a git work tree, else `cwd` itself; as a real path where there is one. */
export function findProjectRoot(cwd: string): string {
  const walk = ancestorsOf(cwd);
  return walk.ancestors.find(isWorkTree) ?? walk.cwd;
}

/** Returns the git work tree that contains the file, links followed; undefined when there is none. */
export function workTreeOf(file: string): string | undefined {
  return ancestorsOf(dirname(realPath(file))).ancestors.find(isWorkTree);
}

/** Follows all symbolic links in a path. */
export function realPath(file: string): string {
  // A path that is missing or not accessible is returned as given: nothing can be read from it anyway.
  return attempt(() => realpathSync.native(file), file);
}

export interface Ancestors {
  /** The real path of the folder; the resolved path as given when there is a problem. */
  readonly cwd: string;
  /** The folder itself first, then its parents up to the root. Empty when there is a problem. */
  readonly ancestors: readonly string[];
  readonly problem?: HostError;
}

export function ancestorsOf(cwd: string): Ancestors {
  let folder: string;
  try {
    folder = realpathSync.native(cwd);
    if (!statSync(folder).isDirectory()) return refused(cwd, 'it is not a folder');
  } catch (error) {
    return refused(cwd, reasonOf(error), error);
  }
  const ancestors = [folder];
  for (let child = folder, parent = dirname(child); parent !== child; child = parent, parent = dirname(child)) {
    ancestors.push(parent);
  }
  return { cwd: folder, ancestors };
}

function ask(home: () => string = () => userInfo().homedir): string | undefined {
  return attempt(home); // a uid without a passwd entry has no home; the folders stay undefined, and `folderToWrite` reports it
}

function managedFolders(platform: NodeJS.Platform): readonly string[] {
  if (platform === 'win32') return ['C:\\Program Files\\Plugboard', 'C:\\Program Files\\ClaudeCode'];
  const root = platform === 'darwin' ? '/Library/Application Support' : undefined;
  return root ? [`${root}/Plugboard`, `${root}/ClaudeCode`] : ['/etc/plugboard', '/etc/claude-code'];
}

function isWorkTree(folder: string): boolean {
  try {
    // In a linked work tree and in a submodule, `.git` is a file.
    const git = statSync(join(folder, '.git'), { throwIfNoEntry: false });
    return git !== undefined && (git.isDirectory() || git.isFile());
  } catch {
    return false; // a folder that cannot be inspected is not treated as a project
  }
}

function refused(cwd: string, reason: string, cause?: unknown): Ancestors {
  const problem = new HostError('config-unreadable', `Cannot use ${cwd} as the working folder: ${reason}`, {
    hint: 'Change to a folder that exists, or pass one with --cwd',
    cause,
  });
  return { cwd: resolve(cwd), ancestors: [], problem };
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  switch (code) {
    case 'ENOENT':
      return 'it does not exist';
    case 'ENOTDIR':
      return 'a part of its path is not a folder';
    case 'ELOOP':
      return 'its symbolic links lead in a circle';
    case 'EACCES':
      return 'permission denied';
    default:
      return code;
  }
}
