import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { nearest } from '../../base/nearest.js';
import { FILE_BYTES, FORMAT } from '../../edge/logs/recording-file.js';
import { CUT_KEY } from '../../model/redaction/redact-message.js';
import { SPILLED_KEY } from '../../wire/recording-pipe.js';
import { LineSplitter } from '../line-splitter.js';

/** The messages of a run, as `--record` has written them. */
export interface Recording {
  readonly path: string;
  /** Each server's connections, in the order in which they were made. */
  readonly servers: ReadonlyMap<string, readonly RecordedConversation[]>;
}

/** The events of one connection, in order. */
export type RecordedConversation = readonly RecordedEvent[];

/** One event of a recorded conversation. */
export type RecordedEvent =
  | { readonly from: 'host'; readonly message: unknown }
  | { readonly from: 'server'; readonly message: unknown; readonly origin: unknown }
  | { readonly from: 'pipe'; readonly event: string; readonly detail: JsonObject };

/** Rejects with a HostError: not a recording, another format, too large. The last line may be cut off by a crash. */
export async function readRecording(path: string): Promise<Recording> {
  const file = await openRegular(path);
  try {
    const reader = new Reader(path);
    const lines = new LineSplitter((line) => reader.take(line));
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) lines.push(chunk);
    lines.push(Buffer.from('\n'));
    return reader.end();
  } finally {
    await file.close();
  }
}

/** The connections of one server; `name` may be absent when the recording has only one server. */
export function chooseConversations({ path, servers }: Recording, name?: string): readonly RecordedConversation[] {
  const names = [...servers.keys()];
  const chosen = name ?? (names.length === 1 ? names[0]! : undefined);
  const found = chosen === undefined ? undefined : servers.get(chosen);
  if (found) return found;
  const list = names
    .slice(0, NAMES_SHOWN)
    .map((known) => JSON.stringify(known))
    .join(', ');
  if (name === undefined) {
    throw new HostError('usage', `The recording ${path} has ${names.length} servers, and one has to be named`, {
      hint: `Name one of: ${list}`,
    });
  }
  const [close] = nearest(name, names);
  throw new HostError('unknown-server', `The recording ${path} has no server ${JSON.stringify(name)}`, {
    hint: close === undefined ? `It has: ${list}` : `Did you mean ${JSON.stringify(close)}?`,
  });
}

const NAMES_SHOWN = 20;

class Reader {
  readonly #path: string;
  readonly #servers = new Map<string, Map<unknown, RecordedEvent[]>>();
  #line = 0;
  /** The error about a line that cannot be read; thrown only if another line follows. */
  #broken: HostError | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  take(text: string): void {
    if (this.#broken) throw this.#broken;
    this.#line++;
    try {
      const value: unknown = JSON.parse(text);
      if (this.#line === 1) this.#head(value);
      else if (isObject(value)) this.#event(value);
    } catch (error) {
      if (error instanceof HostError) throw error;
      if (this.#line === 1) throw this.#noRecording();
      this.#broken = new HostError('config-invalid', `Line ${this.#line} of ${this.#path} cannot be read`, {
        hint: 'Remove the line, or record again',
        cause: error,
      });
    }
  }

  end(): Recording {
    if (this.#line === 0) throw this.#noRecording();
    if (this.#servers.size === 0) {
      throw new HostError('config-invalid', `The recording ${this.#path} holds no messages`, {
        hint: 'Record a run that reaches a server: plugboard tools --record FILE',
      });
    }
    const entries = [...this.#servers].map(([name, connections]) => [name, [...connections.values()]] as const);
    return { path: this.#path, servers: new Map(entries) };
  }

  #head(head: unknown): void {
    if (!isObject(head) || head['plugboard'] !== 'recording') throw this.#noRecording();
    if (head['format'] === FORMAT) return;
    const format = JSON.stringify(head['format'])?.slice(0, 20);
    const message = `The recording ${this.#path} has format ${format}; this version reads format ${FORMAT}`;
    throw new HostError('unsupported', message, { hint: 'Update plugboard, or record again with this version' });
  }

  #event(line: { readonly [field: string]: unknown }): void {
    const { server, connection, from, event, message, origin } = line;
    if (typeof server !== 'string') return;
    const conversation = this.#conversation(server, connection);
    if (from === 'host') conversation.push({ from, message });
    else if (from === 'server') conversation.push({ from, message: restore(message), origin });
    else if (from === 'pipe' && typeof event === 'string')
      conversation.push({ from, event, detail: restore(line) as JsonObject });
  }

  #conversation(server: string, connection: unknown): RecordedEvent[] {
    const connections = this.#servers.get(server) ?? new Map<unknown, RecordedEvent[]>();
    this.#servers.set(server, connections);
    const conversation = connections.get(connection) ?? [];
    connections.set(connection, conversation);
    return conversation;
  }

  #noRecording(): HostError {
    return new HostError('config-invalid', `${this.#path} is not a recording`, {
      hint: 'Make one with: plugboard tools SERVER --record FILE',
    });
  }
}

/** A value that was cut becomes its beginning with a remark about the rest; a value that is missing is left out. */
function restore(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((part) => cutKind(part) !== 'rest').map(restore);
  if (!isObject(value)) return value;
  const spilled = value[SPILLED_KEY];
  if (isObject(spilled)) return shortened(spilled['preview'], `${String(spilled['bytes'])} bytes`);
  switch (cutKind(value)) {
    case undefined:
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, restore(part)]));
    case 'rest': {
      const { [CUT_KEY]: _, ...rest } = value;
      return restore(rest);
    }
    case 'text': {
      const { start, length } = value[CUT_KEY] as JsonObject;
      return shortened(start, `${String(length)} characters`);
    }
    default:
      return shortened('', 'a value');
  }
}

function cutKind(value: unknown): unknown {
  const cut = isObject(value) ? value[CUT_KEY] : undefined;
  return isObject(cut) ? cut['kind'] : undefined;
}

function shortened(start: unknown, whole: string): string {
  return `${typeof start === 'string' ? start : ''}… [of ${whole}, the rest is not in the recording]`;
}

/** O_NONBLOCK: opening a named pipe must not wait for its writer. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const READ_LIMIT = FILE_BYTES * 2; // twice what is recorded: files that people have put together by hand are read, too

async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, OPEN_FLAGS).catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new HostError('config-unreadable', `Cannot read the recording ${path}: ${code}`, {
      hint: code === 'ENOENT' ? 'Check the name of the file' : 'Check who may read it',
      cause,
    });
  });
  const stats = await file.stat();
  if (stats.isFile() && stats.size <= READ_LIMIT) return file;
  await file.close();
  if (stats.isFile()) {
    throw new HostError(
      'config-too-large',
      `${path} has ${stats.size} bytes; the limit for a recording is ${READ_LIMIT}`,
      {
        hint: 'Keep only the lines of one server, and the first line',
      },
    );
  }
  throw new HostError('config-unreadable', `Cannot read the recording ${path}: it is not a regular file`, {
    hint: 'Name the file that --record has written',
  });
}
