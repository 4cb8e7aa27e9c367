import type { LoadedConfig } from '../../actions/action-place.js';
import { hostOpener, untilKnown as untilToolsKnown } from '../../actions/open-host.js';
import type { HookCallback, Host, HostOptions, Ports } from '../../index.js';
import { within } from '../../base/within.js';
import { keepHttpParserSmall } from '../http-parser.js';
import { type ModelPort, Session, type SessionEvent } from '../../session/index.js';
import { decliner } from '../dialogs/decline.js';
import type { Io } from '../io.js';
import { reportWarnings } from '../start/open-host.js';
import { clockOf } from '../start/program-clock.js';
import type { RunControl } from '../start/run-control.js';
import type { RunDeadline } from '../start/run-deadline.js';
import type { SessionFlags } from '../input/session-flags.js';
import { environmentOf } from '../surroundings.js';
import { showLine } from '../../model/show.js';
import type { KeptSession } from '../session/resume/open-kept-session.js';

export interface PromptSessionOptions {
  readonly io: Io;
  readonly loaded: LoadedConfig;
  readonly flags: SessionFlags;
  readonly model: ModelPort;
  readonly control: RunControl;
  readonly deadline: RunDeadline;
  /** Who decides about calls and answers servers in place of the user; without it calls are denied, servers declined. */
  readonly ports: Pick<Partial<Ports>, 'ask' | 'elicit'>;
  /** Hooks of the program that drives this one. */
  readonly hookCallbacks?: readonly HookCallback[];
  /** Lines for stderr at the end of the run. */
  readonly notes: string[];
  /** Whether edits of configuration files take effect during the session. */
  readonly watches: boolean;
  /** The session that goes on, or is new, and its file. The caller disposes of it after the session. */
  readonly kept: KeptSession;
  /** Contract: must not throw. */
  readonly onEvent: (event: SessionEvent) => void;
}

/** Opens a session without a user: elicitations are declined, and no permission question reaches a terminal. */
export async function openPromptSession(options: PromptSessionOptions): Promise<Session> {
  const {
    io,
    loaded,
    flags,
    model,
    control,
    deadline,
    ports: given,
    hookCallbacks = [],
    notes,
    watches,
    kept,
    onEvent,
  } = options;
  keepHttpParserSmall();
  const recording = await io.openRecording?.();
  const decline = decliner(notes, 'with -p it never asks you');
  const ports: HostOptions['ports'] = {
    elicit: async (question) => decline(question),
    ...given,
    ...(io.clock && { clock: io.clock }),
  };
  const open = await hostOpener(loaded);
  const session = new Session({
    ...kept.options,
    openHost: (more) =>
      open(
        {
          ...more,
          watch: watches,
          ports: { ...ports, ...more.ports },
          ...(io.embedded && { embedded: io.embedded }),
          ...(hookCallbacks.length > 0 && { hookCallbacks }),
        },
        {
          control: control.channel,
          tap: recording && ((server, pipe) => recording.tap(server, pipe)),
          timeoutMs: deadline.timeoutMs,
        },
      ),
    model,
    agents: flags.agents,
    instructions: flags.systemPrompt,
    surroundings: environmentOf(loaded.context, io, flags),
    maxTurns: flags.maxTurns,
    onEvent,
  });
  reportWarnings(session.host, notes);
  session.host.on('problem', ({ message }) => {
    const note = showLine(`warning: ${message}`);
    if (notes.length < NOTES && !notes.includes(note)) notes.push(note);
  });
  return session;
}

const NOTES = 100;

/**
 * Waits for the tools of servers that no earlier run has cached, at most MCP_CONNECT_TIMEOUT_MS, 5 s by default: a
 * model also works with servers that it learns of later. Never rejects.
 */
export async function waitForCatalogs(host: Host, { io, signal }: { io: Io; signal: AbortSignal }): Promise<void> {
  const ms = waitMs(io.env['MCP_CONNECT_TIMEOUT_MS']);
  if (ms === 0) return;
  const deadline = (expire: () => void): Disposable => clockOf(io).after(ms, expire);
  await within(untilToolsKnown(host), { signal, deadline, instead: () => undefined });
}

function waitMs(text: string | undefined): number {
  return text !== undefined && /^\d{1,9}$/u.test(text.trim()) ? Number(text) : CONNECT_MS;
}

const CONNECT_MS = 5_000;
