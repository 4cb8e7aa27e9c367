import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { withLock } from '../../src/edge/files/lock.js';
import type { Io } from '../../src/cli/io.js';
import type { ControlStreams } from '../../src/connection/control.js';
import { run } from '../../src/cli/run.js';
import type { Clock } from '../../src/model/clock.js';
import { HANG_GUARD_MS } from '../hang-guard.js';
import { expectServersAgreement } from '../schema-agreement.js';
import { type Late, lateAfter } from './late-clock.js';

/** The outcome of one run. The sandbox's folders are replaced by PROJECT, HOME and ETC, the local file by LOCAL. */
export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The envelope, if stdout is exactly one line of JSON. */
  readonly json: Envelope | undefined;
}

export interface Envelope {
  readonly ok: boolean;
  readonly data?: Record<string, unknown>;
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string };
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The content of stdin. With `answers` stdin is a terminal whose user gives these answers. */
  readonly stdin?: string;
  readonly answers?: readonly string[];
  /** stdout and stderr are terminals. */
  readonly isTerminal?: boolean;
  readonly columns?: number;
  /** Aborted: the user has pressed Ctrl-C. */
  readonly interrupted?: AbortSignal;
  /** When timeouts of FAR_MS run out. */
  readonly late?: Late;
  readonly clock?: Clock;
  /** Called with each text as it is written to stderr. */
  readonly onStderr?: (text: string) => void;
  /** Called with each text as it is written to stdout. False: the reader of stdout has gone. */
  readonly onStdout?: (text: string) => boolean;
  readonly cwd?: string;
  /** The time; default: NOW. */
  readonly now?: Date;
  /** The parent program, at the other end of stdin and stdout. */
  readonly control?: ControlStreams;
}

/** A home, a project in it and an administrator's folder, in a temporary folder that is removed after the test. */
export interface Sandbox {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly managed: string;
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Run>;
  /** Writes a file below the root, a value that is no string as JSON. Returns the path. */
  readonly write: (path: string, content: unknown) => string;
  readonly read: (path: string) => string;
  /** Every file with its text, to compare before and after a run. */
  readonly files: () => Readonly<Record<string, string>>;
}

/** For `--timeout`, where nothing is to time out. */
export const GUARD_MS = String(HANG_GUARD_MS);
export const NOW = new Date('2026-11-15T12:00:00.000Z');
export const PROJECT_FILE = 'home/code/app/.mcp.json';
export const USER_FILE = 'home/.config/plugboard/config.json';
export const APPROVALS_FILE = 'home/.local/state/plugboard/approvals.json';
export const TRUST_FILE = 'home/.local/state/plugboard/trusted-folders.json';
export const LOCK_FILE = 'etc/managed-mcp.json';
export const POLICY_FILE = 'etc/managed-settings.json';

/** By default the user trusts the project folder. */
export function makeSandbox(files: Readonly<Record<string, unknown>> = {}, { isTrusted = true } = {}): Sandbox {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-program-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, 'home');
  const project = join(home, 'code', 'app');
  const managed = join(root, 'etc');
  mkdirSync(join(project, '.git'), { recursive: true });
  const sandbox: Sandbox = {
    root,
    home,
    project,
    managed,
    run: (args, options = {}) => runProgram(args, { sandbox, options }),
    write(path, content) {
      const file = join(root, path);
      expectServersAgreement(content);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : `${JSON.stringify(content, undefined, 2)}\n`);
      return file;
    },
    read: (path) => readFileSync(join(root, path), 'utf8'),
    files() {
      const all = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const texts = all.map((entry): [string, string] => {
        const file = join(entry.parentPath, entry.name);
        return [file, readFileSync(file, 'utf8')];
      });
      // The sandbox's own trust file was not written by a run.
      const others = texts.filter(([file, text]) => file !== join(root, TRUST_FILE) || text !== trusted);
      return Object.fromEntries(others.toSorted(([a], [b]) => (a < b ? -1 : 1)));
    },
  };
  if (isTrusted) sandbox.write(TRUST_FILE, { version: 1, folders: { [project]: { decision: 'trusted', at: '' } } });
  const trusted = isTrusted ? sandbox.read(TRUST_FILE) : undefined;
  for (const [path, content] of Object.entries(files)) sandbox.write(path, content);
  return sandbox;
}

