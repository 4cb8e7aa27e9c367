import type { ConnectOptions } from './clients/contract-client.js';
import type { FixtureOptions } from './servers/fixture-options.js';
import type { Stage } from './stage.js';

/**
 * The roads to a server. Over Streamable HTTP answers come as events or as plain JSON, which has no room for notes beside
 * them; `connector` is the same by way of an account's proxy, with a token that has to be renewed at once. `sse` is HTTP+SSE,
 * and `sdk` are control messages to the program that embeds the host.
 */
export const transports = ['in-process', 'stdio', 'http', 'http-json', 'connector', 'sse', 'ws', 'sdk'] as const;
export type Transport = (typeof transports)[number];

/** How many milliseconds something has that has to come: a guard against hanging. */
export const TIMEOUT = 300_000;

/** With a handshake (until 2025-11-25), or without (2026-07-28). */
export const eras = ['legacy', 'modern'] as const;
export type Era = (typeof eras)[number];

/** By hand, the official SDK's, and its first generation's. */
export const serverNames = ['fixture', 'sdk', 'old-sdk'] as const;
export type ServerName = (typeof serverNames)[number];

/** Where a client meets a server. */
export interface Place {
  readonly server: ServerName;
  readonly transport: Transport;
  readonly era: Era;
}

/** One thing that every client has to do, whatever the road and whoever built the server. */
export interface Behaviour {
  readonly title: string;
  /** What happened, as plain data. */
  readonly run: (stage: Stage) => Promise<unknown>;
  readonly expected: unknown;
  /** Where a road makes a difference. */
  readonly expectedOn?: Partial<Record<Transport, unknown>>;
  /** Where an era does; it counts for more than the road. */
  readonly expectedIn?: Partial<Record<Era, unknown>>;
  /** Whose servers can do their part of it; all of them by default. */
  readonly servers?: readonly ServerName[];
  readonly transports?: readonly Transport[];
  /** Both by default. */
  readonly eras?: readonly Era[];
  /** Pairs of server and road that cannot, though each of them can with others; of one era where one is named. */
  readonly except?: readonly (readonly [ServerName, Transport, Era?])[];
  /** A connection of its own: because it ends it, or because of what server or client are told beforehand. */
  readonly own?: OwnConnection;
}

export interface OwnConnection {
  readonly server?: FixtureOptions;
  readonly client?: Partial<ConnectOptions>;
}

/** Whether there is such a place at all. */
export function isPlace({ server, transport, era }: Place): boolean {
  if (transport === 'connector') return server === 'fixture';
  // HTTP+SSE is older than the new era, and the SDK's second generation serves it no more.
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

/** What there is in one era only. */
export function only(era: Era, behaviours: readonly Behaviour[]): readonly Behaviour[] {
  return behaviours.map((behaviour) => ({ ...behaviour, eras: [era] }));
}

/** Everywhere that a server can say something beside its answers. */
export const streaming: readonly Transport[] = transports.filter((transport) => transport !== 'http-json');
export const overHttp = ['http', 'http-json', 'connector'] as const satisfies readonly Transport[];
/** Where a server that goes takes the connection with it. */
export const onOneLine: readonly Transport[] = ['in-process', 'stdio', 'sse', 'ws', 'sdk'];
/** For what no SDK would let a server do. */
export const byHand: readonly ServerName[] = ['fixture'];

/** An SDK's server that answers in plain JSON drops whatever it asks or tells about the call meanwhile. */
export const sdkInJson = [
  ['sdk', 'http-json'],
  ['old-sdk', 'http-json'],
] as const;

/** The same on each of these roads, for `expectedOn`. */
export function onEach(contexts: readonly Transport[], value: unknown): Partial<Record<Transport, unknown>> {
  return Object.fromEntries(contexts.map((transport) => [transport, value]));
}

/** The outcome of a call that gives one text. */
export function said(text: string): object {
  return { ok: { content: [{ type: 'text', text }] } };
}
