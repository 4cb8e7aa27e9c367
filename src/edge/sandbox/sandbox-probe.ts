import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { readTextOrEmpty } from './cgroup-place.js';
import { findCommand } from '../processes/find-command.js';
import { toSandboxArguments } from './sandbox-arguments.js';
import { plainSandbox } from './sandbox-plan.js';
import { socketFilter } from './socket-filter.js';

/** Whether this machine can run a server in a sandbox. */
export type SandboxAbility =
  | {
      readonly kind: 'able';
      /** Path of bubblewrap. */
      readonly program: string;
      /** Whether `env` in the sandbox can restore signals for the server that bubblewrap ignores. */
      readonly resetsSignals: boolean;
      /** Whether the kernel accepts a seccomp filter (socket-filter.ts). */
      readonly filters: boolean;
    }
  | SandboxRefusal;

export interface SandboxRefusal {
  readonly kind: 'unable';
  /** Ends the sentence "Server x cannot run in a sandbox: ...". */
  readonly reason: string;
  readonly hint: string;
}

export interface ProbeOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly network: boolean;
}

/** Starts a sandbox with nothing in it: the only reliable test. Never rejects. */
export async function probeSandbox({ env, platform, network }: ProbeOptions): Promise<SandboxAbility> {
  if (platform !== 'linux') {
    return unable(
      `a sandbox needs bubblewrap, which runs only on Linux, and this is ${platform}`,
      'Run the server on Linux, or take "sandbox" out of its entry if no policy requires it',
    );
  }
  // Uses the host's own PATH: an entry's could lead to another bubblewrap.
  const program = findCommand('bwrap', { cwd: '/', path: env['PATH'], platform });
  if (program === undefined) {
    return unable(
      'bubblewrap is not installed: there is no program "bwrap" on PATH',
      `Install it: ${installCommand(readTextOrEmpty('/etc/os-release'))}`,
    );
  }
  const filter = socketFilter(process.arch, { unix: false, network });
  const filtered = filter && (await run(program, network, filter));
  const filters = filtered?.stdout.startsWith('ok\n') === true;
  const { failure, stdout, stderr } = filtered && filters ? filtered : await run(program, network);
  if (stdout.startsWith('ok\n')) {
    return { kind: 'able', program, resetsSignals: stdout.includes('\nresets\n'), filters };
  }
  const said = stderr.trim().split('\n').at(-1) ?? '';
  const what = network ? 'a sandbox' : 'a sandbox without network';
  return unable(
    `bubblewrap (${program}) cannot make ${what} here: ${said === '' ? failure : said}`,
    explainRefusal(readFacts(), program),
  );
}

export const RESET_SIGNALS: readonly string[] = ['/usr/bin/env', '--default-signal=INT,TERM'];

/** bubblewrap reads the filter from descriptor 3, where `handed` is written to. */
export const FILTER_ARGUMENTS: readonly string[] = ['--seccomp', '3'];

const PROBE = `echo ok; ${RESET_SIGNALS.join(' ')} /bin/sh -c : && echo resets`;
const PROBE_MS = 10_000; // ms; it takes 10 on an idle machine
const PROBE_BYTES = 65_536;

function unable(reason: string, hint: string): SandboxRefusal {
  return { kind: 'unable', reason, hint };
}

interface Run {
  readonly failure: string;
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, network: boolean, filter?: Buffer): Promise<Run> {
  const mounts = toSandboxArguments(plainSandbox({ network }));
  const args = [...mounts, ...(filter ? FILTER_ARGUMENTS : []), '--', '/bin/sh', '-c', PROBE];
  return new Promise((done) => {
    const child = spawn(program, args, {
      env: {},
      cwd: '/',
      timeout: PROBE_MS,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'pipe', ...(filter ? (['pipe'] as const) : [])],
    });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]!.setEncoding('utf8').on('data', (text: string) => {
        if (said[name].length < PROBE_BYTES) said[name] += text;
      });
    }
    (child.stdio[3] as Writable | null | undefined)?.on('error', () => {}).end(filter);
    child.once('error', ({ message }) => done({ failure: message, ...said }));
    child.once('close', (code, signal) => {
      const late = signal === 'SIGKILL' ? `it took more than ${PROBE_MS} ms` : undefined;
      done({ failure: late ?? `it exited with code ${code} and said nothing`, ...said });
    });
  });
}

/** The system's settings for namespaces; empty where it has none. */
export interface NamespaceFacts {
  readonly isRoot: boolean;
  readonly isContainer: boolean;
  /** Debian's own setting. */
  readonly unprivileged: string;
  readonly most: string;
  readonly appArmor: string;
}

function readFacts(): NamespaceFacts {
  return {
    isRoot: process.getuid?.() === 0,
    isContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
    unprivileged: readTextOrEmpty('/proc/sys/kernel/unprivileged_userns_clone').trim(),
    most: readTextOrEmpty('/proc/sys/user/max_user_namespaces').trim(),
    appArmor: readTextOrEmpty('/proc/sys/kernel/apparmor_restrict_unprivileged_userns').trim(),
  };
}

/** The hint. bubblewrap's messages differ between versions, so this reads the system's settings. */
export function explainRefusal(facts: NamespaceFacts, program: string): string {
  if (facts.most === '0') return 'Allow user namespaces: sysctl -w user.max_user_namespaces=15000';
  if (!facts.isRoot && facts.unprivileged === '0')
    return 'Allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1';
  if (!facts.isRoot && facts.appArmor === '1')
    return `Give ${program} an AppArmor profile with "userns,", or: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`;
  if (facts.isContainer)
    return 'Give the container the right to make namespaces (docker: --cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt apparmor=unconfined)';
  return `See what bubblewrap says: ${program} --unshare-pid --unshare-net --ro-bind / / --dev /dev --proc /proc true`;
}

/** The install command by /etc/os-release; the package has the same name on every system. */
export function installCommand(osRelease: string): string {
  const ids = /^ID=(.*)$/mu.exec(osRelease)?.[1] ?? '';
  const like = /^ID_LIKE=(.*)$/mu.exec(osRelease)?.[1] ?? '';
  const known = `${ids} ${like}`.replaceAll(/["']/gu, '').split(/\s+/u);
  const [, command] = INSTALLERS.find(([id]) => known.includes(id)) ?? [];
  return command ?? 'apt-get install bubblewrap (or the package "bubblewrap" of your system)';
}

const INSTALLERS: readonly (readonly [id: string, command: string])[] = [
  ['debian', 'apt-get install bubblewrap'],
  ['ubuntu', 'apt-get install bubblewrap'],
  ['fedora', 'dnf install bubblewrap'],
  ['rhel', 'dnf install bubblewrap'],
  ['suse', 'zypper install bubblewrap'],
  ['arch', 'pacman -S bubblewrap'],
  ['alpine', 'apk add bubblewrap'],
  ['nixos', 'nix-env -iA nixos.bubblewrap'],
];
