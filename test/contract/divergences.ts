import { type Behaviour, type Place, said } from './behaviour.js';
import type { Failure } from './clients/contract-client.js';
import { type Divergence, everywhere, overHttp, SILENCE, streaming, UNCERTAIN } from './divergence.js';
import { modernDivergences } from './modern-divergences.js';
import { told } from './behaviours/progress.js';
import type { ReplyName } from './servers/fixture-replies.js';
import type { Text } from './servers/fixture-texts.js';
import type { WrongAnswer } from './servers/fixture-wrongs.js';

/** The oracle's divergence at this place, if there is one. */
export function divergenceOf({ title }: Behaviour, { transport, era }: Place): Divergence | undefined {
  return divergences.find(
    ({ behaviour, transports, eras }) =>
      behaviour === title && transports.includes(transport) && eras?.includes(era) !== false,
  );
}

const next = said('next');
const LOST = 'It does not tell a lost session, which has to be opened again, from any other error.';

export const divergences: readonly Divergence[] = [
  ...modernDivergences,
  {
    behaviour: 'a server that speaks a version that nobody knows is refused',
    transports: everywhere,
    ours: { error: 'unsupported' },
    oracle: { error: 'unknown' },
    reason: 'A plain Error without a code: a host cannot tell a version from any other fault.',
  },
  {
    behaviour: 'a server that dies before it greets is told so',
    transports: ['http'],
    eras: ['legacy'],
    ours: { error: 'http' },
    oracle: { error: 'timeout' },
    reason: SILENCE,
    silent: 'handshake',
  },
  {
    behaviour: 'a server that dies before it greets is told so',
    transports: ['sse'],
    ours: { error: 'closed' },
    oracle: { error: 'timeout' },
    reason: 'It opens the stream once more, on which a server that knows nobody never answers.',
    silent: 'handshake',
  },
  {
    behaviour: 'a server that dies before it greets is told so',
    transports: ['http-json'],
    eras: ['legacy'],
    ours: { error: 'http' },
    oracle: { error: 'unknown' },
    reason: 'A plain TypeError of fetch.',
  },
  {
    behaviour: 'nothing is left of a server that was refused',
    transports: ['stdio'],
    ours: [],
    oracle: UNCERTAIN,
    reason: 'Connecting fails before the process has ended, and nobody can wait for that any more.',
  },
  {
    behaviour: 'one bad tool does not hide the others',
    transports: everywhere,
    ours: { ok: ['one', 'three'] },
    oracle: { error: 'bad-answer' },
    reason: 'One tool with a malformed schema fails the whole list; real servers have such tools.',
  },
  {
    behaviour: 'of two tools with one name the first counts',
    transports: everywhere,
    ours: { ok: ['one'] },
    oracle: { ok: ['one', 'one'] },
    reason: 'A name is what a call says: a second tool of that name can never be called.',
  },
  {
    behaviour: 'a text of 12 megabytes arrives whole',
    transports: ['stdio'],
    ours: [12_000_000, said('still there')],
    oracle: [{ error: 'closed' }, { error: 'unknown' }],
    reason: 'A line of more than 10 MB ends the whole connection.',
  },
  {
    behaviour: 'a text of 17 megabytes fails its call alone',
    transports: ['stdio'],
    ours: [{ error: 'too-large' }, said('still there')],
    oracle: [{ error: 'closed' }, { error: 'unknown' }],
    reason: 'A line of more than 10 MB ends the whole connection.',
  },
  {
    behaviour: 'a text of 17 megabytes fails its call alone',
    transports: [...overHttp, 'sse', 'ws'],
    ours: [{ error: 'too-large' }, said('still there')],
    oracle: [17_000_000, said('still there')],
    reason: 'It takes a body of any size, up to the end of the process; over 16 MB belongs into a file.',
  },
  {
    behaviour: '1000 calls at a time never cross',
    transports: [...overHttp, 'sse'],
    ours: [],
    oracle: UNCERTAIN,
    reason: 'It opens a connection for each of them, which a busy machine may refuse.',
  },
  {
    behaviour: 'arguments that JSON cannot say are not sent',
    transports: everywhere.filter((transport) => transport !== 'in-process'),
    ours: { error: 'usage' },
    oracle: { error: 'unknown' },
    reason: 'A plain TypeError of JSON.stringify.',
  },
  cancelledAsTimeout('whoever cancels a call is free at once, and the server hears of it', said('cancelled')),
  cancelledAsTimeout('an answer that comes after all is dropped, and the connection goes on', next),
  cancelledAsTimeout('a call that is cancelled beforehand is never sent', 1),
  cancelledAsTimeout('cancelling one call leaves the others alone', said('released other')),
  progressLost('progress arrives in order, before the answer', received('a')),
  progressLost('progress reaches the call it is about and no other', [received('a'), received('b'), received('c')]),
  {
    behaviour: 'progress that falls, comes late or is about nothing is left out',
    transports: streaming,
    ours: [[{ progress: 1 }, { progress: 3 }], said('right')],
    oracle: UNCERTAIN,
    reason: 'As above; what is not lost is handed on falling, too, which the specification forbids a server.',
  },
  {
    behaviour: 'a fault in a handler is an error for the server, and not the end',
    transports: everywhere,
    ours: [{ error: { code: -32603, message: 'Internal error' } }, next],
    oracle: [{ error: { code: -32603, message: 'secret path' } }, next],
    reason: 'What went wrong inside a host is not for a server to read.',
  },
  {
    behaviour: 'a change of a resource is told to whoever asked for it, and no other change',
    transports: everywhere,
    ours: [{ method: 'notifications/resources/updated', params: { uri: 'note:///a' } }],
    oracle: UNCERTAIN,
    reason: 'It hands every change on, whether it was asked for or not.',
  },
  ...silent(['result null', 'result text', 'result array', 'result and error', 'neither result nor error']),
  ...silent(['no version', 'version 1.0']),
  ...silent(['error text', 'error without a code'], { error: 'rpc', rpc: { code: -32603, message: 'out of paper' } }),
  {
    behaviour: 'an answer with a fault ends its call at once: bare batch',
    transports: streaming,
    ours: [said('right'), next],
    oracle: [{ error: 'timeout' }, next],
    reason: 'Servers of 2025-03-26 may answer in batches; it takes them over HTTP in JSON only.',
    silent: 'call',
  },
  {
    behaviour: 'an answer with a fault ends its call at once: content of an unknown type',
    transports: everywhere,
    ours: [
      {
        ok: {
          content: [
            { type: 'hologram', data: 1 },
            { type: 'text', text: 'right' },
          ],
        },
      },
      next,
    ],
    oracle: [{ error: 'bad-answer' }, next],
    reason: 'One block of a newer kind must not cost the text beside it.',
  },
  written('its second half missing'),
  written('line breaks within'),
  responded('202 and no answer', { error: 'http' }, { error: 'timeout' }, 'It takes that for a note, and waits.'),
  responded(
    '400 with an error and no id',
    { error: 'rpc', rpc: { code: -32000, message: 'Bad Request: no header' } },
    { error: 'http' },
    'What the server says in the body is only quoted in a text.',
  ),
  {
    ...responded(
      '400 with an error and the id',
      { error: 'rpc', rpc: { code: -32602, message: 'no such cursor' } },
      { error: 'http' },
      'What the server says in the body is only quoted in a text.',
    ),
    eras: ['legacy'],
  },
  ...lost('400 that speaks of a session', { code: -32000, message: 'Bad Request: No valid session ID provided' }),
  ...lost('404 for a session that was', { code: -32001, message: 'Session not found' }),
  responded('200 with nothing', { error: 'http' }, { error: 'unknown' }, 'A plain SyntaxError of JSON.parse.'),
  responded('200 with half of it', { error: 'bad-answer' }, { error: 'unknown' }, 'A plain SyntaxError of JSON.parse.'),
  responded('events that end before it', { error: 'http' }, { error: 'timeout' }, SILENCE),
  {
    behaviour: 'a call after closing fails at once',
    transports: everywhere,
    ours: { error: 'closed' },
    oracle: { error: 'unknown' },
    reason: 'A plain Error without a code.',
  },
  {
    behaviour: 'a server that dies ends its calls at once, and the connection with them',
    transports: ['in-process', 'stdio', 'ws'],
    ours: [{ error: 'closed' }, { error: 'closed' }, []],
    oracle: [{ error: 'closed' }, { error: 'unknown' }, []],
    reason: 'The next call gets a plain Error without a code.',
  },
  {
    behaviour: 'a server that dies ends its calls at once, and the connection with them',
    transports: ['sse'],
    ours: [{ error: 'closed' }, { error: 'closed' }, []],
    oracle: UNCERTAIN,
    reason: 'It opens the stream once more, and never tells that the server knows it no longer.',
  },
  {
    behaviour: 'a server that has forgotten the session is greeted again, and the call is answered',
    transports: overHttp,
    ours: [said('hello'), 1],
    oracle: [{ error: 'http' }, 0],
    reason: LOST,
  },
  {
    behaviour: 'a server that has forgotten the session is greeted once for 50 calls',
    transports: overHttp,
    ours: [new Set([JSON.stringify(said('hello'))]), 1],
    oracle: [new Set([JSON.stringify({ error: 'http' })]), 0],
    reason: LOST,
  },
  {
    behaviour: 'a server that forgets every session is given up after one more',
    transports: overHttp,
    ours: [{ error: 'session-lost' }, 2],
    oracle: [{ error: 'http' }, 1],
    reason: LOST,
  },
  {
    behaviour: 'closing ends the session of the server',
    transports: overHttp,
    ours: 0,
    oracle: 1,
    reason: 'It ends a session only when asked to by another method; servers keep what nobody ends.',
  },
  {
    behaviour: 'a connection that breaks under a call ends that call at once, and the next one is answered',
    transports: ['http'],
    ours: [{ error: 'http' }, next],
    oracle: [{ error: 'timeout' }, next],
    reason: SILENCE,
    silent: 'call',
  },
  {
    behaviour: 'a connection that breaks under a call ends that call at once, and the next one is answered',
    transports: ['http-json'],
    ours: [{ error: 'http' }, next],
    oracle: [{ error: 'unknown' }, next],
    reason: 'A plain TypeError of fetch.',
  },
];

