import { chmod, readdir, stat, unlink } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { isObject, parseJson } from '../../base/json.js';
import { isRunning } from '../../edge/files/lock-owner.js';
import { makePrivateFolder } from '../../edge/files/private-folder.js';

/** A command to the running hosts of this user. */
export interface HostCommand {
  readonly command: 'reconnect';
  readonly server: string;
  /** Hash of the server's config: a host whose server of this name has another config ignores the command. */
  readonly hash?: string;
}

/** `known`: the host has this server and carries out the command. */
export interface CommandAnswer {
  readonly known: boolean;
}

export interface ListenOptions {
  readonly folder: string;
  /** Contract: must not throw, and returns at once. */
  readonly onCommand: (command: HostCommand) => CommandAnswer;
}

/** A listening command socket; `path` is undefined where none could be opened. */
export interface CommandListener extends AsyncDisposable {
  readonly path: string | undefined;
}

/** How one host responded to a command. */
export interface CommandDelivery {
  readonly pid: number;
  readonly outcome: 'done' | 'unknown-server' | 'no-answer';
}

/**
 * Listens for commands from other programs of this user, on a socket named after this process. Never rejects: where no
 * socket can be opened, the host runs without one.
 */
export async function listenForCommands({ folder, onCommand }: ListenOptions): Promise<CommandListener> {
  try {
    await makePrivateFolder(folder);
    if (process.platform === 'win32' || !(await isPrivate(folder))) return NOBODY;
    await removeStale(folder);
    for (let index = 0; index < HOSTS_OF_ONE_PROCESS; index++) {
      const path = join(folder, `${process.pid}${index === 0 ? '' : `-${index}`}.sock`);
      const listener = await listen(path, onCommand);
      if (listener) return listener;
    }
  } catch {
    // A full or read-only disk, or a path too long for a socket: the host gets no commands, nothing else is lost.
  }
  return NOBODY;
}

/** Sends a command to every running host of this user but the one at `except`, which has it already. Never rejects. */
export async function sendToHosts(
  folder: string,
  command: HostCommand,
  except?: string,
): Promise<readonly CommandDelivery[]> {
  const sockets = (await socketsIn(folder)).filter(({ path }) => path !== except);
  const told = await Promise.all(sockets.map((socket) => tell(socket, command)));
  return told.filter((one) => one !== undefined);
}

const NOBODY: CommandListener = { path: undefined, async [Symbol.asyncDispose]() {} };

/** Resolves with undefined when another host listens at this path. */
function listen(path: string, onCommand: ListenOptions['onCommand']): Promise<CommandListener | undefined> {
  return new Promise((resolve, reject) => {
    const clients = new Set<Socket>();
    const server = createServer((socket) => {
      clients.add(socket);
      socket.once('close', () => clients.delete(socket));
      serve(socket, onCommand);
    });
    server.maxConnections = CLIENTS;
    server.unref();
    const listener = { path, [Symbol.asyncDispose]: () => close(server, clients) };
    server.on('error', (error) => {
      if ('code' in error && error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error); // after listening (a failed accept) this has no effect: the promise is settled
    });
    server.listen(path, () => {
      chmod(path, 0o600).then(
        () => resolve(listener),
        (error: unknown) => close(server, clients).then(() => reject(error as Error)),
      );
    });
  });
}

/** Closes all connections and the server, which also removes its socket file. */
function close(server: Server, clients: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const client of clients) client.destroy();
  });
}

function serve(socket: Socket, onCommand: ListenOptions['onCommand']): void {
  // From the connection's start: a client that sends one byte a second would otherwise hold a place for an hour.
  const timer = setTimeout(() => socket.destroy(), CLIENT_MS);
  timer.unref();
  socket.unref();
  socket.on('error', () => {}); // the client has gone; there is nothing to report
  socket.on('close', () => clearTimeout(timer));
  void readLine(socket).then((line) => {
    if (line === undefined) return socket.destroy();
    const command = readCommand(line);
    const answer = command
      ? { ok: true, ...onCommand(command) }
      : { ok: false, error: 'no command that is known here' };
    return socket.end(`${JSON.stringify(answer)}\n`);
  });
}

