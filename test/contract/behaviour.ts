import type { ConnectOptions } from './clients/contract-client.js';
import type { FixtureOptions } from './servers/fixture-options.js';
import type { Stage } from './stage.js';

/**
 * The transports under test. `http` responds with event streams, `http-json` with plain JSON, which has no room for
 * notifications; `connector` is `http` with an account's token that must be renewed at once. `sse` is HTTP+SSE; `sdk`
 * is control messages to the program that embeds the host.
 */
export const transports = ['in-process', 'stdio', 'http', 'http-json', 'connector', 'sse', 'ws', 'sdk'] as const;
export type Transport = (typeof transports)[number];

/** Milliseconds for whatever must happen: a guard against hanging. */
export const TIMEOUT = 300_000;

/** With a handshake (until 2025-11-25), or without (2026-07-28). */
export const eras = ['legacy', 'modern'] as const;
export type Era = (typeof eras)[number];

/** A server written for these tests, one of the official SDK, and one of the SDK's first generation. */
export const serverNames = ['fixture', 'sdk', 'old-sdk'] as const;
export type ServerName = (typeof serverNames)[number];

/** One combination of server, transport and era. */
export interface Place {
  readonly server: ServerName;
  readonly transport: Transport;
  readonly era: Era;
}

/** What every client must do, over any transport and with any server. */
export interface Behaviour {
  readonly title: string;
  /** Returns what happened, as plain data. */
  readonly run: (stage: Stage) => Promise<unknown>;
  readonly expected: unknown;
  /** Other expectations by transport. */
  readonly expectedOn?: Partial<Record<Transport, unknown>>;
  /** Other expectations by era; they take precedence over those by transport. */
  readonly expectedIn?: Partial<Record<Era, unknown>>;
  /** The servers that can do their part. Default: all. */
  readonly servers?: readonly ServerName[];
  readonly transports?: readonly Transport[];
  /** Default: both. */
  readonly eras?: readonly Era[];
  /** Excluded pairs of server and transport, in one era where one is named. */
  readonly except?: readonly (readonly [ServerName, Transport, Era?])[];
  /** Uses a connection of its own: because it ends the connection, or because server or client need options. */
  readonly own?: OwnConnection;
}

export interface OwnConnection {
  readonly server?: FixtureOptions;
  readonly client?: Partial<ConnectOptions>;
}

/** Whether the combination exists at all. */
export function isPlace({ server, transport, era }: Place): boolean {
  if (transport === 'connector') return server === 'fixture';
  // HTTP+SSE is older than the modern era, and the SDK's second generation no longer serves it.
  if (transport === 'sse') return era === 'legacy' && server !== 'sdk';
  return era === 'legacy' || server !== 'old-sdk';
}

export function isPossible({ servers, transports: contexts, eras: known, except }: Behaviour, place: Place): boolean {
  const { server, transport, era } = place;
  return (
    isPlace(place) &&
    servers?.includes(server) !== false &&
    contexts?.includes(transport) !== false &&
    known?.includes(era) !== false &&
    except?.some(([one, context, when = era]) => one === server && context === transport && when === era) !== true
  );
}

export function expectedOf(
  { expected, expectedOn, expectedIn }: Behaviour,
  { transport, era }: Pick<Place, 'transport' | 'era'>,
): unknown {
  if (expectedIn && era in expectedIn) return expectedIn[era];
  return expectedOn && transport in expectedOn ? expectedOn[transport] : expected;
}

/** Limits behaviours to one era. */
export function only(era: Era, behaviours: readonly Behaviour[]): readonly Behaviour[] {
  return behaviours.map((behaviour) => ({ ...behaviour, eras: [era] }));
}

/** Transports on which a server can send messages besides its responses. */
export const streaming: readonly Transport[] = transports.filter((transport) => transport !== 'http-json');
export const overHttp = ['http', 'http-json', 'connector'] as const satisfies readonly Transport[];
/** Transports whose connection closes when the server goes away. */
export const onOneLine: readonly Transport[] = ['in-process', 'stdio', 'sse', 'ws', 'sdk'];
/** For behaviour that no SDK lets a server show. */
export const byHand: readonly ServerName[] = ['fixture'];

/** An SDK server that responds with plain JSON drops the requests and notifications that it sends during a call. */
export const sdkInJson = [
  ['sdk', 'http-json'],
  ['old-sdk', 'http-json'],
] as const;

/** The same expectation for each of these transports, for `expectedOn`. */
export function onEach(contexts: readonly Transport[], value: unknown): Partial<Record<Transport, unknown>> {
  return Object.fromEntries(contexts.map((transport) => [transport, value]));
}

/** The outcome of a call that returns one text. */
export function said(text: string): object {
  return { ok: { content: [{ type: 'text', text }] } };
}
