import type { LoadedConfig, Waited } from '../../actions/action-place.js';
import { hostOpener, openPage, untilDecided } from '../../actions/open-host.js';
import type { Host, HostOptions } from '../../index.js';
import { within } from '../../base/within.js';
import { showConnecting } from '../output/connect-progress.js';
import { ElicitationDialogs } from '../dialogs/elicitation-dialogs.js';
import { withLoginCommand } from '../../actions/servers/login-command.js';
import { noteText } from '../output/note-text.js';
import { clockOf, type ProgramClock } from './program-clock.js';
import { openRunControl } from './run-control.js';
import { openDeadline } from './run-deadline.js';
import { showLine } from '../../model/show.js';
import type { ProgramRun } from '../verb.js';

/** The host of one run: closed when it ends, however it ends. */
export interface HostRun {
  readonly host: Host;
  /** Aborts at Ctrl-C, and when --timeout is over. */
  readonly signal: AbortSignal;
  /** What to tell on stderr afterwards. */
  readonly notes: string[];
  /** Where servers have their questions answered. */
  readonly dialogs: ElicitationDialogs;
  /** What --timeout ended, told as what it is. */
  readonly explain: (cause: unknown) => unknown;
  /** Waits, and shows how far it is: for all servers, or for what is given. Never rejects. */
  readonly settled: (what?: Promise<unknown>) => Promise<Waited>;
}

export type { Waited };

export interface HostRunOptions extends ProgramRun, Pick<HostOptions, 'only' | 'start'> {
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
    await using control = await openRunControl(invocation, io, notes);
    const dialogs = new ElicitationDialogs({ io, notes, mayAsk, open: (url) => openPage(loaded, url) });
    const ports = { elicit: dialogs.elicit.bind(dialogs), takesSecrets: true, ...(io.clock && { clock: io.clock }) };
    const open = await hostOpener(loaded);
    await using host = open(
      {
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
    reportWarnings(host, notes);
    const settled = async (what?: Promise<unknown>): Promise<Waited> => {
      using _ = showConnecting(host, { io, invocation, isAsking: () => dialogs.isOpen });
      const ended = untilEnded(what ?? host.settled());
      if (await within(ended, { signal, instead: () => false })) return { kind: 'settled' };
      if (interrupted?.aborted === true) return { kind: 'interrupted' };
      // Servers whose own time is up at this moment know better what they were waiting for.
      if (await isWithin(ended, GRACE_MS, clock)) return { kind: 'settled' };
      // Those that are late are being ended, which has to be waited for anyhow, and leave what they said.
      await isWithin(untilEnded(untilDecided(host)), CLOSING_MS, clock);
      if (await isWithin(ended, GRACE_MS, clock)) return { kind: 'settled' };
      return { kind: 'late', timeoutMs: timeoutMs! };
    };
    const result = await use({ host, signal, notes, dialogs, explain, settled });
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
function isWithin(ended: Promise<true>, ms: number, clock: ProgramClock): Promise<boolean> {
  return within(ended, { deadline: (expire) => clock.after(ms, expire), instead: () => false });
}

/** What harms nobody, once of each kind for each server. */
export function reportWarnings(host: Host, notes: string[]): void {
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
