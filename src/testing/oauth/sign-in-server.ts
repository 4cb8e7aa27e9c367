// https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization, from the server's side
import type { HttpHandler, HttpHandlers, HttpTurn, Reply } from '../http/http-turn.js';
import { toHead } from '../http/response-head.js';
import { pour } from '../write.js';
import { Grants } from './grants.js';
import { goodReply, type PageName, toJson, toPage } from './pages.js';

/** Where a server that wants a sign-in differs from a healthy one. What is absent works correctly. */
export interface SignInWrongs {
  /** The WWW-Authenticate header of every 401. */
  readonly challenge?: (turn: HttpTurn, grants: Grants) => string;
  /** Replaces fields of the protected resource metadata (RFC 9728). */
  readonly resource?: (turn: HttpTurn, grants: Grants) => object;
  /** Replaces fields of the authorization server metadata (RFC 8414). */
  readonly issuer?: (turn: HttpTurn, grants: Grants) => object;
  /** Handlers that replace healthy endpoints. */
  readonly pages?: Readonly<Partial<Record<PageName, OAuthPage>>>;
  /** Answers `tools/call attack`, once the host has signed in. */
  readonly attack?: (turn: HttpTurn, grants: Grants) => unknown;
}

/** `good` makes the reply of a healthy server, and only then has its effects: tokens issued, codes spent. */
export type OAuthPage = (turn: HttpTurn, good: () => Promise<Reply>, grants: Grants) => unknown;

/**
 * A server that refuses requests without a valid token, and its authorization server, at the same origin. It needs no
 * user: the authorization page redirects back at once.
 */
export function wantsSignIn(wrongs: SignInWrongs = {}): HttpHandlers {
  const grants = new Grants();
  const { attack } = wrongs;
  return {
    admit: (turn) => refusalOf(turn, grants, wrongs),
    elsewhere: (turn) => visit(turn, grants, wrongs),
    ...(attack && { attack: (turn) => attack(turn, grants) }),
  };
}

/** The reply to a request without a valid token. */
export function unauthorized(turn: HttpTurn, grants: Grants, wrongs: SignInWrongs = {}): Reply {
  const challenge = wrongs.challenge?.(turn, grants) ?? challengeOf(turn);
  return { status: 401, headers: { 'WWW-Authenticate': challenge } };
}

function refusalOf(turn: HttpTurn, grants: Grants, wrongs: SignInWrongs): Reply | undefined {
  const [scheme = '', token = ''] = (turn.incoming.headers['authorization'] ?? '').split(' ');
  if (scheme.toLowerCase() === 'bearer' && grants.admits(token)) return undefined;
  turn.count(token === '' ? 'without a token' : 'with a bad token');
  return unauthorized(turn, grants, wrongs);
}

function challengeOf({ url, incoming }: HttpTurn): string {
  const where = `Bearer resource_metadata="${new URL(url).origin}/.well-known/oauth-protected-resource/mcp"`;
  return incoming.headers['authorization'] === undefined ? where : `${where}, error="invalid_token"`;
}

const visit = async (turn: HttpTurn, grants: Grants, wrongs: SignInWrongs): Promise<unknown> => {
  const page = toPage(turn);
  if (page === undefined) return turn.reply({ status: 404 });
  turn.count(page.counted);
  const changes = page.name === 'resource' || page.name === 'issuer' ? wrongs[page.name]?.(turn, grants) : undefined;
  const good = (): Promise<Reply> => goodReply(page, turn, grants, changes);
  const wrong = wrongs.pages?.[page.name];
  return wrong ? wrong(turn, good, grants) : turn.reply(await good());
};

/** Replies with `reply`, whatever a healthy server would reply. */
export function always(reply: (turn: HttpTurn) => Reply): OAuthPage {
  return (turn) => turn.reply(reply(turn));
}

/** The reply of a healthy server, with `changes` to its JSON. */
export function changed(changes: object): OAuthPage {
  return async (turn, good) => {
    const { status, body } = await good();
    return turn.reply(toJson({ ...(JSON.parse(String(body)) as object), ...changes }, status));
  };
}

/** A JSON document whose last string has 20 MB; `start`: the document up to that string. */
export function hugeText(start: string, status = 200): OAuthPage {
  return async ({ raw }) => {
    const length = start.length + 20_000_000 + '"}'.length;
    await raw(toHead(status, { 'Content-Type': 'application/json', 'Content-Length': String(length) }));
    await raw(start);
    if (await pour(raw, 'x', 20_000_000)) await raw('"}');
  };
}

/** Redirects where a healthy server does, after `change` has modified the address. */
export function leadsBack(change: (back: URL, turn: HttpTurn) => void): OAuthPage {
  return async (turn, good) => {
    const reply = await good();
    const back = new URL(reply.headers?.['Location'] ?? '');
    change(back, turn);
    return turn.reply({ ...reply, headers: { ...reply.headers, Location: back.href } });
  };
}

/** Never replies: the host has to give up. */
export const never: HttpHandler = () => undefined;
