import { type Behaviour, byHand, overHttp, TIMEOUT, said, streaming } from '../behaviour.js';
import type { ReplyName } from '../servers/fixture-replies.js';
import type { Text } from '../servers/fixture-texts.js';
import type { WrongAnswer } from '../servers/fixture-wrongs.js';

const bad = { error: 'bad-answer' };
const http = { error: 'http' };

/** A wrong response fails its call at once, and the next call is answered. */
export const malformed: readonly Behaviour[] = [
  wrong('result null', bad),
  wrong('result text', bad),
  wrong('result array', bad),
  wrong('result and error', bad),
  wrong('neither result nor error', bad),
  wrong('error text', { error: 'rpc', rpc: { code: -32603, message: 'out of paper' } }),
  wrong('error without a code', { error: 'rpc', rpc: { code: -32603, message: 'out of paper' } }),
  wrong('no version', bad),
  wrong('version 1.0', bad),
  wrong('bare batch', said('right')),
  wrong('id as text', said('right')),
  wrong('content that is no list', bad),
  wrong('content of an unknown type', {
    ok: {
      content: [
        { type: 'hologram', data: 1 },
        { type: 'text', text: 'right' },
      ],
    },
  }),
  wrong('more than asked', said('right')),
  wrong('no resultType', said('right')),
  inModern(wrong('a resultType of a later revision', said('right')), bad),
  inModern(wrong('a resultType that is no text', said('right')), bad),
  // A control message carries exactly one response: the right one.
  { ...wrong('answers to nobody first', said('right')), transports: streaming.filter((one) => one !== 'sdk') },
  { ...wrong('a second answer', said('right')), transports: streaming },
  line('words before it', said('right')),
  line('blank lines before it', said('right')),
  line('JSON before it that is no message', said('right')),
  line('a log before it that is not quite JSON', said('right')),
  line('a carriage return behind it', said('right')),
  line('a byte at a time', said('right')),
  line('the next note in the same piece', said('right')),
  line('bytes that are no text', said('ri\ufffd\ufffdght')),
  line('its second half missing', bad),
  line('line breaks within', bad),
  response('202 and no answer', http),
  response('400 with an error and no id', { error: 'rpc', rpc: { code: -32000, message: 'Bad Request: no header' } }),
  response('400 with an error and the id', { error: 'rpc', rpc: { code: -32602, message: 'no such cursor' } }),
  inModern(response('400 that speaks of a session', { error: 'session-lost' }), {
    error: 'rpc',
    rpc: { code: -32000, message: 'Bad Request: No valid session ID provided' },
  }),
  inModern(response('404 for a session that was', { error: 'session-lost' }), {
    error: 'rpc',
    rpc: { code: -32001, message: 'Session not found' },
  }),
  response('401', { error: 'unauthorized' }),
  response('500 with a text', http),
  response('200 with a page', http),
  response('200 with nothing', http),
  response('200 with half of it', bad),
  response('200 with JSON of its own charset', said('right')),
  response('200 with a batch', said('right')),
  response('events that end before it', http),
  response('events in every form there is', said('right')),
  // The modern era has no way to resume a stream.
  inModern(response('events that break off and go on', said('right')), http),
  {
    title: 'an answer that breaks off is not picked up again in the new era, though its events had ids',
    eras: ['modern'],
    servers: byHand,
    transports: overHttp,
    run: async (stage) => {
      const outcome = await stage.call('respond', { kind: 'events that break off and go on' });
      await stage.call('echo', { text: 'next' }, { timeoutMs: TIMEOUT });
      return [outcome, stage.http!.log.filter(({ method }) => method !== 'POST').length];
    },
    expected: [http, 0],
  },
];

/** The outcome of the call in the modern era. */
function inModern(behaviour: Behaviour, outcome: unknown): Behaviour {
  return { ...behaviour, expectedIn: { modern: [outcome, said('next')] } };
}

function wrong(kind: WrongAnswer, expected: unknown): Behaviour {
  return odd(`an answer with a fault ends its call at once: ${kind}`, ['wrong', kind], expected);
}

function line(kind: Text, expected: unknown): Behaviour {
  return { ...odd(`a process may write its answer with ${kind}`, ['write', kind], expected), transports: ['stdio'] };
}

function response(kind: ReplyName, expected: unknown): Behaviour {
  return { ...odd(`a call may be responded to with ${kind}`, ['respond', kind], expected), transports: overHttp };
}

export function odd(title: string, [name, kind]: readonly [string, string], expected: unknown): Behaviour {
  return {
    title,
    servers: byHand,
    run: async (stage) => [
      await stage.call(name, { kind }),
      await stage.call('echo', { text: 'next' }, { timeoutMs: TIMEOUT }),
    ],
    expected: [expected, said('next')],
  };
}
