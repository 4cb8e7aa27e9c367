import type { JsonObject } from '../../../src/base/json.js';
import type { RequestId } from '../../../src/wire/message.js';

const content = [{ type: 'text', text: 'right' }];
/** The modern era requires `resultType`; the legacy era ignores it. */
const good = { resultType: 'complete', content };

function progress(progressToken: unknown, done: number): object {
  return { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: done } };
}

function question(id: RequestId, asked: object): object {
  return { jsonrpc: '2.0', id, result: { resultType: 'input_required', ...asked } };
}

/** Responses that are invalid, or nearly valid: all messages sent for one call. */
export const wrongAnswers = {
  'result null': (id) => [{ jsonrpc: '2.0', id, result: null }],
  'result text': (id) => [{ jsonrpc: '2.0', id, result: 'right' }],
  'result array': (id) => [{ jsonrpc: '2.0', id, result: [good] }],
  'result and error': (id) => [{ jsonrpc: '2.0', id, result: good, error: { code: 1, message: 'wrong' } }],
  'neither result nor error': (id) => [{ jsonrpc: '2.0', id }],
  'error text': (id) => [{ jsonrpc: '2.0', id, error: 'out of paper' }],
  'error without a code': (id) => [{ jsonrpc: '2.0', id, error: { message: 'out of paper' } }],
  'no version': (id) => [{ id, result: good }],
  'version 1.0': (id) => [{ jsonrpc: '1.0', id, result: good }],
  'bare batch': (id) => [[{ jsonrpc: '2.0', id, result: good }]],
  'id as text': (id) => [{ jsonrpc: '2.0', id: String(id), result: good }],
  'content that is no list': (id) => [{ jsonrpc: '2.0', id, result: { ...good, content: 'right' } }],
  'content of an unknown type': (id) => [
    { jsonrpc: '2.0', id, result: { ...good, content: [{ type: 'hologram', data: 1 }, ...content] } },
  ],
  'no resultType': (id) => [{ jsonrpc: '2.0', id, result: { content } }],
  'a resultType of a later revision': (id) => [{ jsonrpc: '2.0', id, result: { ...good, resultType: 'hologram' } }],
  'a resultType that is no text': (id) => [{ jsonrpc: '2.0', id, result: { ...good, resultType: 7 } }],
  'a request of its own first': (id) => [
    { jsonrpc: '2.0', id: 'its own', method: 'ping' },
    { jsonrpc: '2.0', id: 4711, method: 'roots/list' },
    { jsonrpc: '2.0', id, result: good },
  ],
  'a question about nothing': (id) => [question(id, {})],
  'a question that is a list': (id) => [question(id, { inputRequests: [{ method: 'roots/list' }] })],
  'a question without a method': (id) => [question(id, { inputRequests: { one: { params: {} } } })],
  'a question that nobody knows': (id) => [question(id, { inputRequests: { one: { method: 'acme/brew' } } })],
  'a state that is no text': (id) => [question(id, { requestState: { round: 1 } })],
  'a state that is too large': (id) => [question(id, { requestState: 's'.repeat(1_000_001) })],
  'more than asked': (id) => [{ jsonrpc: '2.0', id, result: { ...good, later: 1, _meta: { 'x.y/z': 1 } } }],
  'answers to nobody first': (id) => [
    { jsonrpc: '2.0', id: 999_999_999_999, result: good },
    { jsonrpc: '2.0', id: 'nobody', result: good },
    { jsonrpc: '2.0', id, result: good },
  ],
  'a second answer': (id) => [
    { jsonrpc: '2.0', id, result: good },
    { jsonrpc: '2.0', id, result: { ...good, content: [{ type: 'text', text: 'wrong' }] } },
  ],
  'progress for others, falling, and late': (id, { _meta }) => {
    const { progressToken } = _meta as JsonObject;
    return [
      progress(progressToken, 1),
      progress('nobody', 2),
      progress(progressToken, 3),
      progress(progressToken, 2),
      { jsonrpc: '2.0', id, result: good },
      progress(progressToken, 4),
    ];
  },
} as const satisfies Record<string, (id: RequestId, params: JsonObject) => readonly unknown[]>;

export type WrongAnswer = keyof typeof wrongAnswers;
