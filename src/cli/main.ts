import { fstatSync, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { HostError } from '../base/errors.js';
import { onAbort } from '../base/on-abort.js';
import { exitCodes, type Input, type Io, type Output } from './io.js';
import { run } from './run.js';

/** Width for a pty that does not know its own and reports 0, which would wrap after every letter. */
const COLUMNS = 80;
const INPUT_LIMIT = 1_000_000; // bytes, as for a configuration file

/** Writes to the descriptor; only `isTTY` and `columns` open the stream, so that plain printing does not pay for it. */
function output(descriptor: number, open: () => NodeJS.WriteStream): Output {
  let isClosed = false;
  return {
    get isClosed() {
      return isClosed;
    },
    get isTerminal() {
      return mayBeTerminal(descriptor) && open().isTTY === true;
    },
    get columns() {
      return open().columns || COLUMNS;
    },
    get rows() {
      return open().columns ? open().rows : undefined;
    },
    write(text) {
      isClosed = !writeAll(descriptor, text) || isClosed;
    },
  };
}

/** False for a file, a pipe and the null device: those are recognised without opening the stream, which takes 3 ms. */
function mayBeTerminal(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return process.platform === 'win32' || (stats.isCharacterDevice() && stats.rdev !== statSync(devNull).rdev);
  } catch {
    return true; // opening the stream gives the answer
  }
}

/**
 * Writes synchronously, so that nothing is lost when the process exits right after. Waits while a pipe is full; after a
 * signal only LEAVE_MS, because no second signal is handled meanwhile. False: the reader has closed the pipe.
 */
function writeAll(descriptor: number, text: string): boolean {
  let rest: Uint8Array = Buffer.from(text);
  let waitedMs = 0;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
      waitedMs = 0;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EPIPE') return false; // as `plugboard list | head` does
      if (code !== 'EAGAIN') {
        throw new HostError('write-failed', `Plugboard could not write its output: ${String(code)}`, {
          hint: 'Check where stdout and stderr go: is the disk full, or the file gone?',
          cause: error,
        });
      }
      if (leaving.signal.aborted && (waitedMs += FULL_MS) > LEAVE_MS) return true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_MS);
    }
  }
  return true;
}

const FULL_MS = 5;
const LEAVE_MS = 500;
/** Aborts on the first SIGINT, SIGTERM or SIGHUP. */
const leaving = new AbortController();

/** In-process servers of a program that runs this bundle in its process: a parameter, see scripts/code-parts.mjs. */
declare const embedded: Io['embedded'];

/** Imports a module of the package by its path in there: a parameter, too. */
declare const importPackaged: ((path: string) => Promise<unknown>) | undefined;

/** `isPlain`: the terminal edits the line and echoes it; Plugboard moves no cursor. */
function openInput({ isPlain }: { readonly isPlain: boolean }): Input {
  return {
    get isTerminal() {
      return mayBeTerminal(0) && process.stdin.isTTY === true;
    },
    async read() {
      if (process.stdin.readableEnded) return ''; // `--mcp-config -` has read all of stdin
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > INPUT_LIMIT) throw new HostError('config-too-large', `stdin holds more than ${INPUT_LIMIT} bytes`);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks).toString('utf8');
    },
    async readUnlessSilent(silentMs) {
      if (process.stdin.readableEnded || (await hasInput(process.stdin, silentMs))) return io.stdin.read();
      // A stdin that stays open and silent must not keep the process alive.
      process.stdin.unref?.();
      return undefined;
    },
    ask: (question, signal) => ask(question, { shownOn: process.stderr, signal, isPlain }),
    asPlain: () => openInput({ isPlain: true }),
    async askSecret(question, signal) {
      const { Writable } = await import('node:stream');
      process.stderr.write(question);
      try {
        const shownOn = new Writable({ write: (_chunk, _encoding, done) => done() });
        return await ask('', { shownOn, signal, isPlain: false });
      } finally {
        process.stderr.write('\n');
      }
    },
    async askLive(question, signal) {
      const { askLive } = await import('./sign-in/live-question.js');
      const isDrawn = !isPlain && process.env['TERM'] !== 'dumb';
      return askLive(question, { input: process.stdin, shownOn: process.stderr, signal, isDrawn });
    },
  };
}

const io: Io = {
  env: process.env,
  embedded: typeof embedded === 'undefined' ? undefined : embedded,
  stdout: output(1, () => process.stdout),
  stderr: output(2, () => process.stderr),
  stdin: openInput({ isPlain: false }),
  now: () => new Date(),
  openControl: () => ({ input: process.stdin, output: process.stdout }),
  ...(typeof importPackaged === 'function' && {
    async openDemo() {
      const { openDemo } = (await importPackaged('demo/open-demo.mjs')) as { openDemo: NonNullable<Io['openDemo']> };
      return openDemo();
    },
  }),
  openTerminal: () => ({ input: process.stdin, output: process.stdout }),
  get interrupted() {
    const interrupted = listenForSignals();
    Object.defineProperty(io, 'interrupted', { value: interrupted });
    return interrupted;
  },
};

/** Whether data, the end of the stream or an error arrives within `silentMs`. */
function hasInput(stream: NodeJS.ReadStream, silentMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isReady: boolean): void => {
      clearTimeout(timer);
      stream.off('readable', onInput).off('end', onInput).off('error', onInput);
      resolve(isReady);
    };
    const onInput = (): void => end(true);
    const timer = setTimeout(() => end(false), silentMs);
    stream.on('readable', onInput).on('end', onInput).on('error', onInput);
  });
}

/** Called when a verb first reads `io.interrupted`; for other verbs signals keep Node's default behaviour. */
function listenForSignals(): AbortSignal {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // Servers that still run end with this process.
      if (leaving.signal.aborted) process.exit(exitCodes.interrupted);
      leaving.abort();
    });
  }
  return leaving.signal;
}

interface AskOptions {
  readonly shownOn: NodeJS.WritableStream;
  readonly signal: AbortSignal | undefined;
  readonly isPlain: boolean;
}

async function ask(question: string, { shownOn, signal, isPlain }: AskOptions): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const terminal = process.stdin.isTTY === true && !isPlain;
  const lines = createInterface({ input: process.stdin, output: shownOn, terminal });
  let isAnswered = false;
  // Ctrl-C and Ctrl-D close the interface, and the promise of `question` then never settles.
  const left = new Promise<never>((_, reject) => {
    lines.once('close', () => {
      if (isAnswered) return;
      shownOn.write('\n');
      reject(new HostError('cancelled', 'You left without an answer; your earlier answers are kept'));
    });
  });
  const close = (): void => lines.close();
  using _ = onAbort(signal, close);
  if (signal?.aborted === true) lines.close();
  // Where the terminal edits the line, Ctrl-C is a signal.
  if (isPlain) process.on('SIGINT', close);
  try {
    return await Promise.race([left, lines.question(question)]);
  } finally {
    isAnswered = true;
    process.off('SIGINT', close);
    lines.close();
  }
}

void start();

async function start(): Promise<void> {
  // Keeps the process alive until the verb has finished: Plugboard's own timers do not.
  const alive = setInterval(() => {}, 2 ** 30);
  try {
    process.exitCode = await run(process.argv.slice(2), io);
  } catch (error) {
    // `run` could not report the error either. One more attempt on stderr, which may lead elsewhere.
    process.exitCode = exitCodes.failed;
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  } finally {
    clearInterval(alive);
    // Work that cannot be cancelled, such as a DNS lookup, is not waited for.
    setTimeout(() => process.exit(), DRAIN_MS).unref();
  }
}

const DRAIN_MS = 200;
