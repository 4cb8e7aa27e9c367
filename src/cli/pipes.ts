import { createReadStream } from 'node:fs';
import { HostError } from '../base/errors.js';
import type { Invocation } from './input/arguments.js';
import type { Io } from './io.js';

const FLAG = 'mcp-config';
const PIPE_LIMIT = 1_048_576; // bytes, as for a configuration file
const PIPE_TIMEOUT_MS = 30_000; // the command that writes it may have to ask the user first

/**
 * Replaces `--mcp-config <(make-config)` and `--mcp-config -` by the JSON that they hold: they can be read only once,
 * and a run may load its configuration more than once.
 */
export async function withPipesRead(invocation: Invocation, io: Io): Promise<Invocation> {
  const given = invocation.values(FLAG);
  if (!given.some(isPipe)) return invocation;
  const read: string[] = [];
  for (const value of given) read.push(isPipe(value) ? await readPipe(value, io) : value);
  return { ...invocation, values: (option) => (option === FLAG ? read : invocation.values(option)) };
}

function isPipe(value: string): boolean {
  return value === '-' || /^\/(?:dev|proc\/self)\/fd\/\d+$/u.test(value);
}

async function readPipe(path: string, io: Io): Promise<string> {
  const text = path === '-' ? await io.stdin.read() : await readStream(path);
  if (text.trimStart().startsWith('{')) return text;
  throw new HostError('config-invalid', `--${FLAG} ${path} gave no JSON object`, {
    hint: 'Check the command that writes it',
  });
}

async function readStream(path: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of createReadStream(path, {
      signal: AbortSignal.timeout(PIPE_TIMEOUT_MS),
    }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > PIPE_LIMIT)
        throw new HostError('config-too-large', `--${FLAG} ${path} holds more than ${PIPE_LIMIT} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof HostError) throw cause;
    throw new HostError('config-unreadable', `--${FLAG} ${path} cannot be read`, {
      hint: 'Check the command that writes it',
      cause,
    });
  }
  return Buffer.concat(chunks).toString('utf8');
}
