import type { RequestId } from '../../../src/wire/message.js';

/** A complete HTTP response. */
export interface Reply {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
  /** What a client gets that resumes the stream after this event. */
  readonly more?: { readonly lastEventId: string; readonly body: string };
}

const events = 'text/event-stream';
const json = 'application/json';

/** Responses to a call that are wrong, or unusual but right. */
export const replies = {
  '202 and no answer': () => ({ status: 202 }),
  '400 with an error and no id': () => ({ status: 400, type: json, body: failure(-32000, 'Bad Request: no header') }),
  '400 with an error and the id': (id) => ({ status: 400, type: json, body: failure(-32602, 'no such cursor', id) }),
  '400 that speaks of a session': () => ({
    status: 400,
    type: json,
    body: failure(-32000, 'Bad Request: No valid session ID provided'),
  }),
  '404 for a session that was': () => ({ status: 404, type: json, body: failure(-32001, 'Session not found') }),
  '401': () => ({ status: 401 }),
  '500 with a text': () => ({ status: 500, type: 'text/plain', body: 'out of memory' }),
  '200 with a page': () => ({ status: 200, type: 'text/html', body: '<h1>Welcome</h1>' }),
  '200 with nothing': () => ({ status: 200, type: json, body: '' }),
  '200 with half of it': (id) => ({ status: 200, type: json, body: good(id).slice(0, 60) }),
  '200 with JSON of its own charset': (id) => ({
    status: 200,
    type: 'Application/JSON; charset=utf-8',
    body: good(id),
  }),
  '200 with a batch': (id) => ({ status: 200, type: json, body: `[${good(id)}]` }),
  'events that end before it': () => ({ status: 200, type: events, body: ': nothing\n\n' }),
  'events in every form there is': (id) => ({
    status: 200,
    type: events,
    body: [
      '\ufeff: a comment\r\r',
      'event: weather\ndata: {"sun":1}\n\n',
      'data\n\n',
      'retry: 10\r\nid: 1\r\n\r\n',
      ...inLines(good(id)),
      'event: message\n',
      'unknown: field\n\n',
      'data: without an end',
    ].join(''),
  }),
  'events that break off and go on': (id) => ({
    status: 200,
    type: events,
    body: 'retry: 10\nid: first\ndata:\n\n',
    more: { lastEventId: 'first', body: `id: second\ndata: ${good(id)}\n\n` },
  }),
} as const satisfies Record<string, (id: RequestId) => Reply>;

export type ReplyName = keyof typeof replies;

function good(id: RequestId): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    result: { resultType: 'complete', content: [{ type: 'text', text: 'right' }] },
  });
}

function failure(code: number, message: string, id: RequestId | null = null): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

/** Event data split into many lines. */
function inLines(text: string): string[] {
  return JSON.stringify(JSON.parse(text), null, 1)
    .split('\n')
    .map((line) => `data:${line}\n`);
}
