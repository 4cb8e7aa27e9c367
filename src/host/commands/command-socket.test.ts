import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type HostCommand, listenForCommands, sendToHosts } from './command-socket.js';

const command: HostCommand = { command: 'reconnect', server: 'a' };

function makeFolder(): string {
  const root = mkdtempSync(join(tmpdir(), 'plugboard-socket-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return join(root, 'plugboard');
}

async function listen(folder: string, isKnown = true): Promise<{ received: HostCommand[] } & AsyncDisposable> {
  const received: HostCommand[] = [];
  const onCommand = (told: HostCommand): { known: boolean } => {
    received.push(told);
    return { known: isKnown };
  };
  const listener = await listenForCommands({ folder, onCommand });
  return { received, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() };
}

/** Sends the text and resolves with everything received until the other side closes. */
function say(path: string, text: string): Promise<string> {
  return new Promise((done) => {
    let answer = '';
    const socket = connect(path, () => socket.write(text));
    socket.setEncoding('utf8').on('data', (piece) => (answer += String(piece)));
    socket.on('error', () => {});
    socket.on('close', () => done(answer));
  });
}

test('every host hears a command, also two in one process, and says whether it has the server', async () => {
  const folder = makeFolder();
  await using one = await listen(folder);
  await using two = await listen(folder, false);
  const told = await sendToHosts(folder, { ...command, hash: 'h' });
  expect(told.map(({ outcome }) => outcome).toSorted()).toEqual(['done', 'unknown-server']);
  expect([...one.received, ...two.received]).toEqual(Array.from({ length: 2 }, () => ({ ...command, hash: 'h' })));
});

test('only this user gets to the socket, and it goes with the host', async () => {
  const folder = makeFolder();
  const listener = await listen(folder);
  const path = join(folder, `${process.pid}.sock`);
  expect([statSync(folder).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
  await listener[Symbol.asyncDispose]();
  expect(existsSync(path)).toBe(false);
  expect(await sendToHosts(folder, command)).toEqual([]);
});

test.each([
  ['no JSON', 'hello\n'],
  ['another command', '{"command":"exit","server":"a"}\n'],
  ['no server', '{"command":"reconnect"}\n'],
  ['a list', '[]\n'],
])('%s is answered with no', async (_, text) => {
  const folder = makeFolder();
  await using listener = await listen(folder);
  const answer = await say(join(folder, `${process.pid}.sock`), text);
  expect([JSON.parse(answer), listener.received]).toEqual([{ ok: false, error: 'no command that is known here' }, []]);
});

test('who sends too much, or nothing, is hung up on, and others are heard', async () => {
  const folder = makeFolder();
  await using listener = await listen(folder);
  const path = join(folder, `${process.pid}.sock`);
  const silent = say(path, '{"command":');
  expect(await say(path, 'x'.repeat(10_000))).toBe('');
  expect(await sendToHosts(folder, command)).toEqual([{ pid: process.pid, outcome: 'done' }]);
  expect(await silent).toBe('');
  expect(listener.received).toHaveLength(1);
});

test('what a dead host has left is removed, and a file of somebody else is not', async () => {
  const folder = makeFolder();
  mkdirSync(folder, { mode: 0o700 });
  // Connecting to a plain file fails like connecting to the socket of a killed host: ECONNREFUSED.
  writeFileSync(join(folder, '4294967.sock'), '');
  writeFileSync(join(folder, 'approvals.json'), '{}');
  await using listener = await listen(folder);
  expect(listener.received).toEqual([]);
  expect(readdirSync(folder).toSorted()).toEqual([`${process.pid}.sock`, 'approvals.json']);
});

test('a host that does not answer is told of after a while', async () => {
  const folder = makeFolder();
  mkdirSync(folder, { mode: 0o700 });
  const server = createServer((socket) => socket.resume()).listen(join(folder, '1.sock'));
  onTestFinished(() => void server.close());
  await new Promise((done) => server.once('listening', done));
  expect(await sendToHosts(folder, command)).toEqual([{ pid: 1, outcome: 'no-answer' }]);
});

test.each<[string, (folder: string) => string]>([
  ['others may write to', (folder) => (mkdirSync(folder), chmodSync(folder, 0o777), folder)],
  ['is a file', (folder) => (writeFileSync(folder, ''), folder)],
  ['has a name too long for a socket', (folder) => join(folder, 'x'.repeat(120))],
])('a host runs without a socket where its folder %s', async (_, prepare) => {
  const folder = prepare(makeFolder());
  await using listener = await listen(folder);
  expect([await sendToHosts(folder, command), listener.received]).toEqual([[], []]);
});
