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

/** Somebody at a real terminal, on a computer of their own, in a project. $PLUGBOARD is the built program. */
export interface Seat extends Tmux {
  readonly sandbox: Sandbox;
  /** Letters as they are, without Enter. */
  readonly write: (text: string) => void;
  /** Types a line into the prompt as soon as there is one, in place of what stood in it, and Enter. */
  readonly enter: (text: string) => Promise<void>;
  /** Presses a key at a question that is on the screen, until it is taken: one that comes too soon is nobody's answer. */
  readonly answer: (key: string, question?: string) => Promise<void>;
  /** The same for a question that takes a line. */
  readonly reply: (text: string, question: string) => Promise<void>;
  /** What is to be seen just now, without what has scrolled away. */
  readonly seen: () => string;
  /** All rows, with those that have scrolled away, as soon as they are so. */
  readonly untilSo: (isSo: (screen: string) => boolean) => Promise<string>;
  readonly resize: (columns: number, rows: number) => void;
  /** What the program has written, byte for byte. */
  readonly written: () => string;
  /** The lines that servers of session-terminal-server.mjs have written down, without their process. */
  readonly journal: () => readonly string[];
  /** Their processes, in the order in which they were started. */
  readonly started: () => readonly number[];
  /** What the browser was started with, as soon as it was. */
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

/** Each seat in a terminal of its own, all with one copy of the program. */
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
    // A key that is pressed as soon as it appears may be older than that, for all that the program knows.
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
        const before = countIn(capture(), `${question} ${key}`);
        const press = again(() => tmux('send-keys', key));
        await until(() => countIn(capture(), `${question} ${key}`) > before || press(), capture);
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
const WORD_MS = 450; // until then a key may belong to the answer before, and answers nothing

function countIn(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** Asks again and again until there is something. */
function until<Found>(look: () => Found | undefined, show: () => string): Promise<Found> {
  return untilFound(look, { show, everyMs: 50 });
}

/** An entry for session-terminal-server.mjs. */
export function delegate({ root }: Pick<Sandbox, 'root'>): object {
  const args = [join(import.meta.dirname, 'session-terminal-server.mjs')];
  return { command: process.execPath, args, env: { JOURNAL: join(root, 'journal'), DONE: doneIn({ root }) } };
}

/** The file that is there when a page was visited. */
function doneIn({ root }: Pick<Sandbox, 'root'>): string {
  return join(root, 'done');
}

export interface ScriptedModel {
  readonly api: ScriptedApi;
  readonly env: Readonly<Record<string, string>>;
}

/** A model that says what is in the script. */
export async function openModel(script: readonly Reply<AnthropicTurn>[]): Promise<ScriptedModel> {
  const api = await openScriptedApi(anthropicDialect, (turn) => script.at(turn - 1) ?? say('no more'));
  onTestFinished(() => api[Symbol.asyncDispose]());
  return { api, env: { ...MODEL_ENV, ANTHROPIC_BASE_URL: api.url } };
}

/** What the model has read of so many requests, as text. */
export function readBy({ requests }: ScriptedApi, turn: number): string {
  return JSON.stringify((requests[turn - 1]?.['messages'] as readonly Json[] | undefined)?.at(-1) ?? null);
}

/** Whether that process is there. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
