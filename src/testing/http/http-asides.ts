// https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
import { answers, called, exactly, most } from '../expectation.js';
import type { HttpHandler, HttpHandlers } from './http-turn.js';
import { type HttpMode, httpMode } from '../mode.js';

const REFUSED: readonly (readonly [what: string, at: keyof HttpHandlers, summary: string])[] = [
  ['stream', 'get', 'the stream for what it says unasked'],
  ['initialized', 'initialized', 'the notification that it is understood'],
  ['goodbye', 'delete', 'the end of the session'],
];

/** Servers that answer requests but refuse the GET stream, `initialized` or DELETE: their tools must still work. */
export const httpAsides: readonly HttpMode[] = REFUSED.flatMap(([what, at, summary]) =>
  [401, 403].map((status) => refuses(`aside-${what}-${status}`, `answers ${status} to ${summary}`, at, status)),
);

function refuses(name: string, summary: string, at: keyof HttpHandlers, status: number): HttpMode {
  const challenge = status === 401 ? 'Bearer' : 'Bearer error="insufficient_scope", scope="stream"';
  const refuse: HttpHandler = ({ reply }) => reply({ status, headers: { 'WWW-Authenticate': challenge } });
  return httpMode(
    name,
    summary,
    called(answers(), {
      counts: [exactly('initialize', 1), exactly('tools/call attack', 1), most('GET', 2), most('DELETE', 1)],
    }),
    { [at]: refuse },
  );
}
