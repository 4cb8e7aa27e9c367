import { HostError } from '../../src/base/errors.js';
import { callTool } from '../../src/connection/call-tool.js';
import { connect, type Link } from '../../src/connection/connect.js';
import type { EraNote } from '../../src/connection/era-memory.js';
import { listTools } from '../../src/connection/remote-tool.js';
import { systemClock } from '../../src/edge/clock.js';
import { ProcessRegistry } from '../../src/edge/process-registry.js';
import type { Clock } from '../../src/model/clock.js';
import type { ServerConfig } from '../../src/transports/kinds.js';

/** How Plugboard got on with a server: what they agreed on and that its tool works, or why there is nothing to agree on. */
export type Meeting =
  | { readonly era: string; readonly version: string; readonly tools: readonly string[]; readonly said: unknown }
  | { readonly code: string; readonly message: string; readonly hint: string | undefined };

/** All that could be seen of it. */
export interface Seen {
  readonly meeting: Meeting;
  /** What Plugboard told besides, each once. */
  readonly notes: readonly string[];
  /** Methods of notes that the server sent by itself, each once. */
  readonly notifications: readonly string[];
  readonly tookMs: number;
}

export interface MeetOptions {
  readonly clock?: Clock | undefined;
  readonly memory?: EraNote | undefined;
  readonly timeoutMs?: number | undefined;
  /** What else to do with a connection that works. */
  readonly also?: ((connection: Link) => Promise<unknown>) | undefined;
}

const PATIENCE = 20_000;
const SPEED = 10;
const TEXT = 'grüße, 世界 😀';

/** Connects, lists the tools, calls one and leaves. Rejects only with faults of ours. */
export async function meet(
  config: ServerConfig,
  { clock = systemClock, memory, timeoutMs = PATIENCE, also }: MeetOptions = {},
): Promise<Seen> {
  const notes = new Set<string>();
  const notifications = new Set<string>();
  const began = performance.now();
  let tookMs = Infinity;
  let keeping: Promise<void> | undefined;
  const watched: EraNote | undefined = memory && {
    recall: () => memory.recall(),
    keep: (verdict) => (keeping = memory.keep(verdict)),
    forget: () => memory.forget(),
  };
  const toSeen = (meeting: Meeting): Seen => ({
    meeting,
    notes: [...notes],
    notifications: [...notifications],
    tookMs,
  });
  try {
    await using processes = new ProcessRegistry();
    await using connection = await connect({
      config,
      context: {
        name: 'odd',
        clock,
        env: process.env,
        platform: process.platform,
        cwd: process.cwd(),
        processes,
      },
      timeoutMs,
      memory: watched,
      onNote: ({ kind, text }) => notes.add(`${kind}: ${text}`),
      onNotification: (method) => notifications.add(method),
    });
    tookMs = performance.now() - began;
    const { era, version } = connection.session;
    const { tools } = await listTools(connection, { timeoutMs });
    const { content } = await callTool(connection, { tool: 'echo', input: { text: TEXT } }, { timeoutMs });
    await also?.(connection);
    // The next meeting may begin at once, and is to know of this one.
    await keeping;
    const text = content[0]?.['text'];
    return toSeen({ era, version, tools: tools.map(({ name }) => name), said: text === TEXT ? 'the same' : text });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    tookMs = Math.min(tookMs, performance.now() - began);
    return toSeen({ code: error.code, message: error.message, hint: error.hint });
  }
}

/** Everything takes a tenth of the time, so that nobody waits for silence; patience with a slow machine stays as it is. */
export const faster: MeetOptions = {
  clock: {
    monotonic: () => systemClock.monotonic() * SPEED,
    after: (ms, run) => systemClock.after(ms / SPEED, run),
    hold: () => systemClock.hold(),
    soon: (run) => systemClock.soon(run),
  },
  timeoutMs: PATIENCE * SPEED,
};
