// https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization, from the server's side
import type { HttpHandler, HttpHandlers, HttpTurn, Reply } from '../http/http-turn.js';
import { toHead } from '../http/response-head.js';
import { pour } from '../write.js';
import { Grants } from './grants.js';
import { goodReply, type PageName, toJson, toPage } from './pages.js';

/** Where a server that wants a sign-in does otherwise than a good one would. What is absent is done well. */
export interface SignInWrongs {
  /** The header of every refusal. */
  readonly challenge?: (turn: HttpTurn, grants: Grants) => string;
  /** Over what a good server says about itself (RFC 9728). */
  readonly resource?: (turn: HttpTurn, grants: Grants) => object;
  /** Over what a good authorization server says about itself (RFC 8414). */
  readonly issuer?: (turn: HttpTurn, grants: Grants) => object;
  /** Instead of the good page. */
  readonly pages?: Readonly<Partial<Record<PageName, OAuthPage>>>;
  /** `tools/call attack` of somebody who has signed in. */
  readonly attack?: (turn: HttpTurn, grants: Grants) => unknown;
}

/** `good`: what a good server would reply, done and remembered once it is asked for. */
export type OAuthPage = (turn: HttpTurn, good: () => Promise<Reply>, grants: Grants) => unknown;

/**
 * A server that lets nobody in without a token, and the authorization server that gives it, at the same origin. Nobody is asked
 * anything: the page where somebody would agree leads back at once.
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

/** What is said to whoever shows no token that holds. */
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

/** The whole reply, whatever a good server would have said. */
export function always(reply: (turn: HttpTurn) => Reply): OAuthPage {
  return (turn) => turn.reply(reply(turn));
}

/** What a good server says, with this in it. */
export function changed(changes: object): OAuthPage {
  return async (turn, good) => {
    const { status, body } = await good();
    return turn.reply(toJson({ ...(JSON.parse(String(body)) as object), ...changes }, status));
  };
}

/** A document whose last text has 20 MB; `start`: all of it up to there. */
export function hugeText(start: string, status = 200): OAuthPage {
  return async ({ raw }) => {
    const length = start.length + 20_000_000 + '"}'.length;
    await raw(toHead(status, { 'Content-Type': 'application/json', 'Content-Length': String(length) }));
    await raw(start);
    if (await pour(raw, 'x', 20_000_000)) await raw('"}');
  };
}

/** Leads back to where a good server does, with this about it. */
export function leadsBack(change: (back: URL, turn: HttpTurn) => void): OAuthPage {
  return async (turn, good) => {
    const reply = await good();
    const back = new URL(reply.headers?.['Location'] ?? '');
    change(back, turn);
    return turn.reply({ ...reply, headers: { ...reply.headers, Location: back.href } });
  };
}

/** Not at all, until the host gives up. */
export const never: HttpHandler = () => undefined;
