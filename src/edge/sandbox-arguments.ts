// bubblewrap's options: https://github.com/containers/bubblewrap/blob/main/bwrap.xml

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
  /** Folders that are empty for the server, whatever else it may see or write to. */
  readonly hidden: readonly string[];
  /** Where other programs listen: a read-only file system does not keep a server from talking to them. */
  readonly sockets: readonly string[];
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
function toMounts({ write, show, own, links, hidden, sockets, isRoot }: SandboxPlan): string[] {
  const mounts: Mount[] = [
    { path: '/', words: ['--ro-bind', '/', '/'] },
    { path: '/dev', words: ['--dev', '/dev'] },
    // As root one may write to /proc/sys without any capability, and own the machine by it.
    { path: '/proc', words: ['--proc', '/proc', ...(isRoot ? ['--remount-ro', '/proc'] : [])] },
    ...own.map((path): Mount => ({ path, words: ['--tmpfs', path] })),
    ...links.map(({ path, target }): Mount => ({ path, words: ['--symlink', target, path] })),
    ...show.map((path): Mount => ({ path, words: ['--ro-bind', path, path] })),
    ...write.map((path): Mount => ({ path, words: ['--bind', path, path] })),
  ];
  const inOrder = mounts.toSorted((one, other) => compare(asFolder(one.path), asFolder(other.path)));
  return [
    ...inOrder.flatMap(({ words }) => words),
    ...hidden.toSorted().flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
    ...sockets.filter((path) => !write.includes(path)).flatMap((path) => ['--ro-bind', '/dev/null', path]),
  ];
}

/** Whether a path is a folder itself or lies in it. */
export function isWithin(path: string, folder: string): boolean {
  return asFolder(path).startsWith(asFolder(folder));
}

function asFolder(path: string): string {
  return path === '/' ? path : `${path}/`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
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
