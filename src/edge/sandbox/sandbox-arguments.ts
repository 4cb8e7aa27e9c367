// bubblewrap's options: https://github.com/containers/bubblewrap/blob/main/bwrap.xml
import { byFolder, isWithin } from '../files/path-within.js';
import type { HiddenPlace, SandboxHome } from './sandbox-homes.js';

/** All that bubblewrap is told. Every path is absolute and, where it names something of this machine, its real one. */
export interface SandboxPlan {
  readonly network: boolean;
  readonly cwd: string;
  /** What the server may write to. */
  readonly write: readonly string[];
  /** What stays readable although it lies in a folder that is the server's own: where it runs, where its program lies. */
  readonly show: readonly string[];
  /** Folders that are the server's own, empty and gone with it. */
  readonly own: readonly string[];
  /** Links that such a folder has on this machine, and keeps. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Home folders that show only what was in them at the start, without what is hidden. */
  readonly homes: readonly SandboxHome[];
  /** What the server does not see, whatever else it may see or write to. */
  readonly hidden: readonly HiddenPlace[];
  /** What lies in something hidden, and is to be seen. */
  readonly revealed: readonly string[];
  /** Where other programs listen: a read-only file system does not keep a server from talking to them. */
  readonly sockets: readonly string[];
  /** Whether it may make Unix sockets, by which it can talk to programs that listen at one later. */
  readonly unixSockets: boolean;
  /** Variables that only the server gets, and nothing that prepares its sandbox. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether all this runs as root, whose number opens files that no capability is needed for. */
  readonly isRoot: boolean;
}

/**
 * The options for a plan. There is no --new-session: a server is started in a session of its own anyway, and in another
 * process group the host's signals would no longer reach it.
 */
export function toSandboxArguments(plan: SandboxPlan): string[] {
  return [
    '--die-with-parent',
    '--unshare-user-try', // root may be unable to, and needs it least: it has no capability left either way
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

/** A folder comes before what is in it, or it would cover that; what is to be hidden comes last and covers everything. */
function toMounts(plan: SandboxPlan): string[] {
  const { write, show, own, links, homes, hidden, sockets, isRoot } = plan;
  const mounts: Mount[] = [
    { path: '/', words: ['--ro-bind', '/', '/'] },
    { path: '/dev', words: ['--dev', '/dev'] },
    // As root one may write to /proc/sys without any capability, and own the machine by it.
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

/** What goes while the sandbox is made is left out. */
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

/** What is named inside a hidden place: writable only if it was named for that, too. */
function reveal({ revealed, write }: SandboxPlan, isMeant: (path: string) => boolean): string[] {
  const writable = write.filter((path) => revealed.some((other) => isWithin(path, other)));
  return [
    ...revealed.filter(isMeant).flatMap((path) => ['--ro-bind-try', path, path]),
    ...writable.filter(isMeant).flatMap((path) => ['--bind-try', path, path]),
  ];
}

export interface SplitEnvironment {
  /** For the shell and for bubblewrap, which hands it on. */
  readonly outer: Record<string, string>;
  /** Only for the server. */
  readonly inner: Record<string, string>;
}

/**
 * An entry may set any variable. Those that make a program run somebody else's code must not act on the shell and on
 * bubblewrap, which run outside of the sandbox. All others stay where no list of processes shows their values.
 */
export function splitEnvironment(env: Readonly<Record<string, string>>): SplitEnvironment {
  const pick = (isWanted: (name: string) => boolean): Record<string, string> =>
    Object.fromEntries(Object.entries(env).filter(([name]) => isWanted(name)));
  return { outer: pick((name) => !LOADED.test(name)), inner: pick((name) => LOADED.test(name)) };
}

/** What the dynamic linker, the C library or a shell acts upon when a program starts. */
const LOADED = /^(?:LD_|BASH|MALLOC_|GLIBC_|(?:ENV|SHELLOPTS|PS4|GCONV_PATH|LOCPATH|NLSPATH|GETCONF_DIR)$)/u;
