import { attempt } from '../base/attempt.js';
import { realpathSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { posix, resolve, dirname, join, win32 } from 'node:path';
import { HostError } from '../base/errors.js';

/** Where Plugboard keeps what. A folder is undefined when nothing says where home is; reading goes on without it. */
export interface Places {
  readonly home: string | undefined;
  readonly config: string | undefined;
  readonly state: string | undefined;
  readonly cache: string | undefined;
  readonly runtime: string | undefined;
  /** Folders of the administrator, first wins. The second is another host's and is only read. */
  readonly managed: readonly string[];
}

export interface PlacesOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Asks the system when the environment does not say. May throw: a container's uid has no entry in passwd. */
  readonly home?: () => string;
  /** For tests and embedders. No environment variable does this, or a user could step out of an enterprise lock. */
  readonly managed?: readonly string[];
}

export function placesOf(options: PlacesOptions): Places {
  const { env, platform } = options;
  const paths = platform === 'win32' ? win32 : posix;
  // The XDG specification: a relative path is invalid and to be ignored.
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

/** The folder for somebody who wants to write there: the missing home becomes an error with a remedy. */
export function folderToWrite(places: Places, name: 'config' | 'state' | 'cache' | 'runtime'): string {
  const folder = places[name];
  if (folder !== undefined) return folder;
  throw new HostError('write-failed', `There is no ${name} folder to write to: no home folder is known`, {
    hint: `Set HOME or XDG_${name.toUpperCase()}_${name === 'runtime' ? 'DIR' : 'HOME'} to an absolute path`,
  });
}

/** The nearest ancestor that git calls a work tree, else the folder itself; real path where it has one. */
export function findProjectRoot(cwd: string): string {
  const walk = ancestorsOf(cwd);
  return walk.ancestors.find(isWorkTree) ?? walk.cwd;
}

/** The work tree of git that a file lies in, links followed; undefined when it lies in none. */
export function workTreeOf(file: string): string | undefined {
  return ancestorsOf(dirname(realPath(file))).ancestors.find(isWorkTree);
}

/** Where links lead. */
export function realPath(file: string): string {
  // It is not there, or not to be looked at: then nothing is read from it, and it is nobody's folder.
  return attempt(() => realpathSync.native(file), file);
}

export interface Ancestors {
  /** The real path; as it was given where there is none. */
  readonly cwd: string;
  /** The folder itself first, then its parents up to the root. None when there is a problem. */
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
  return attempt(home); // a uid without a name has no home; the folders stay undefined and say so when written to
}

function managedFolders(platform: NodeJS.Platform): readonly string[] {
  if (platform === 'win32') return ['C:\\Program Files\\Plugboard', 'C:\\Program Files\\ClaudeCode'];
  const root = platform === 'darwin' ? '/Library/Application Support' : undefined;
  return root ? [`${root}/Plugboard`, `${root}/ClaudeCode`] : ['/etc/plugboard', '/etc/claude-code'];
}

function isWorkTree(folder: string): boolean {
  try {
    // A linked work tree and a submodule have a file there.
    const git = statSync(join(folder, '.git'), { throwIfNoEntry: false });
    return git !== undefined && (git.isDirectory() || git.isFile());
  } catch {
    return false; // what cannot be looked at is not ours to call a project
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
