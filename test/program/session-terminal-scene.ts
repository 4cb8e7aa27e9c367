import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, onTestFinished, type TestContext } from 'vitest';
import { anthropicDialect, type AnthropicTurn } from '../fixtures/anthropic-dialect.js';
import { type Json, openScriptedApi, type Reply, type ScriptedApi } from '../fixtures/scripted-api.js';
import { MODEL_ENV, say } from './prompt-scene.js';
import { copyProgram, makeSandbox, type Sandbox } from './sandbox.js';
import { untilFound } from '../hang-guard.js';
import { again, openTmux, type Tmux } from './tmux.js';

/** A user at a real terminal, in a project of a sandbox. $PLUGBOARD is the built program. */
export interface Seat extends Tmux {
  readonly sandbox: Sandbox;
  /** Types the text literally, without Enter. */
  readonly write: (text: string) => void;
  /** Waits for the prompt, replaces its content with the text, and presses Enter. */
  readonly enter: (text: string) => Promise<void>;
  /** Waits for the question, then presses the key until it is accepted: one that comes too soon is ignored. */
  readonly answer: (key: string, question?: string) => Promise<void>;
  /** Waits for the question, then types a line until it is accepted. */
  readonly reply: (text: string, question: string) => Promise<void>;
  /** The visible screen, without the scrollback. */
  readonly seen: () => string;
  /** Resolves with all rows, scrollback included, when they match. */
  readonly untilSo: (isSo: (screen: string) => boolean) => Promise<string>;
  readonly resize: (columns: number, rows: number) => void;
  /** The bytes that the program has written. */
  readonly written: () => string;
  /** The journal lines of session-terminal-server.mjs, without the pid. */
  readonly journal: () => readonly string[];
  /** The pids of these servers, in the order of their starts. */
  readonly started: () => readonly number[];
  /** Resolves with the arguments that the browser was started with. */
  readonly opened: () => Promise<string>;
}

export interface SeatOptions {
  readonly files?: Readonly<Record<string, unknown>>;
  readonly sandbox?: Sandbox;
  readonly script?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

/** Opens seats, each in its own terminal, all with one copy of the program. */
export function useSeats(): (context: TestContext, options?: SeatOptions) => Seat {
  let root: string;
  let program: string;
  beforeAll(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-seat-')));
    program = await copyProgram(root);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return (context, { files = {}, sandbox = makeSandbox(files), script = '$PLUGBOARD', ...options } = {}) => {
    const { columns = 80, rows = 40, env = {} } = options;
    const { home, project: cwd, root: folder } = sandbox;
    const [log, told] = [join(folder, 'written'), join(folder, 'opened')];
    const browser = sandbox.write(
      'browser',
      `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${told}'; : > '${doneIn(sandbox)}'\n`,
    );
    chmodSync(browser, 0o755);
    const all = { PLUGBOARD: `${process.execPath} ${program}`, PLUGBOARD_KEYCHAIN: 'off', BROWSER: browser, ...env };
    const begun = `while [ ! -e '${folder}/ready' ]; do sleep 0.01; done; ${script}`;
    const terminal = openTmux(context, { home, cwd, script: begun, env: all, columns });
    const tmux = (...args: readonly string[]): string =>
      execFileSync('tmux', ['-u', '-S', join(home, 'tmux'), ...args], { encoding: 'utf8' });
    tmux('resize-window', '-x', String(columns), '-y', String(rows));
    tmux('pipe-pane', `cat > ${log}`);
    sandbox.write('ready', '');
    const capture = (): string => tmux('capture-pane', '-p', '-S', '-').trimEnd();
    // Waits until the screen is still: a key that may be older than the question is ignored.
    const asked = async (question: string): Promise<void> => {
      let last = '';
      const isStill = (): true | undefined => {
        const [before, now] = [last, (last = capture())];
        return (now === before && now.endsWith(question)) || undefined;
      };
      await until(isStill, capture);
      await pause(WORD_MS);
    };
    const atCursor = (): string => {
      const row = Number(tmux('display-message', '-p', '#{cursor_y}'));
      return tmux('capture-pane', '-p').split('\n')[row] ?? '';
    };
    const notes = (): string[] => {
      const file = join(folder, 'journal');
      return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    };
    return {
      ...terminal,
      sandbox,
      write: (text) => void tmux('send-keys', '-l', text),
      async enter(text) {
        await until(() => atCursor().startsWith('>') || undefined, capture);
        tmux('send-keys', 'C-u');
        tmux('send-keys', '-l', `${text}\r`);
      },
      async answer(key, question = PERMISSION) {
        await asked(question);
        // An answered question is folded to one line, or asks something else.
        const before = countAnswers(capture());
        const press = again(() => tmux('send-keys', key));
        const isAnswered = (screen: string): boolean => !screen.endsWith(question) || countAnswers(screen) > before;
        await until(() => isAnswered(capture()) || press(), capture);
      },
      async reply(text, question) {
        await asked(question);
        const write = again(() => tmux('send-keys', '-l', text));
        await until(() => capture().endsWith(`${question} ${text}`) || write(), capture);
        tmux('send-keys', 'Enter');
      },
      seen: () => tmux('capture-pane', '-p').trimEnd(),
      untilSo: (isSo) => until(() => [capture()].find(isSo), capture),
      resize: (width, height) => void tmux('resize-window', '-x', String(width), '-y', String(height)),
      written: () => readFileSync(log, 'utf8'),
      journal: () => notes().map((line) => line.replace(/^\d+ /u, '')),
      started: () => notes().flatMap((line) => (line.endsWith(' start') ? [Number.parseInt(line, 10)] : [])),
      opened: () => until(() => (existsSync(told) ? readFileSync(told, 'utf8') : undefined), capture),
    };
  };
}

const PERMISSION = 'y/s/a/n/t:';
const LOOK_MS = 100; // each look starts a process
const WORD_MS = 450; // a key that comes sooner may belong to the previous answer and is ignored

function countAnswers(screen: string): number {
  return screen.match(/^[✔✘] \S+ (?:(?:always )?allowed|denied)|^[✔✘] Server "/gmu)?.length ?? 0;
}

function until<Found>(look: () => Found | undefined, show: () => string): Promise<Found> {
  return untilFound(look, { show, everyMs: LOOK_MS });
}

/** An entry for session-terminal-server.mjs. */
export function delegate({ root }: Pick<Sandbox, 'root'>): object {
  const args = [join(import.meta.dirname, 'session-terminal-server.mjs')];
  return { command: process.execPath, args, env: { JOURNAL: join(root, 'journal'), DONE: doneIn({ root }) } };
}

/** The file that exists once a page was visited. */
function doneIn({ root }: Pick<Sandbox, 'root'>): string {
  return join(root, 'done');
}

export interface ScriptedModel {
  readonly api: ScriptedApi;
  readonly env: Readonly<Record<string, string>>;
}

export async function openModel(script: readonly Reply<AnthropicTurn>[]): Promise<ScriptedModel> {
  const api = await openScriptedApi(anthropicDialect, (turn) => script.at(turn - 1) ?? say('no more'));
  onTestFinished(() => api[Symbol.asyncDispose]());
  return { api, env: { ...MODEL_ENV, ANTHROPIC_BASE_URL: api.url } };
}

/** The last message of request number `turn`, as JSON. */
export function readBy({ requests }: ScriptedApi, turn: number): string {
  return JSON.stringify((requests[turn - 1]?.['messages'] as readonly Json[] | undefined)?.at(-1) ?? null);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
