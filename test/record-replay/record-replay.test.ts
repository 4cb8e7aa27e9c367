import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { MASK, Secret } from '../../src/base/secret.js';
import { callTool } from '../../src/connection/requests/call-tool.js';
import type { Connection } from '../../src/connection/connect.js';
import {
  ConnectionFactory,
  type ConnectableServer,
  type ConnectionFactoryOptions,
} from '../../src/connection/connection-factory.js';
import { record } from '../../src/connection/logs/recording.js';
import { openWorkshop, type Workshop } from '../../src/edge/processes/process-fixtures.js';
import { readRecording } from '../../src/testing/replay/recording.js';
import { replayServer } from '../../src/testing/replay/replay.js';
import type { ServerConfig } from '../../src/transports/kinds.js';
import { eras, isPlace, type Place, transports } from '../contract/behaviour.js';
import { bundleServer } from '../contract/bundle-server.js';
import { SERVER_NAME } from '../contract/servers/embedding.js';
import { type Started, startServer } from '../contract/start-server.js';
import { type Around, toConnectable } from './factory-scene.js';
import { type Open, run } from './run.js';

const SECRET = 'correct-horse-battery';
const folder = mkdtempSync(join(tmpdir(), 'plugboard-record-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const places = eras
  .flatMap((era) => transports.map((transport): Place => ({ server: 'fixture', transport, era })))
  .filter(isPlace)
  .map((place) => [`${place.transport}, ${place.era}`, place] as const);

describe('a run over every transport is recorded, and the recording answers as the server did', () => {
  test.each(places)('%s', async (name, place) => {
    await check(pathOf(name), place);
  });
});

/** A replay gives the same client the same messages, with a mask in place of the secret. */
async function check(path: string, place: Place): Promise<void> {
  using workshop = openWorkshop();
  const { address, served } = await serve(place, workshop);
  const { server, around, secrets } = toConnectable(address, place, SECRET);
  const tour = (open: Open): Promise<unknown> => run(open, secrets);
  const received = JSON.stringify(await recorded(path, { server, around }, tour));
  await served?.[Symbol.asyncDispose]();
  const text = readFileSync(path, 'utf8');
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  const masked = secrets.reduce((told, secret) => told.replaceAll(secret, MASK), received);
  expect(await replayed(path, tour)).toEqual(JSON.parse(masked));
  expect(workshop.survivors()).toEqual([]);
}

test('a server that had forgotten the session, and was greeted again, is replayed without that', async () => {
  const place: Place = { server: 'fixture', transport: 'http', era: 'legacy' };
  using workshop = openWorkshop();
  const { address, http, served } = await serve(place, workshop);
  const tour = async (open: Open): Promise<unknown> => {
    await using connection = await open({});
    const first = await echo(connection, 'one');
    http!.sessions.clear();
    const others = await Promise.all(['two', 'three'].map((text) => echo(connection, text)));
    return [first, ...others, await echo(connection, 'four')];
  };
  const received = await recorded(pathOf('lost'), toConnectable(address, place, SECRET), tour);
  await served?.[Symbol.asyncDispose]();
  expect(readFileSync(pathOf('lost'), 'utf8')).toContain('session-lost');
  expect(await replayed(pathOf('lost'), tour)).toEqual(received);
});

test('the token of an editor is in no recording', async () => {
  const place: Place = { server: 'fixture', transport: 'ws', era: 'legacy' };
  using workshop = openWorkshop();
  const { address, served } = await serve(place, workshop);
  const { server, around, secrets } = toConnectable(address, place, SECRET);
  const { url } = server.config as { readonly url: string };
  const config: ServerConfig = { type: 'ws-ide', url, headers: {}, authToken: new Secret(SECRET) };
  await recorded(pathOf('editor'), { server: { ...server, config }, around }, (open) => run(open, secrets));
  await served?.[Symbol.asyncDispose]();
  const text = readFileSync(pathOf('editor'), 'utf8');
  expect([text.includes(SECRET), text.includes(`the key is ${MASK}`)]).toEqual([false, true]);
});

test('a recording of HTTP in the new era plays as a process, too', async () => {
  using workshop = openWorkshop();
  const place: Place = { server: 'fixture', transport: 'http', era: 'modern' };
  const { address, served } = await serve(place, workshop);
  const { server, around, secrets } = toConnectable(address, place, SECRET);
  const tour = (open: Open): Promise<unknown> => run(open, secrets);
  await recorded(pathOf('process'), { server, around }, tour);
  await served?.[Symbol.asyncDispose]();
  const program = await workshop.bundle(`
    import { readRecording } from '../../testing/replay/recording.js';
    import { serveReplay } from '../../testing/replay/replay.js';
    process.exitCode = await serveReplay(await readRecording(process.argv[2]), process);
  `);
  const env = Object.fromEntries(Object.entries(workshop.env).map(([key, value]) => [key, new Secret(value)]));
  const args = [program, pathOf('process')];
  const received = await visited({ type: 'stdio', command: process.execPath, args, env }, {}, tour);
  expect(received).toEqual(await replayed(pathOf('process'), tour));
  expect(workshop.survivors()).toEqual([]);
});

function serve(place: Place, { folder: programs, env }: Workshop): Promise<Started> {
  const program = (): Promise<string> => bundleServer('fixture', programs);
  return startServer({ place, options: { speaks: place.era }, program, env });
}

async function echo(connection: Connection, text: string): Promise<unknown> {
  return (await callTool(connection, { tool: 'echo', input: { text } })).content;
}

function pathOf(name: string): string {
  return join(folder, `${name.replaceAll(/\W+/gu, '-')}.jsonl`);
}

interface Connectable {
  readonly server: ConnectableServer;
  readonly around: Around;
}

async function recorded(path: string, { server, around }: Connectable, tour: Tour): Promise<unknown> {
  await using recording = await record(path, { at: new Date(0), home: undefined });
  await using connectionFactory = openConnectionFactory({ ...around, tap: (...tapped) => recording.tap(...tapped) });
  const received = await tour((options) => connectionFactory.connect(server, options));
  expect(recording.problem).toBeUndefined();
  return received;
}

async function replayed(path: string, tour: Tour): Promise<unknown> {
  const embedded = new Map([['replay', replayServer(await readRecording(path))]]);
  return visited({ type: 'in-process', name: 'replay' }, { embedded }, tour);
}

async function visited(config: ServerConfig, around: Around, tour: Tour): Promise<unknown> {
  await using connectionFactory = openConnectionFactory(around);
  const received = await tour((options) => connectionFactory.connect({ name: SERVER_NAME, config }, options));
  return JSON.parse(JSON.stringify(received)) as unknown;
}

type Tour = (open: Open) => Promise<unknown>;

function openConnectionFactory(options: Partial<ConnectionFactoryOptions>): ConnectionFactory {
  return new ConnectionFactory({ env: {}, platform: process.platform, cwd: '/', state: undefined, ...options });
}
