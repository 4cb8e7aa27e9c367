import type { Waited } from '../../actions/action-context.js';
import type { LoadedConfig } from '../../actions/action-place.js';
import { hostOpener, openPage, untilDecided } from '../../actions/open-host.js';
import type { Host, HostOptions } from '../../index.js';
import { within } from '../../base/within.js';
import { showConnecting } from '../output/connect-progress.js';
import { openDialog } from '../dialogs/open-dialog.js';
import { ElicitationDialogs } from '../dialogs/elicitation-dialogs.js';
import { withDynamicHint } from '../../actions/servers/dynamic-hint.js';
import { noteText } from '../output/note-text.js';
import { clockOf, type ProgramClock } from './program-clock.js';
import { openRunControl } from './run-control.js';
import { openDeadline } from './run-deadline.js';
import { showLine } from '../../model/show.js';
import type { ProgramRun } from '../verb.js';

/** The host of one run; closed when the run ends, in whatever way. */
export interface HostRun {
  readonly host: Host;
  /** Aborts on Ctrl-C or after --timeout. */
  readonly signal: AbortSignal;
  /** Lines for stderr at the end of the run. */
  readonly notes: string[];
  /** Where the user answers the elicitations of servers. */
  readonly dialogs: ElicitationDialogs;
  /** Turns an error that --timeout caused into a timeout error. */
  readonly explain: (cause: unknown) => unknown;
  /** Waits with a progress display: for all servers, or for `what`. Never rejects. */
  readonly settled: (what?: Promise<unknown>) => Promise<Waited>;
}

export type { Waited };

export interface HostRunOptions extends ProgramRun, Pick<HostOptions, 'only' | 'start'> {
  readonly loaded: LoadedConfig;
  /** The run reports on each server, so that no single server can fail it. */
  readonly isReport?: boolean;
  /** Whether servers may ask the user: true where the user makes a call. */
  readonly mayAsk?: boolean;
}

/** Runs `use` with an open host and closes it. An abort by --timeout becomes a timeout error. */
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
    const dialogs = new ElicitationDialogs({
      io,
      notes,
      mayAsk,
      open: (url) => openPage(loaded, url),
      openDialog: () => openDialog({ io, invocation }),
    });
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
    const warnings = reportWarnings(host, notes);
    host.on('server', ({ name, after }) => {
      // The failure quotes what the server printed.
      if (after === 'failed') warnings.withdraw('noise', name);
    });
    const settled = async (what?: Promise<unknown>): Promise<Waited> => {
      using _ = showConnecting(host, { io, invocation, isAsking: () => dialogs.isOpen });
      const ended = untilEnded(what ?? host.settled());
      if (await within(ended, { signal, instead: () => false })) return { kind: 'settled' };
      if (interrupted?.aborted === true) return { kind: 'interrupted' };
      // Servers that reach their own timeout now have a more precise error.
      if (await isWithin(ended, GRACE_MS, clock)) return { kind: 'settled' };
      // Late servers are being closed, which is waited for anyway, and report what they wrote to stderr.
      await isWithin(untilEnded(untilDecided(host)), CLOSING_MS, clock);
      if (await isWithin(ended, GRACE_MS, clock)) return { kind: 'settled' };
      return { kind: 'timed-out', timeoutMs: timeoutMs! };
    };
    const result = await use({ host, signal, notes, dialogs, explain, settled });
    if (!isReport) control.check();
    return result;
  } catch (cause) {
    throw withDynamicHint(explain(cause), loaded.servers);
  }
}

async function untilEnded(what: Promise<unknown>): Promise<true> {
  await what.catch(() => {}); // the caller gets the rejection
  return true;
}

/** Whether a promise settles within `ms`. */
function isWithin(ended: Promise<true>, ms: number, clock: ProgramClock): Promise<boolean> {
  return within(ended, { deadline: (expire) => clock.after(ms, expire), instead: () => false });
}

/** Notes harmless oddities of servers, once for each kind and server. */
export function reportWarnings(
  host: Host,
  notes: string[],
): { readonly withdraw: (kind: string, server: string) => void } {
  const noted = new Map<string, string>();
  host.on('note', ({ server, ...note }) => {
    const key = `${note.kind} ${server}`;
    const told = noteText(note);
    if (told === undefined || noted.has(key)) return;
    const line = showLine(`warning: "${server}" ${told}`);
    noted.set(key, line);
    notes.push(line);
  });
  return {
    withdraw(kind, server) {
      const at = notes.indexOf(noted.get(`${kind} ${server}`) ?? '');
      if (at !== -1) notes.splice(at, 1);
    },
  };
}

const GRACE_MS = 100;
const CLOSING_MS = 3_000;
