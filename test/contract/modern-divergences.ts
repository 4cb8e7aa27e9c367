import { said, type Transport } from './behaviour.js';
import { type Divergence, everywhere, overHttp, SILENCE, UNCERTAIN } from './divergence.js';

/** HTTP+SSE is older than the modern era. */
const contexts: readonly Transport[] = everywhere.filter((transport) => transport !== 'sse');
/** Transports on which the client detects the era. */
const probing: readonly Transport[] = contexts.filter((transport) => transport !== 'ws');
const next = said('next');
const unsupported = { error: 'unsupported' };
/** The response of a modern server to `initialize`. */
const oldRefused = {
  error: 'rpc',
  rpc: {
    code: -32022,
    message: 'Unsupported protocol version: 2025-11-25',
    data: { supported: ['2026-07-28'], requested: '2025-11-25' },
  },
};
const UNCODED = 'A plain Error without a code: a host cannot tell it from any other fault.';

/** Divergences in the modern era only. */
export const modernDivergences: readonly Divergence[] = [
  {
    behaviour: 'a server that dies before it greets is told so',
    transports: ['in-process', 'stdio', 'ws'],
    eras: ['modern'],
    ours: { error: 'closed' },
    oracle: unsupported,
    reason: 'A server that is gone is taken for one that speaks another era.',
  },
  {
    behaviour: 'a server that dies before it greets is told so',
    transports: ['http'],
    eras: ['modern'],
    ours: { error: 'http' },
    oracle: { error: 'timeout' },
    reason: SILENCE,
    silent: 'handshake',
  },
  {
    behaviour: 'a server that dies before it greets is told so',
    transports: ['http-json'],
    eras: ['modern'],
    ours: { error: 'http' },
    oracle: unsupported,
    reason: 'A server that is gone is taken for one that speaks another era.',
  },
  {
    behaviour: 'a server that does not greet back is given up',
    transports: ['stdio'],
    eras: ['modern'],
    ours: { error: 'timeout' },
    oracle: unsupported,
    reason: 'A server that says nothing is taken for one that speaks another era.',
  },
  {
    behaviour: 'a server that refuses the handshake is quoted',
    transports: probing,
    eras: ['modern'],
    ours: { error: 'rpc', rpc: { code: -32099, message: 'closed on Sundays' } },
    oracle: unsupported,
    reason: 'What the server says is only quoted in a text.',
  },
  {
    behaviour: 'a server of the new era cannot be told to speak the old one',
    transports: overHttp,
    ours: oldRefused,
    oracle: { error: 'http' },
    reason: 'What the server says in the body, the versions that it takes above all, is only quoted in a text.',
  },
  {
    behaviour: 'a server that answers with a fault of its own is spoken to in the old era',
    transports: overHttp,
    ours: ['2025-11-25', said('hello')],
    oracle: { error: 'http' },
    reason: 'HTTP 500 is the end of it; old servers throw when they are asked something that they do not know.',
  },
  {
    behaviour: 'a server that dies of the question is started once more',
    transports: ['in-process', 'http-json'],
    ours: ['2025-11-25', said('hello')],
    oracle: unsupported,
    reason: 'Only a process gets a second chance, and only because a first one was started for the question alone.',
  },
  {
    behaviour: 'a server that dies of the question is started once more',
    transports: ['http'],
    ours: ['2025-11-25', said('hello')],
    oracle: { error: 'timeout' },
    reason: SILENCE,
    silent: 'handshake',
  },
  {
    behaviour:
      'a server of the new era that does not answer the question is quoted, and not what it says to a greeting',
    transports: ['in-process', 'stdio'],
    ours: { error: 'rpc', rpc: { code: -32099, message: 'closed on Sundays' } },
    oracle: oldRefused,
    reason: 'It tells what the server said to a greeting that it should not have got.',
  },
  {
    behaviour:
      'a server of the new era that does not answer the question is quoted, and not what it says to a greeting',
    transports: overHttp,
    ours: { error: 'rpc', rpc: { code: -32099, message: 'closed on Sundays' } },
    oracle: { error: 'http' },
    reason: 'It tells what the server said to a greeting that it should not have got, and that only in a text.',
  },
  {
    behaviour: 'a server of the new era that dies of the question is told so',
    transports: ['in-process'],
    ours: { error: 'closed' },
    oracle: unsupported,
    reason: 'A server that is gone is taken for one that speaks another era.',
  },
  {
    behaviour: 'a server of the new era that dies of the question is told so',
    transports: ['stdio'],
    ours: { error: 'closed' },
    oracle: oldRefused,
    reason: 'It tells what the second process said to a greeting that it should not have got.',
  },
  {
    behaviour: 'a server of the new era that dies of the question is told so',
    transports: ['http'],
    ours: { error: 'http' },
    oracle: { error: 'timeout' },
    reason: SILENCE,
    silent: 'handshake',
  },
  {
    behaviour: 'a server of the new era that dies of the question is told so',
    transports: ['http-json'],
    ours: { error: 'http' },
    oracle: unsupported,
    reason: 'A server that is gone is taken for one that speaks another era.',
  },
  {
    behaviour: 'a server that answers with a version that nobody knows is refused',
    transports: probing,
    ours: unsupported,
    oracle: 'connected',
    reason: 'It is greeted in the old era, which such a server has not offered.',
  },
  {
    behaviour: 'a server that answers with only a version that nobody knows is refused',
    transports: probing,
    ours: unsupported,
    oracle: {
      error: 'rpc',
      rpc: {
        code: -32022,
        message: 'Unsupported protocol version',
        data: { supported: ['2099-01-01'], requested: '2026-07-28' },
      },
    },
    reason: 'The same as it sees it, in the words of the server.',
  },
  {
    behaviour: 'nothing is left of a server that speaks newer versions only',
    transports: ['stdio'],
    ours: [],
    oracle: UNCERTAIN,
    reason: 'Connecting fails before the process has ended, and nobody can wait for that any more.',
  },
  {
    behaviour: 'every request says in which version it is, who asks and what that one can do',
    transports: contexts,
    ours: [
      {
        version: '2026-07-28',
        client: ['name', 'version'],
        capabilities: { roots: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
      },
    ],
    oracle: [{ version: '2026-07-28', client: ['name', 'version'], capabilities: { roots: {} } }],
    reason: 'It cannot wait for tasks, so that a server must not make one of a call.',
  },
  {
    behaviour: 'a tool that marks what cannot be a header is not there, where there are headers',
    transports: ['in-process', 'ws'],
    ours: { ok: ['right', 'a number', 'a blank', 'no name', 'no text', 'in a list'] },
    oracle: { ok: ['right'] },
    reason: 'It takes every road but stdio for one that has headers.',
  },
  {
    behaviour: 'another version that both know is tried once',
    transports: contexts,
    ours: [
      {
        error: 'rpc',
        rpc: {
          code: -32022,
          message: 'Unsupported protocol version',
          data: { supported: ['2026-07-28'], requested: '2026-07-28' },
        },
      },
      2,
    ],
    oracle: [
      {
        error: 'rpc',
        rpc: {
          code: -32022,
          message: 'Unsupported protocol version',
          data: { supported: ['2026-07-28'], requested: '2026-07-28' },
        },
      },
      1,
    ],
    reason: 'It asks again while it connects, and not later, when a server has been updated.',
  },
  {
    behaviour: 'a method that the server does not have is an error',
    transports: overHttp,
    eras: ['modern'],
    ours: -32601,
    oracle: { error: 'http' },
    reason: 'It takes the 404 that the specification asks for as a missing endpoint.',
  },
  {
    behaviour: 'what was not declared is refused, though somebody could answer it',
    transports: contexts,
    ours: [unsupported, '1'],
    oracle: UNCERTAIN,
    reason: 'It does not take an answer for what it has not declared in the first place.',
  },
  {
    behaviour: 'what nobody answers ends the call, and the next one is made',
    transports: contexts,
    ours: [{ error: 'input' }, '1', next],
    oracle: [{ error: 'unknown' }, '1', next],
    reason: UNCODED,
  },
  {
    behaviour: 'whoever cancels while a question is open is free at once',
    transports: contexts,
    ours: [{ error: 'cancelled' }, '1'],
    oracle: UNCERTAIN,
    reason: 'Whoever answers has to hear of it, and then its fault is what became of the call.',
  },
  {
    behaviour: 'a list may not be asked about',
    transports: contexts,
    ours: { error: 'bad-answer' },
    oracle: { error: 'input' },
    reason: 'It answers whatever is asked, wherever that is, until it has been enough.',
  },
  {
    behaviour: 'a question that is none ends its call at once: a question that nobody knows',
    transports: contexts,
    ours: [unsupported, next],
    oracle: [{ error: 'bad-answer' }, next],
    reason: 'To us it is one more thing that this host cannot do.',
  },
  {
    behaviour: 'a question that is none ends its call at once: a state that is too large',
    transports: contexts,
    ours: [{ error: 'bad-answer' }, next],
    oracle: [{ error: 'input' }, next],
    reason: 'It sends a state of any size back as often as it may.',
  },
  leaked('a change of a resource that nobody watches goes no further'),
  leaked('a change that was not asked for goes no further'),
  leaked('a change under another subscription goes no further'),
  leaked('a change under no subscription goes no further'),
  leaked('a change that comes before the subscription is confirmed goes no further'),
  {
    behaviour: 'a server that ends a subscription is asked for it again',
    transports: contexts,
    ours: [said('opened 1,opened 2'), ['notifications/tools/list_changed']],
    oracle: [{ error: 'timeout' }, []],
    reason: 'Whoever uses it has to see to that.',
    silent: 'call',
  },
  {
    behaviour: 'something else to hear of is asked for before the old subscription ends',
    transports: overHttp,
    ours: [said('opened 1,opened 2,closed 1'), ['notifications/resources/list_changed']],
    oracle: UNCERTAIN,
    reason: 'It closes the stream and sends a note about it, which has no business there.',
  },
  {
    behaviour: 'whoever wants to hear of nothing more ends the subscription',
    transports: overHttp,
    ours: [said('opened 1,closed 1'), []],
    oracle: UNCERTAIN,
    reason: 'It closes the stream and sends a note about it, which has no business there.',
  },
  {
    behaviour: 'a server that cannot tell of changes is not asked to',
    transports: contexts,
    ours: said('0'),
    oracle: said('1'),
    reason: 'It asks for what the server has not offered.',
  },
  {
    behaviour: 'what was answered after a question is asked for again',
    transports: contexts,
    ours: [2, 4],
    oracle: [2, 2],
    reason: 'It keeps what was made for one answer, and may be other with the next; the specification forbids that.',
  },
  {
    behaviour: 'an answer with a fault ends its call at once: no resultType',
    transports: contexts,
    eras: ['modern'],
    ours: [said('right'), next],
    oracle: [{ error: 'bad-answer' }, next],
    reason: 'Without one it is complete, as the official suite of conformance has it; the official client is stricter.',
  },
  {
    behaviour: 'a call may be responded to with events that break off and go on',
    transports: overHttp,
    eras: ['modern'],
    ours: [{ error: 'http' }, next],
    oracle: [{ error: 'timeout' }, next],
    reason: SILENCE,
    silent: 'call',
  },
  {
    behaviour: 'an answer that breaks off is not picked up again in the new era, though its events had ids',
    transports: overHttp,
    ours: [{ error: 'http' }, 0],
    oracle: UNCERTAIN,
    reason: 'It asks for the rest, which the new era does not have, and again after a while.',
  },
];

/** How many notifications arrive depends on how fast the next one follows. */
function leaked(behaviour: string): Divergence {
  const note = { method: 'notifications/resources/updated', params: { uri: 'note:///a' } };
  const reason = 'It hands every note on, whether it belongs to a subscription of ours or not.';
  return { behaviour, transports: contexts, ours: [note], oracle: UNCERTAIN, reason };
}
