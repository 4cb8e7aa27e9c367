import { HostError } from '../base/errors.js';
import { nameWord } from '../base/shell-word.js';
import type { Connection } from '../connection/connection.js';
import type { Clock } from '../model/clock.js';
import { toConnectorPart, toNamePart } from '../model/names.js';
import { allowListeners } from '../wire/allow-listeners.js';
import { deadline } from '../wire/deadline.js';

export interface UntilToldOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Until servers that nobody has asked yet have told what they have, or will not, but no longer than a call may wait for that:
 * then with the reason. Never rejects.
 */
export function untilTold(
  connections: readonly Connection[],
  { clock, timeoutMs, signal }: UntilToldOptions,
): Promise<HostError | undefined> {
  const names = connections.map(({ name }) => `"${name}"`).join(', ');
  return new Promise((resolve) => {
    const end = (error?: HostError): void => {
      timer[Symbol.dispose]();
      signal?.removeEventListener('abort', cancel);
      resolve(error);
    };
    const cancel = (): void =>
      end(new HostError('cancelled', `A call was cancelled while server ${names} was started`));
    const timer = deadline(clock, timeoutMs, () => {
      const text = `Server ${names} did not tell what it has within the ${timeoutMs} ms that a call may take`;
      end(
        new HostError('call-timeout', text, {
          hint: `See why: plugboard doctor ${connections.map(({ name }) => nameWord(name)).join(' ')}`,
        }),
      );
    });
    if (signal?.aborted === true) return cancel();
    if (signal) allowListeners(signal);
    signal?.addEventListener('abort', cancel);
    return void Promise.all(connections.map((connection) => connection.settled())).then(() => end());
  });
}

/**
 * Until a server has said in this run what it has, where that is only remembered: one that rests is started, one that is away
 * waited for. Why that was not to be had, if so. Never rejects.
 */
export async function untilSaid(
  connection: Connection,
  { kind, ...options }: UntilToldOptions & { readonly kind: 'tools' | 'prompts' },
): Promise<HostError | undefined> {
  const { status, catalog } = connection;
  if (status.kind === 'connected' && catalog.source === 'server' && !catalog.isAwaited(kind)) return undefined;
  const { timeoutMs, signal } = options;
  const came = await connection.carry(() => Promise.resolve(), { isSafe: () => true, timeoutMs, signal });
  return came.outcome === 'ok' ? untilTold([connection], options) : came.error;
}

/** Servers that may have a tool of this name, and of which nothing is known: not started yet, or just connected. */
export function untoldOf(connections: readonly Connection[], tool: string): readonly Connection[] {
  return connections.filter(
    ({ name, status, catalog }) =>
      UNTOLD.has(status.kind) &&
      catalog.source === 'none' &&
      [toNamePart(name), toConnectorPart(name)].some((part) => tool.startsWith(`mcp__${part}__`)),
  );
}

const UNTOLD: ReadonlySet<string> = new Set(['idle', 'pending', 'connected']);
