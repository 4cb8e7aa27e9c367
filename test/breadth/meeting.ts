import { HostError } from '../../src/base/errors.js';
import { callTool } from '../../src/connection/requests/call-tool.js';
import { connect, type Connection } from '../../src/connection/connect.js';
import type { CachedEra } from '../../src/connection/era-cache.js';
import { listTools } from '../../src/connection/catalog/tool-definition.js';
import { ProcessRegistry } from '../../src/edge/processes/process-registry.js';
import type { ServerConfig } from '../../src/transports/kinds.js';
import { HeldClock } from '../held-clock.js';

/** How `meet` ended: the negotiated version, the tools and the echoed text, or the error. */
export type Meeting =
  | { readonly era: string; readonly version: string; readonly tools: readonly string[]; readonly said: unknown }
  | { readonly code: string; readonly message: string; readonly hint: string | undefined };

/** What `meet` observed. */
export interface Seen {
  readonly meeting: Meeting;
  /** Plugboard's own notes about the connection, each once. */
  readonly notes: readonly string[];
  /** Methods of the server's notifications, each once. */
  readonly notifications: readonly string[];
}

export interface MeetOptions {
  /** How often the test's clock lets the 5 s of silence run out. Default: 0, no server counts as silent. */
  readonly silences?: number | undefined;
  readonly memory?: CachedEra | undefined;
  readonly timeoutMs?: number | undefined;
  /** Runs on the open connection before it closes. */
  readonly also?: ((connection: Connection) => Promise<unknown>) | undefined;
}

const TIMEOUT = 300_000; // a guard against hanging: no test takes this long
/** How long the connection waits for a response to `server/discover` before it sends `initialize` as well. */
const SILENCE_MS = 5_000;
const TEXT = 'grüße, 世界 😀';

/** Connects, lists the tools, calls `echo` and disconnects. Rejects only on errors other than `HostError`. */
export async function meet(
  config: ServerConfig,
  { silences = 0, memory, timeoutMs = TIMEOUT, also }: MeetOptions = {},
): Promise<Seen> {
  const notes = new Set<string>();
  const notifications = new Set<string>();
  // On this clock a server that starts slowly is not taken for silent, however slow the machine is.
  const clock = new HeldClock(SILENCE_MS);
  void passSilences(clock, silences);
  let keeping: Promise<void> | undefined;
  const watched: CachedEra | undefined = memory && {
    get: () => memory.get(),
    set: (verdict) => (keeping = memory.set(verdict)),
    delete: () => memory.delete(),
  };
  const toSeen = (meeting: Meeting): Seen => ({
    meeting,
    notes: [...notes],
    notifications: [...notifications],
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
      cachedEra: watched,
      onWarning: ({ kind, text }) => notes.add(`${kind}: ${text}`),
      onNotification: (method) => notifications.add(method),
    });
    const { era, version } = connection.session;
    const { tools } = await listTools(connection, { timeoutMs });
    const { content } = await callTool(connection, { tool: 'echo', input: { text: TEXT } }, { timeoutMs });
    await also?.(connection);
    // The next `meet` may begin at once and must find the era cached.
    await keeping;
    const text = content[0]?.['text'];
    return toSeen({ era, version, tools: tools.map(({ name }) => name), said: text === TEXT ? 'the same' : text });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return toSeen({ code: error.code, message: error.message, hint: error.hint });
  }
}

async function passSilences(clock: HeldClock, count: number): Promise<void> {
  for (let passed = 0; passed < count; passed++) await clock.lapse(SILENCE_MS);
}
