import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { anthropicDialect, type AnthropicTurn } from '../fixtures/anthropic-dialect.js';
import { type Json, openScriptedApi, type Reply, type ScriptedApi } from '../fixtures/scripted-api.js';
import { MODEL_ENV } from '../program/prompt-scene.js';
import type { AgentQuery, AgentSdk } from './agent-sdk.js';

const root = resolve(import.meta.dirname, '../..');
export const PROGRAM = join(root, 'dist/plugboard.js');
export const TOOLS = { command: process.execPath, args: [join(root, 'test/program/tool-server.mjs')] };

export type Script = readonly Reply<AnthropicTurn>[] | ((turn: number, body: Json) => Reply<AnthropicTurn>);

export interface DriveOptions {
  readonly script: Script;
  /** One prompt, or the messages of a conversation. */
  readonly prompt?: string | AsyncIterable<object>;
  /** Options of `query`. */
  readonly options?: object;
  /** Files below the user's home. */
  readonly files?: Readonly<Record<string, unknown>>;
  /** Has the SDK start the program by itself, from this path; its lines are not seen then. */
  readonly executable?: string;
  readonly scene?: Pick<Drive, 'home' | 'project'>;
}

/** The built program, driven by the published SDK, with a scripted model. */
export interface Drive {
  readonly query: AgentQuery;
  readonly api: ScriptedApi;
  readonly home: string;
  readonly project: string;
  /** The lines that the program has written so far. */
  readonly lines: Json[];
  readonly stderr: () => string;
  /** The arguments that the program was started with. */
  readonly args: readonly string[];
  /** All messages that the caller of `query` gets, until it ends. */
  readonly all: () => Promise<readonly Json[]>;
  /** Resolves with the exit code. */
  readonly exit: () => Promise<number | null>;
}

/** Lines of all scenarios, which are compared with the types of the package at the end. */
export class Recorder {
  readonly lines: Json[] = [];
  readonly statuses: unknown[] = [];
}

export async function drive(sdk: AgentSdk, recorder: Recorder, given: DriveOptions): Promise<Drive> {
  const { script, prompt = 'go', options = {}, files = {}, executable = PROGRAM } = given;
  const replies = typeof script === 'function' ? script : (turn: number) => script[turn - 1] ?? script.at(-1);
  const api = await openScriptedApi(anthropicDialect, replies);
  onTestFinished(() => api[Symbol.asyncDispose]());
  const { home, project } = given.scene ?? makeHome(files);
  const env = { PATH: process.env['PATH'], HOME: home, ...MODEL_ENV, ANTHROPIC_BASE_URL: api.url };
  const lines: Json[] = [];
  const args: string[] = [];
  let stderr = '';
  let child: ChildProcess | undefined;
  let exited: Promise<number | null> = Promise.resolve(null);
  const query = sdk.query({
    prompt,
    options: {
      cwd: project,
      env,
      pathToClaudeCodeExecutable: executable,
      stderr: (text: string) => (stderr += text),
      ...(given.executable === undefined && {
        spawnClaudeCodeProcess(how: Spawning) {
          child = spawn(how.command, how.args, { cwd: how.cwd, env: how.env, signal: how.signal });
          args.push(...how.args);
          const started = child;
          child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text));
          createInterface({ input: child.stdout! }).on('line', (line) => {
            const read = JSON.parse(line) as Json;
            lines.push(read);
            recorder.lines.push(read);
          });
          exited = new Promise((ended) => started.once('exit', (code) => ended(code)));
          return child;
        },
      }),
      ...options,
    },
  });
  onTestFinished(() => void child?.kill('SIGKILL'));
  return {
    query,
    api,
    home,
    project,
    lines,
    args,
    stderr: () => stderr,
    all: async () => {
      const messages: Json[] = [];
      for await (const message of query) messages.push(message);
      return messages;
    },
    exit: () => exited,
  };
}

interface Spawning {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

function makeHome(files: Readonly<Record<string, unknown>>): { readonly home: string; readonly project: string } {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-agent-sdk-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const project = join(home, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return { home, project };
}

/** Messages of a conversation, sent one by one. */
export class Talk implements AsyncIterable<object> {
  readonly #waiting: object[] = [];
  #wake: (() => void) | undefined;
  #isOver = false;

  say(content: unknown, more: object = {}): void {
    this.#waiting.push({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more });
    this.#wake?.();
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<object> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift()!;
      if (this.#isOver) return;
      await new Promise<void>((wake) => (this.#wake = wake));
    }
  }
}

/** Reads messages until one fits; the rest can be read on. */
export class Reading {
  readonly #iterator: AsyncIterator<Json>;
  readonly seen: Json[] = [];

  constructor(query: AgentQuery) {
    this.#iterator = query[Symbol.asyncIterator]();
  }

  async until(fits: (message: Json) => boolean): Promise<Json> {
    for (;;) {
      const next = await this.#iterator.next();
      if (next.done === true) throw new Error(`The program ended before: ${JSON.stringify(this.seen.at(-1))}`);
      this.seen.push(next.value);
      if (fits(next.value)) return next.value;
    }
  }

  result(): Promise<Json> {
    return this.until(({ type }) => type === 'result');
  }

  async rest(): Promise<void> {
    for (;;) {
      const next = await this.#iterator.next();
      if (next.done === true) return;
      this.seen.push(next.value);
    }
  }
}
