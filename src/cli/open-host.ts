import { HostError } from '../base/errors.js';
import { untilAborted } from '../base/until-aborted.js';
import type { LoadedConfig } from '../config/load.js';
import { programEnvironment } from '../config/private-places.js';
import { loadHost } from '../actions/load-host.js';
import { runningServers } from '../actions/running-server.js';
import type { Host } from '../host/host.js';
import type { HostOptions } from '../host/host-options.js';
import { showConnecting } from './connect-progress.js';
import { QuestionDesk } from './dialogs/question-desk.js';
import { withLoginCommand } from '../actions/login-command.js';
import { noteText } from './note-text.js';
import { clockOf, type ProgramClock, signalAfter } from './program-clock.js';
import { openRunControl } from './run-control.js';
import { openDeadline } from './run-deadline.js';
import { showLine } from '../model/show.js';
import type { Run } from './verb.js';

/** The host of one run: closed when it ends, however it ends. */
export interface HostRun {
  readonly host: Host;
  /** Aborts at Ctrl-C, and when --timeout is over. */
  readonly signal: AbortSignal;
  /** What to tell on stderr afterwards. */
  readonly notes: string[];
  /** Where servers have their questions answered. */
  readonly desk: QuestionDesk;
  /** What --timeout ended, told as what it is. */
  readonly explain: (cause: unknown) => unknown;
  /** Waits, and shows how far it is: for all servers, or for what is given. Never rejects. */
  readonly settled: (what?: Promise<unknown>) => Promise<Waited>;
}

/** How waiting for servers has ended. */
export type Waited =
  | { readonly kind: 'settled' }
  | { readonly kind: 'late'; readonly timeoutMs: number }
  | { readonly kind: 'interrupted' };

/** Why nobody waits any longer, for an action; undefined where all of it was waited for. */
export function reasonOf(waited: Waited): HostError | undefined {
  if (waited.kind === 'settled') return undefined;
  if (waited.kind === 'interrupted') return new HostError('cancelled', 'Stopped before it was done');
  const hint = 'Give it more time, or leave --timeout away';
  return new HostError('connect-timeout', `within --timeout ${waited.timeoutMs} ms`, { hint });
}

export interface HostRunOptions extends Run, Pick<HostOptions, 'only' | 'start'> {
  readonly loaded: LoadedConfig;
  /** The run tells what became of each server, so that none of them can end it. */
  readonly isReport?: boolean;
  /** Somebody calls something: a server may ask the person at the terminal about it. */
  readonly mayAsk?: boolean;
}

/** Runs with a host open, and closes it. What --timeout ends is told as what it is. */
export async function withHost<Result>(
  { invocation, io, loaded, only, start, isReport = false, mayAsk = false }: HostRunOptions,
  use: (run: HostRun) => Promise<Result>,
): Promise<Result> {
  using deadline = openDeadline(invocation, io);
  const { signal, timeoutMs, explain } = deadline;
  const { interrupted } = io;
  const clock = clockOf(io);
  const notes: string[] = [];
  try {
    const recording = await io.openRecording?.();
    await using control = openRunControl(invocation, io, notes);
    const { platform } = loaded.context;
    const desk = new QuestionDesk({ io, notes, mayAsk, platform, browserEnv: () => programEnvironment(loaded) });
    const ports = { elicit: desk.elicit.bind(desk), takesSecrets: true, ...(io.clock && { clock: io.clock }) };
    const openHost = await loadHost();
    await using host = openHost(
      loaded,
      {
        ...loaded.context.options,
        watch: false,
        ports,
        ...(io.embedded && { embedded: io.embedded }),
        ...(only && { only }),
        ...(start && { start }),
      },
      {
        control: control.channel,
        tap: recording && ((server, pipe) => recording.tap(server, pipe)),
        timeoutMs,
        areConnectorsKnown: true,
      },
    );
    noteOddities(host, notes);
    const settled = async (what?: Promise<unknown>): Promise<Waited> => {
      using _ = showConnecting(host, { io, invocation, isAsking: () => desk.isOpen });
      const ended = untilEnded(what ?? host.settled());
      if (await untilAborted(ended, signal, () => false)) return { kind: 'settled' };
      if (interrupted?.aborted === true) return { kind: 'interrupted' };
      // Servers whose own time is up at this moment know better what they were waiting for.
      if (await isWithin(ended, GRACE_MS, clock)) return { kind: 'settled' };
      // Those that are late are being ended, which has to be waited for anyhow, and leave what they said.
      const ending = runningServers(host).map((server) => server.decided());
      await isWithin(untilEnded(Promise.all(ending)), CLOSING_MS, clock);
      if (await isWithin(ended, GRACE_MS, clock)) return { kind: 'settled' };
      return { kind: 'late', timeoutMs: timeoutMs! };
    };
    const result = await use({ host, signal, notes, desk, explain, settled });
    if (!isReport) control.check();
    return result;
  } catch (cause) {
    throw withLoginCommand(explain(cause), loaded.servers);
  }
}

async function untilEnded(what: Promise<unknown>): Promise<true> {
  await what.catch(() => {}); // whoever made it hears of it
  return true;
}

/** Whether something ends before so much time has passed. */
async function isWithin(ended: Promise<true>, ms: number, clock: ProgramClock): Promise<boolean> {
  using late = signalAfter(clock, ms);
  return await untilAborted(ended, late.signal, () => false);
}

/** What harms nobody, once of each kind for each server. */
export function noteOddities(host: Host, notes: string[]): void {
  const noted = new Set<string>();
  host.on('note', ({ server, ...note }) => {
    const key = `${note.kind} ${server}`;
    const told = noteText(note);
    if (told === undefined || noted.has(key)) return;
    noted.add(key);
    notes.push(showLine(`warning "${server}" ${told}`));
  });
}

const GRACE_MS = 100;
const CLOSING_MS = 3_000;
