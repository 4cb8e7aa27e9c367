import type { ConnectOptions } from './clients/contract-client.js';
import type { FixtureOptions } from './servers/fixture.js';
import type { Stage } from './stage.js';

/** The roads to a server. Over HTTP answers come as events or as plain JSON, which has no room for notes beside them. */
export const transports = ['in-process', 'stdio', 'http', 'http-json'] as const;
export type Transport = (typeof transports)[number];

/** By hand, the official SDK's, and its first generation's. */
export const serverNames = ['fixture', 'sdk', 'old-sdk'] as const;
export type ServerName = (typeof serverNames)[number];

/** One thing that every client has to do, whatever the road and whoever built the server. */
export interface Behaviour {
  readonly title: string;
  /** What happened, as plain data. */
  readonly run: (stage: Stage) => Promise<unknown>;
  readonly expected: unknown;
  /** Where a road makes a difference. */
  readonly expectedOn?: Partial<Record<Transport, unknown>>;
  /** Whose servers can do their part of it; all of them by default. */
  readonly servers?: readonly ServerName[];
  readonly transports?: readonly Transport[];
  /** Pairs of the two that cannot, though each of them can with others. */
  readonly except?: readonly (readonly [ServerName, Transport])[];
  /** A connection of its own: because it ends it, or because of what server or client are told beforehand. */
  readonly own?: OwnConnection;
}

export interface OwnConnection {
  readonly server?: FixtureOptions;
  readonly client?: Partial<ConnectOptions>;
}

export function isPossible(
  { servers, transports: roads, except }: Behaviour,
  server: ServerName,
  transport: Transport,
): boolean {
  return (
    servers?.includes(server) !== false &&
    roads?.includes(transport) !== false &&
    except?.some(([one, road]) => one === server && road === transport) !== true
  );
}

export function expectedOf({ expected, expectedOn }: Behaviour, transport: Transport): unknown {
  return expectedOn && transport in expectedOn ? expectedOn[transport] : expected;
}

/** Everywhere that a server can say something beside its answers. */
export const streaming: readonly Transport[] = ['in-process', 'stdio', 'http'];
export const overHttp: readonly Transport[] = ['http', 'http-json'];
/** For what no SDK would let a server do. */
export const byHand: readonly ServerName[] = ['fixture'];

/** An SDK's server that answers in plain JSON drops whatever it asks or tells about the call meanwhile. */
export const sdkInJson = [
  ['sdk', 'http-json'],
  ['old-sdk', 'http-json'],
] as const;

/** The outcome of a call that gives one text. */
export function said(text: string): object {
  return { ok: { content: [{ type: 'text', text }] } };
}
