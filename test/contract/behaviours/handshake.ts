import { type Behaviour, byHand, onEach, only, overHttp, said, streaming } from '../behaviour.js';
import { isFailure } from '../clients/contract-client.js';
import type { FixtureOptions } from '../servers/fixture-options.js';
import { capabilities, toolNames } from '../servers/tools.js';

const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

export const handshake: readonly Behaviour[] = [
  {
    title: 'a server says who it is and what it can do',
    run: (stage) => Promise.resolve(stage.client().handshake),
    expected: opening('2025-11-25'),
    expectedIn: { modern: opening('2026-07-28') },
  },
  ...only('legacy', [
    {
      title: 'a server hears the newest version, no capability that is not there, and that the handshake is over',
      run: (stage) => stage.call('handshake'),
      expected: said('{"protocolVersion":"2025-11-25","capabilities":{}}'),
    },
    {
      title: 'a server hears of the capabilities that were given',
      own: { client: { capabilities: { roots: { listChanged: true } } } },
      run: (stage) => stage.call('handshake'),
      expected: said('{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}}}'),
    },
    ...versions.map((version): Behaviour => ({
      title: `a server that speaks ${version} is taken by its word`,
      own: { server: { version } },
      // A server of the first generation cannot be given a version.
      servers: ['fixture', 'sdk'],
      run: async (stage) => [stage.client().handshake.version, await stage.call('echo', { text: 'hello' })],
      expected: [version, said('hello')],
    })),
    refused(
      'a server that speaks a version that nobody knows is refused',
      { version: '1999-12-31' },
      { error: 'unsupported' },
    ),
    refused('a server whose version is no text is refused', { version: 20251125 }, { error: 'bad-answer' }),
  ]),
  {
    ...refused(
      'a server that refuses the handshake is quoted',
      { refusal: { code: -32099, message: 'closed on Sundays' } },
      { error: 'rpc', rpc: { code: -32099, message: 'closed on Sundays' } },
    ),
    // Over `ws` the era is forced: the error says that the server does not speak it, and quotes the refusal.
    except: [['fixture', 'ws', 'modern']],
  },
  {
    ...refused('a server that does not greet back is given up', { handshake: 'silence' }, { error: 'timeout' }),
    own: { server: { handshake: 'silence' }, client: { timeoutMs: 300 } },
  },
  {
    ...refused('a server that dies before it greets is told so', { handshake: 'death' }, { error: 'closed' }),
    // A server in the embedding program cannot be started again.
    expectedOn: { ...onEach(overHttp, { error: 'http' }), sdk: { error: 'unreachable' } },
  },
  ...only('legacy', [
    {
      title: 'a server may ask whether we are there before it greets back',
      own: { server: { handshake: 'a question first' } },
      servers: byHand,
      transports: streaming,
      run: (stage) => stage.call('echo', { text: 'hello' }),
      expected: said('hello'),
    },
    {
      title: 'of two greetings the first counts',
      own: { server: { handshake: 'twice' } },
      servers: byHand,
      transports: streaming,
      run: async (stage) => [stage.client().handshake.instructions, await stage.call('echo', { text: 'hello' })],
      expected: ['Ask for what you need.', said('hello')],
    },
    {
      title: 'nothing is left of a server that was refused',
      own: { server: { version: '1999-12-31' } },
      servers: byHand,
      transports: ['stdio'],
      run: (stage) => Promise.resolve(stage.survivors()),
      expected: [],
    },
  ]),
  {
    title: 'all pages of a list are read',
    run: (stage) => stage.client().listTools(),
    expected: { ok: toolNames },
  },
  list('a list that goes round in a circle ends, and what came is kept', { list: 'circle' }, { ok: ['one'] }),
  list('an empty text is a cursor like any other', { list: 'empty cursor' }, { ok: ['one', 'two'] }),
  list('one bad tool does not hide the others', { list: 'one bad' }, { ok: ['one', 'three'] }),
  list('of two tools with one name the first counts', { list: 'twice' }, { ok: ['one'] }),
  list('a list that is none fails', { list: 'missing' }, { error: 'bad-answer' }),
  list('a list may be empty', { list: 'empty' }, { ok: [] }),
  list('a server without tools has none', { capabilities: {} }, { ok: [] }),
];

function opening(version: string): object {
  const server = { name: 'contract', version: '1.2.3' };
  return { version, server, capabilities, instructions: 'Ask for what you need.' };
}

function refused(title: string, server: FixtureOptions, expected: unknown): Behaviour {
  return {
    title,
    own: { server },
    servers: byHand,
    run: (stage) => Promise.resolve(isFailure(stage.opened) ? stage.opened : 'connected'),
    expected,
  };
}

function list(title: string, server: FixtureOptions, expected: unknown): Behaviour {
  return { title, own: { server }, servers: byHand, run: (stage) => stage.client().listTools(), expected };
}
