// bubblewrap's options: https://github.com/containers/bubblewrap/blob/main/bwrap.xml
import { byFolder, isWithin } from '../files/path-within.js';
import type { HiddenPlace, SandboxHome } from './sandbox-homes.js';

/** All that bubblewrap is given. Every path is absolute, and a real path where it names something of this machine. */
export interface SandboxPlan {
  readonly network: boolean;
  readonly cwd: string;
  /** Paths that the server may write to. */
  readonly write: readonly string[];
  /** Readable paths inside the `own` folders: working directory, program, resolver file, and those in `read`. */
  readonly show: readonly string[];
  /** Folders that are replaced by empty ones, which are gone with the server: /tmp, /run. */
  readonly own: readonly string[];
  /** Symbolic links of this machine that an `own` folder keeps. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Home folders that show only what was in them at the start, without hidden paths. */
  readonly homes: readonly SandboxHome[];
  /** Paths that the server never sees, whatever else it may read or write. */
  readonly hidden: readonly HiddenPlace[];
  /** Paths inside hidden ones that stay visible. */
  readonly revealed: readonly string[];
  /** Sockets of other programs: a read-only mount does not keep a server from connecting to them. */
  readonly sockets: readonly string[];
  /** Whether the server may create Unix sockets, with which it could reach programs that listen later. */
  readonly unixSockets: boolean;
  /** Variables for the server alone, not for the programs that prepare its sandbox. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether the host runs as root, whose uid opens files without any capability. */
  readonly isRoot: boolean;
}

/**
 * bubblewrap's options for a plan. No --new-session: a server is started in a session of its own anyway, and the host's
 * signals would not reach another process group.
 */
export function toSandboxArguments(plan: SandboxPlan): string[] {
  return [
    '--die-with-parent',
    '--unshare-user-try', // may fail for root, which needs it least: it has no capability left either way
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(plan.network ? [] : ['--unshare-net']),
    '--cap-drop',
    'ALL',
    ...toMounts(plan),
    ...Object.entries(plan.variables).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    plan.cwd,
  ];
}

interface Mount {
  readonly path: string;
  readonly words: readonly string[];
}

/** A folder comes before its content, which it would cover; hidden paths come last and cover everything. */
function toMounts(plan: SandboxPlan): string[] {
  const { write, show, own, links, homes, hidden, sockets, isRoot } = plan;
  const mounts: Mount[] = [
    { path: '/', words: ['--ro-bind', '/', '/'] },
    { path: '/dev', words: ['--dev', '/dev'] },
    // Root may write to /proc/sys without any capability, and so take over the machine.
    { path: '/proc', words: ['--proc', '/proc', ...(isRoot ? ['--remount-ro', '/proc'] : [])] },
    ...own.map((path): Mount => ({ path, words: ['--tmpfs', path] })),
    ...links.map(({ path, target }): Mount => ({ path, words: ['--symlink', target, path] })),
    ...show.map((path): Mount => ({ path, words: ['--ro-bind', path, path] })),
    ...homes.map((home): Mount => ({ path: home.path, words: toHome(home, plan) })),
    ...write.map((path): Mount => ({ path, words: ['--bind', path, path] })),
  ];
  const inOrder = mounts.toSorted((one, other) => byFolder(one.path, other.path));
  return [
    ...inOrder.flatMap(({ words }) => words),
    ...hidden.toSorted((one, other) => byFolder(one.path, other.path)).flatMap((place) => toCover(place, plan)),
    ...sockets.filter((path) => !write.includes(path)).flatMap((path) => ['--ro-bind', '/dev/null', path]),
  ];
}

/** Leaves out entries that vanish while the sandbox is made. */
function toHome({ path, entries }: SandboxHome, plan: SandboxPlan): string[] {
  const isThere = (inner: string): boolean => entries.some((entry) => isWithin(inner, entry.path));
  return [
    '--tmpfs',
    path,
    ...entries.flatMap((entry) =>
      entry.target === undefined ? ['--ro-bind-try', entry.path, entry.path] : ['--symlink', entry.target, entry.path],
    ),
    ...reveal(plan, (inner) => isWithin(inner, path) && !isThere(inner)),
    '--remount-ro',
    path,
  ];
}

function toCover({ path, isFolder }: HiddenPlace, plan: SandboxPlan): string[] {
  if (!isFolder) return ['--ro-bind', '/dev/null', path];
  return ['--tmpfs', path, ...reveal(plan, (inner) => isWithin(inner, path)), '--remount-ro', path];
}

/** Mounts the revealed paths that match; writable only those that are in `write`, too. */
function reveal({ revealed, write }: SandboxPlan, isMeant: (path: string) => boolean): string[] {
  const writable = write.filter((path) => revealed.some((other) => isWithin(path, other)));
  return [
    ...revealed.filter(isMeant).flatMap((path) => ['--ro-bind-try', path, path]),
    ...writable.filter(isMeant).flatMap((path) => ['--bind-try', path, path]),
  ];
}

export interface SplitEnvironment {
  /** For the shell and bubblewrap, which passes it on. */
  readonly outer: Record<string, string>;
  /** For the server alone. */
  readonly inner: Record<string, string>;
}

/**
 * An entry may set any variable. Those that make a program load foreign code must not reach the shell and bubblewrap,
 * which run outside the sandbox. All others stay in the environment, where no process list shows their values.
 */
export function splitEnvironment(env: Readonly<Record<string, string>>): SplitEnvironment {
  const pick = (isWanted: (name: string) => boolean): Record<string, string> =>
    Object.fromEntries(Object.entries(env).filter(([name]) => isWanted(name)));
  return { outer: pick((name) => !LOADED.test(name)), inner: pick((name) => LOADED.test(name)) };
}

/** Variables that the dynamic linker, the C library or a shell reads when a program starts. */
const LOADED = /^(?:LD_|BASH|MALLOC_|GLIBC_|(?:ENV|SHELLOPTS|PS4|GCONV_PATH|LOCPATH|NLSPATH|GETCONF_DIR)$)/u;