function readCommand(line: string): HostCommand | undefined {
  const value = parse(line);
  if (!isObject(value) || value['command'] !== 'reconnect') return undefined;
  const { server, hash } = value;
  if (typeof server !== 'string' || server === '' || (hash !== undefined && typeof hash !== 'string')) return undefined;
  return { command: 'reconnect', server, ...(hash !== undefined && { hash }) };
}

interface Place {
  readonly path: string;
  readonly pid: number;
}

async function socketsIn(folder: string): Promise<Place[]> {
  const names = await readdir(folder).catch(() => []); // no folder: no host runs
  return names
    .flatMap((name) => {
      const [, pid] = SOCKET_NAME.exec(name) ?? [];
      return pid === undefined ? [] : [{ path: join(folder, name), pid: Number(pid) }];
    })
    .slice(0, SOCKETS);
}

const SOCKET_NAME = /^([1-9]\d{0,9})(?:-\d{1,2})?\.sock$/u;

/** Sends a command to one host; undefined when no host listens there any more. */
async function tell({ path, pid }: Place, command: HostCommand): Promise<CommandDelivery | undefined> {
  const socket = connect(path);
  const timer = setTimeout(() => socket.destroy(), TELL_MS);
  const refusal = new Promise<string | undefined>((resolve) => {
    socket.once('error', (error) => resolve('code' in error ? String(error.code) : ''));
    socket.once('close', () => resolve(undefined));
  });
  try {
    socket.end(`${JSON.stringify(command)}\n`);
    const line = await readLine(socket);
    if (line === undefined) {
      const code = await refusal;
      if (code === 'ENOENT') return undefined;
      if (code !== 'ECONNREFUSED' || isRunning(pid)) return { pid, outcome: 'no-answer' };
      await unlink(path).catch(() => {}); // another process may have removed the socket first
      return undefined;
    }
    const answer = parse(line);
    const isKnown = isObject(answer) && answer['known'] === true;
    return {
      pid,
      outcome: isKnown ? 'done' : isObject(answer) && answer['ok'] === true ? 'unknown-server' : 'no-answer',
    };
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** Removes the sockets of killed hosts, and those that an earlier process with this one's pid has left. */
async function removeStale(folder: string): Promise<void> {
  for (const { path, pid } of await socketsIn(folder)) {
    if (pid !== process.pid && isRunning(pid)) continue;
    if (await isRefused(path)) await unlink(path).catch(() => {}); // another process may have removed the socket first
  }
}

/** Whether nothing listens at a socket. The operating system knows that at once, so this needs no timeout. */
function isRefused(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error) => resolve('code' in error && error.code === 'ECONNREFUSED'));
  });
}

/** The first line received; undefined when the socket closes or fails before. Never rejects. */
function readLine(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (piece: string) => {
      text += piece;
      const end = text.indexOf('\n');
      if (end !== -1) resolve(text.slice(0, end));
      else if (text.length > LINE_LIMIT) socket.destroy();
    });
    socket.once('error', () => resolve(undefined));
    socket.once('close', () => resolve(undefined));
  });
}

function parse(line: string): unknown {
  return line.length > LINE_LIMIT ? undefined : parseJson(line);
}

/** Whether this user owns the folder and no other user may write to it. */
async function isPrivate(folder: string): Promise<boolean> {
  const { uid, mode } = await stat(folder);
  return uid === process.getuid?.() && (mode & WRITABLE_BY_OTHERS) === 0;
}

const WRITABLE_BY_OTHERS = 0o022;
const LINE_LIMIT = 4_096;
const CLIENT_MS = 1_000;
const CLIENTS = 16;
const TELL_MS = 2_000;
const SOCKETS = 256; // more than any user runs
const HOSTS_OF_ONE_PROCESS = 16;
