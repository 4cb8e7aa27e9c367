import { fstatSync, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { HostError } from '../base/errors.js';
import { onAbort } from '../base/on-abort.js';
import { exitCodes, type Io, type Output } from './io.js';
import { run } from './run.js';

/** Columns of a pty that does not know them are 0: a line of one letter each helps nobody. */
const COLUMNS = 80;
const INPUT_LIMIT = 1_000_000; // as for a configuration file

/** The stream itself is opened only for what it alone knows; whoever just prints does not pay for it. */
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
    write(text) {
      isClosed = !writeAll(descriptor, text) || isClosed;
    },
  };
}

/** A file, a pipe and the bin are none: that is known without the stream, which takes 3 ms to open. */
function mayBeTerminal(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return process.platform === 'win32' || (stats.isCharacterDevice() && stats.rdev !== statSync(devNull).rdev);
  } catch {
    return true; // whoever opens it finds out
  }
}

/**
 * Synchronous, so that nothing is lost when the process ends right after; a full pipe is waited for, a closed one is not. Who
 * has been told to leave does not wait long: meanwhile nobody could tell it again. False: there is nobody who reads.
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
      if (code === 'EPIPE') return false; // `plugboard list | head` has seen enough
      if (code !== 'EAGAIN') {
        throw new HostError('write-failed', `The answer could not be written: ${String(code)}`, {
          hint: 'Check where stdout and stderr lead to: a full disk, a file that is gone',
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
/** Aborted by a signal. */
const leaving = new AbortController();

/** Whoever runs the program in its own process may hand servers in: a parameter of the bundle, see scripts/build.mjs. */
declare const embedded: Io['embedded'];

const io: Io = {
  env: process.env,
  embedded: typeof embedded === 'undefined' ? undefined : embedded,
  stdout: output(1, () => process.stdout),
  stderr: output(2, () => process.stderr),
  stdin: {
    get isTerminal() {
      return process.stdin.isTTY === true;
    },
    async read() {
      if (process.stdin.readableEnded) return ''; // `--mcp-config -` has read it
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
      // An end that nobody writes to must not keep the program alive.
      process.stdin.unref?.();
      return undefined;
    },
    ask: (question, signal) => ask(question, process.stderr, signal),
    async askSecret(question, signal) {
      const { Writable } = await import('node:stream');
      process.stderr.write(question);
      try {
        return await ask('', new Writable({ write: (_chunk, _encoding, done) => done() }), signal);
      } finally {
        process.stderr.write('\n');
      }
    },
    async askLive(question, signal) {
      const { askLive } = await import('./sign-in/live-question.js');
      const isDrawn = process.env['TERM'] !== 'dumb';
      return askLive(question, { input: process.stdin, shownOn: process.stderr, signal, isDrawn });
    },
  },
  now: () => new Date(),
  openControl: () => ({ input: process.stdin, output: process.stdout }),
  openTerminal: () => ({ input: process.stdin, output: process.stdout }),
  get interrupted() {
    const interrupted = listenForSignals();
    Object.defineProperty(io, 'interrupted', { value: interrupted });
    return interrupted;
  },
};

/** Whether something comes, be it the end, before the time is over. */
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

/** Only a verb that waits for something asks for it; for the others a signal does what it always does. */
function listenForSignals(): AbortSignal {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // The exit takes every server with it that is still there.
      if (leaving.signal.aborted) process.exit(exitCodes.interrupted);
      leaving.abort();
    });
  }
  return leaving.signal;
}

async function ask(question: string, shownOn: NodeJS.WritableStream, signal?: AbortSignal): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: shownOn, terminal: process.stdin.isTTY === true });
  let isAnswered = false;
  // Ctrl-C and Ctrl-D close it, and a question that is closed is never answered by itself.
  const left = new Promise<never>((_, reject) => {
    lines.once('close', () => {
      if (isAnswered) return;
      shownOn.write('\n');
      reject(new HostError('cancelled', 'Left without an answer; what was answered before is kept'));
    });
  });
  using _ = onAbort(signal, () => lines.close());
  if (signal?.aborted === true) lines.close();
  try {
    return await Promise.race([left, lines.question(question)]);
  } finally {
    isAnswered = true;
    lines.close();
  }
}

void start();

async function start(): Promise<void> {
  // Nothing that a verb waits for may end the program before its answer: timers of ours keep no process alive.
  const alive = setInterval(() => {}, 2 ** 30);
  try {
    process.exitCode = await run(process.argv.slice(2), io);
  } catch (error) {
    // Not even the failure could be told there. One more try on stderr, which may lead elsewhere.
    process.exitCode = exitCodes.failed;
    process.stderr.write(`${String(error)}\n`);
  } finally {
    clearInterval(alive);
    // What cannot be taken back, the question for a host's address for instance, is not waited for.
    setTimeout(() => process.exit(), DRAIN_MS).unref();
  }
}

const DRAIN_MS = 200;