async function runProgram(
  args: readonly string[],
  { sandbox, options }: { readonly sandbox: Sandbox; readonly options: RunOptions },
): Promise<Run> {
  let stdout = '';
  let stderr = '';
  let isClosed = false;
  const answers = [...(options.answers ?? [])];
  const { isTerminal = false, columns = 80 } = options;
  using late = options.late && lateAfter(options.late);
  const clock = late ?? options.clock;
  const answer = async (question: string): Promise<string> => {
    stderr += question;
    return answers.shift() ?? '';
  };
  const io: Io = {
    env: { HOME: sandbox.home, PATH: process.env['PATH'], ...options.env },
    stdout: {
      isTerminal,
      columns,
      get isClosed() {
        return isClosed;
      },
      write(text) {
        stdout += text;
        options.control?.output.write(text);
        isClosed = options.onStdout?.(text) === false;
      },
    },
    stderr: {
      isTerminal,
      columns,
      write(text) {
        stderr += text;
        options.onStderr?.(text);
      },
    },
    stdin: {
      isTerminal: options.answers !== undefined,
      read: async () => options.stdin ?? '',
      ask: answer,
      askSecret: answer,
    },
    now: () => options.now ?? NOW,
    ...(clock && { clock }),
    ...(options.interrupted && { interrupted: options.interrupted }),
    ...(options.control && { openControl: () => options.control! }),
    config: { managedDirectories: [sandbox.managed], platform: 'linux' },
  };
  const isPlaced = args.slice(0, args.indexOf('--') === -1 ? undefined : args.indexOf('--')).includes('--cwd');
  const placed = isPlaced ? args : ['--cwd', options.cwd ?? sandbox.project, ...args];
  const code = await run(placed, io);
  const told = tidy(stdout, sandbox);
  const timely = clock ? stderr : stderr.replaceAll(SLOW, '');
  return { code, stdout: told, stderr: tidy(timely, sandbox), json: toEnvelope(told) };
}

/** Progress lines that depend on real time, and so on how busy the machine is. */
const SLOW = /^Connecting \d+\/\d+: .*\n/gmu;

function tidy(text: string, { home, project, managed }: Sandbox): string {
  const named = [
    [project, 'PROJECT'],
    [home, 'HOME'],
    [managed, 'ETC'],
  ] as const;
  return named
    .reduce((result, [path, word]) => result.replaceAll(path, word), text)
    .replaceAll(/HOME\/\.config\/plugboard\/projects\/[0-9a-f]{32}\.json/gu, 'LOCAL');
}

function toEnvelope(stdout: string): Envelope | undefined {
  return /^\{[^\n]*\}\n$/u.test(stdout) ? (JSON.parse(stdout) as Envelope) : undefined;
}

/** The file of the project's local servers; undefined if there is none. */
export function localFileOf({ home }: Sandbox): string | undefined {
  const folder = join(home, '.config/plugboard/projects');
  const [name] = existsSync(folder) ? readdirSync(folder) : [];
  return name === undefined ? undefined : join(folder, name);
}

export function serversIn(file: string | undefined): Record<string, unknown> {
  if (file === undefined || !existsSync(file)) return {};
  return (JSON.parse(readFileSync(file, 'utf8')) as { mcpServers?: Record<string, unknown> }).mcpServers ?? {};
}

/** Copies the built program, so that a concurrent build cannot remove it. Returns the file to run. */
export async function copyProgram(into: string): Promise<string> {
  const source = resolve(import.meta.dirname, '../..');
  const dist = join(source, 'dist');
  // Locked, because two test files may find the build missing at once.
  const build = (): void => {
    if (!existsSync(join(dist, 'plugboard.js'))) execFileSync(process.execPath, [join(source, 'scripts/build.mjs')]);
  };
  await withLock(join(tmpdir(), `plugboard-build-${process.getuid?.() ?? 0}`), build, { timeoutMs: HANG_GUARD_MS });
  const isShipped = (path: string): boolean => relative(dist, path) !== 'inside'; // dist/inside is for benchmarks only
  cpSync(dist, join(into, 'dist'), { recursive: true, filter: isShipped });
  cpSync(join(source, 'demo'), join(into, 'demo'), { recursive: true });
  return join(into, 'dist', 'plugboard.js');
}
