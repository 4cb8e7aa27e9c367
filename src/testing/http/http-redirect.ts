import { answers, called, type Connected, fails, most, refused } from '../expectation.js';
import { answer } from '../healthy.js';
import type { HttpTurn } from './http-turn.js';
import { httpAttack, type HttpMode, httpMode } from '../mode.js';

const REDIRECTED = /redirect|30[1278]|origin/iu;
/** The most requests for one call: the first one, and five redirects. */
const HOPS = most('tools/call attack', 6);

/** Redirects. A host follows a few within the origin; neither the token nor the call goes to another origin. */
export const httpRedirect: readonly HttpMode[] = [
  ...[301, 302, 307, 308].map((status) =>
    redirects(`redirect-cross-${status}`, `sends the call to another origin with ${status}`, ({ trap }) => trap, {
      status,
    }),
  ),
  redirects('redirect-cross-host', 'sends the call to another name of this machine', ({ url }) =>
    url.replace('127.0.0.1', 'localhost'),
  ),
  redirects('redirect-relative-evil', 'sends the call to another origin, without a scheme', ({ trap }) =>
    trap.replace('http:', ''),
  ),
  redirects('redirect-userinfo', 'sends the call to itself, with a name and a password', ({ url }) =>
    url.replace('http://', 'http://user:pass@'),
  ),
  redirects('redirect-file', 'sends the call to a file', () => 'file:///etc/passwd'),
  redirects('redirect-nonsense', 'sends the call to what is no address', () => 'http://[::1:x/'),
  redirects('redirect-loop', 'sends the call to itself for ever', ({ url }) => url, { counts: [HOPS] }),
  redirects(
    'redirect-chain',
    'sends the call to a new path of its own, for ever',
    ({ incoming }) => `${incoming.path}x`,
    { counts: [HOPS] },
  ),
  httpAttack('redirect-no-location', 'sends the call elsewhere and does not say where', called(stops()), ({ reply }) =>
    reply({ status: 307 }),
  ),
  httpAttack(
    'redirect-same-origin',
    'sends the call to another path of its own, once (legal)',
    called(answers(), { counts: [most('tools/call attack', 2)] }),
    ({ id, incoming, reply, json }) =>
      incoming.path === '/mcp' ? reply({ status: 307, headers: { Location: '/mcp/moved' } }) : json(answer(id)),
  ),
  httpMode('redirect-connect', 'sends whoever connects to another origin', refused(REDIRECTED, 'in time'), {
    post: ({ reply, trap }) => reply({ status: 307, headers: { Location: trap } }),
  }),
  httpMode('redirect-get', 'sends the stream for notifications to another origin', called(answers()), {
    get: ({ reply, trap }) => reply({ status: 302, headers: { Location: trap } }),
  }),
  httpMode('redirect-delete', 'sends the end of the session to another origin', called(answers()), {
    delete: ({ reply, trap }) => reply({ status: 308, headers: { Location: trap } }),
  }),
];

function stops(): Connected['call'] {
  return fails(REDIRECTED);
}

function redirects(
  name: string,
  summary: string,
  to: (turn: HttpTurn) => string,
  { status = 307, counts = [] }: { readonly status?: number; readonly counts?: Connected['counts'] } = {},
): HttpMode {
  return httpAttack(name, summary, called(stops(), { counts }), (turn) =>
    turn.reply({ status, headers: { Location: to(turn) } }),
  );
}
