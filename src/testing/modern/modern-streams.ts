// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
import {
  answers,
  called,
  type CallOutcome,
  type Connected,
  exactly,
  fails,
  FORGED,
  type Refused,
  refused,
} from '../expectation.js';
import { STATELESS } from '../attacks/good.js';
import { answer, failure } from '../healthy.js';
import type { HttpHandler } from '../http/http-turn.js';
import type { HttpMode } from '../mode.js';
import { endlessLine, forgedAnswers, streamed, streaming } from '../attacks/streaming.js';
import { pour } from '../write.js';
import { modernHttp } from './modern-mode.js';
import { change, discovery, LISTEN, modernResult, modernToolList } from './modern-healthy.js';

const SESSION = { 'Mcp-Session-Id': 'evil' };
const LOST = /answer|stream|closed|ended|broke/iu;
const ONCE = exactly('tools/call attack', 1);

/** What goes wrong in the modern era over HTTP only: streams, and sessions and statuses of the legacy era. */
export const modernStreams: readonly HttpMode[] = [
  attacks(
    'stream-cut',
    'breaks its stream behind an id, to be taken up again',
    fails(LOST),
    streaming(async ({ events, hangUp }) => {
      await events.text('id: 1\nretry: 0\ndata:\n\n');
      hangUp();
    }),
  ),
  attacks(
    'stream-ended',
    'ends its stream behind an id, without an answer',
    fails(LOST),
    streamed(({ events }) => events.text('id: 1\nretry: 10\ndata:\n\n')),
  ),
  attacks(
    'stream-foreign',
    'answers somebody else on the stream of the call',
    fails(LOST),
    streamed(async ({ say }) => {
      await say(answer('another', FORGED));
      await say(change('another'));
    }),
  ),
  attacks(
    'stream-twice',
    'answers twice on the stream of the call',
    answers(),
    streamed(async ({ id, say }) => {
      await say(modernResult(id));
      await say(modernResult(id, FORGED));
    }),
  ),
  attacks('status-404', 'knows no such address, and has no more to say', fails(/404/u), ({ reply }) =>
    reply({ status: 404 }),
  ),
  attacks('status-404-html', 'knows no such page', fails(/404/u), ({ reply }) =>
    reply({ status: 404, headers: { 'Content-Type': 'text/html' }, body: '<script>alert(1)</script>' }),
  ),
  attacks(
    'status-404-session',
    'has forgotten a session that there never was',
    fails(/session|404/iu),
    ({ id, reply }) =>
      reply({
        status: 404,
        headers: { 'Content-Type': 'application/json' },
        body: failure(id, -32001, 'Session not found'),
      }),
  ),
  attacks('status-202', 'takes the call and never answers it', fails(/202|no answer/iu), ({ reply }) =>
    reply({ status: 202 }),
  ),
  attacks('status-400-plain', 'finds the call bad, and does not say why', fails(/400/u), ({ reply }) =>
    reply({ status: 400 }),
  ),
  attacks('version-lie', 'says in its headers that it speaks another version', answers(), ({ id, json }) =>
    json(modernResult(id), { 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Method': 'ping' }),
  ),
  modernHttp('session', 'names a session in every answer', connected(answers()), {
    methods: { 'server/discover': ({ id, json }) => json(discovery(id), SESSION) },
    list: ({ id, json }) => json(modernToolList(id), SESSION),
    attack: ({ id, json }) => json(modernResult(id), SESSION),
  }),
  listens(
    'listen-cut',
    'breaks every stream of changes at once',
    streaming(({ hangUp }) => hangUp()),
  ),
  listens('listen-reset', 'resets every stream of changes', ({ reset }) => reset()),
  listens('listen-hang', 'never begins the stream of changes', () => undefined),
  listens('listen-html', 'gives a web page as the stream of changes', ({ reply }) =>
    reply({ status: 200, headers: { 'Content-Type': 'text/html' }, body: '<script>alert(1)</script>' }),
  ),
  listens('listen-401', 'wants somebody to sign in for the stream of changes', ({ reply }) => reply({ status: 401 })),
  listens('listen-redirect', 'sends the stream of changes to another origin', ({ reply, trap }) =>
    reply({ status: 307, headers: { Location: trap } }),
  ),
  listens('listen-endless-line', 'begins a line on the stream of changes and never ends it', endlessLine),
  listens(
    'listen-comments',
    'floods the stream of changes with comments',
    streaming(({ events }) => pour(events.text, ': still here\n', Infinity)),
  ),
  listens('listen-forged', 'forges answers on the stream of changes', forgedAnswers),
  refusing(
    'discover-401',
    'wants somebody to sign in',
    refused(/401|sign/iu, 'in time', [exactly('initialize', 0)]),
    ({ reply }) => reply({ status: 401 }),
  ),
  refusing(
    'discover-redirect',
    'sends the first question to another origin',
    refused(/redirect|307|version/iu),
    ({ reply, trap }) => reply({ status: 307, headers: { Location: trap } }),
  ),
  refusing(
    'discover-header-huge',
    'answers the first question with 200 KB in one header',
    refused(/header|large|limit|version/iu),
    (turn) => turn.json(discovery(turn.id), { 'X-Huge': 'x'.repeat(200_000) }),
  ),
];

/** Adds what a host of the modern era never does, whatever the server does. */
function connected(call: CallOutcome, more: Partial<Connected> = {}): Connected {
  return called(call, { ...more, counts: [...STATELESS, exactly('initialize', 0), ONCE, ...(more.counts ?? [])] });
}

function attacks(name: string, summary: string, call: CallOutcome, attack: HttpHandler): HttpMode {
  return modernHttp(name, summary, connected(call), { attack });
}

function listens(name: string, summary: string, listen: HttpHandler): HttpMode {
  const expect = connected(answers('in time'), { told: { least: 0, most: 0 } });
  return modernHttp(name, summary, expect, { methods: { [LISTEN]: listen } }, { watches: true });
}

function refusing(name: string, summary: string, expect: Refused, handler: HttpHandler): HttpMode {
  return modernHttp(name, summary, expect, { methods: { 'server/discover': handler } });
}