function cancelledAsTimeout(behaviour: string, rest: unknown): Divergence {
  return {
    behaviour,
    transports: everywhere,
    ours: [{ error: 'cancelled' }, rest],
    oracle: [{ error: 'timeout' }, rest],
    reason: 'It gives a cancelled call the code of one that took too long.',
  };
}

function received(label: string): unknown {
  return [told(label), said('done')];
}

function progressLost(behaviour: string, ours: unknown): Divergence {
  return {
    behaviour,
    transports: ['stdio', 'sse', 'ws'],
    ours,
    oracle: UNCERTAIN,
    reason: 'Notes are handed on a moment later than an answer that came with them, when nobody listens any more.',
  };
}

/** Responses that belong to a call and cannot be used. */
function silent(kinds: readonly WrongAnswer[], ours: unknown = { error: 'bad-answer' }): Divergence[] {
  return kinds.flatMap((kind): Divergence[] => {
    const behaviour = `an answer with a fault ends its call at once: ${kind}`;
    return [
      {
        behaviour,
        transports: streaming,
        ours: [ours, next],
        oracle: [{ error: 'timeout' }, next],
        reason: 'The answer is thrown away, and its call waits until the deadline, by default a minute.',
        silent: 'call',
      },
      {
        behaviour,
        transports: ['http-json'],
        ours: [ours, next],
        oracle: [{ error: 'unknown' }, next],
        reason: 'A fault of its parser reaches the caller, without a code and without the words of the server.',
      },
    ];
  });
}

function written(kind: Text): Divergence {
  return {
    behaviour: `a process may write its answer with ${kind}`,
    transports: ['stdio'],
    ours: [{ error: 'bad-answer' }, next],
    oracle: [{ error: 'timeout' }, next],
    reason: 'The line is thrown away, and its call waits until the deadline.',
    silent: 'call',
  };
}

function responded(kind: ReplyName, ours: Failure, oracle: Failure, reason: string): Divergence {
  return {
    behaviour: `a call may be responded to with ${kind}`,
    transports: overHttp,
    ours: [ours, next],
    oracle: [oracle, next],
    reason,
    ...(oracle.error === 'timeout' && { silent: 'call' }),
  };
}

/** The modern era has no sessions, so the response is an error like any other there. */
function lost(kind: ReplyName, rpc: NonNullable<Failure['rpc']>): Divergence[] {
  const quoted = 'What the server says in the body is only quoted in a text.';
  return [
    { ...responded(kind, { error: 'session-lost' }, { error: 'http' }, LOST), eras: ['legacy'] },
    { ...responded(kind, { error: 'rpc', rpc }, { error: 'http' }, quoted), eras: ['modern'] },
  ];
}
