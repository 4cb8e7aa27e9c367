import { HostError } from '../../base/errors.js';
import { within } from '../../base/within.js';
import { History, type RestoredSession } from '../../session/index.js';
import type { Invocation } from '../input/arguments.js';
import { exitCodes, type Io } from '../io.js';
import { loadRun } from '../start/load.js';
import { flagNotes } from '../start/load.js';
import { loadToStart } from '../start/load-to-start.js';
import { clockOf, type ProgramClock } from '../start/program-clock.js';
import { resumes } from '../input/resume-flags.js';
import { readSessionFlags } from '../input/session-flags.js';
import type { Outcome } from '../verb.js';
import { DialogQueue } from './asking.js';
import { bannerLines, type BannerModel } from './display/banner.js';
import { chooseSessionModel } from './choose-model.js';
import { commands } from './commands/all.js';
import { SessionCompleter } from './completion/completer.js';
import type { OpenedSession, OpenInteractiveOptions } from './open-session.js';
import type { KeptSession } from './resume/open-kept-session.js';
import { wrapLine } from '../output/wrap.js';
import { SessionLoop } from './session-loop.js';
import type { SessionParts, StagedSession } from './session-parts.js';
import type { Screen } from '../terminal/screen.js';
import { TurnDisplay } from './display/turn-display.js';

/** An interactive session. The first prompt waits for no server and loads only what it needs itself. */
export async function runSession(invocation: Invocation, io: Io, staged?: StagedSession): Promise<Outcome> {
  if (!io.openTerminal) {
    throw new HostError('needs-terminal', 'A session needs a terminal', {
      hint: 'For one prompt: plugboard -p "..."',
    });
  }
  const { openScreen } = await import('../terminal/open-screen.js');
  const loaded = await loadToStart(invocation, io);
  const flags = await readSessionFlags(invocation, loaded.context.cwd);
  if (!invocation.has('quiet')) for (const note of await flagNotes(invocation)) io.stderr.write(`${note}\n`);
  const gone = new AbortController();
  const { env, isPlain } = io;
  const onHangup = (): void => gone.abort();
  await using screen = openScreen(io.openTerminal(), {
    env,
    isPlain,
    noColor: invocation.has('no-color'),
    onHangup,
  });
  // On a plain terminal Ctrl-C arrives as a signal. The screen handles it: something under way may have to be stopped.
  const ownIo = screen.isPlain ? (Object.create(io, { interrupted: { value: undefined } }) as Io) : io;
  const parts = { invocation, io: ownIo, loaded, flags, screen, staged };
  const isFirst = loaded.servers.length === 0;
  const offered = isFirst
    ? await (await import('../first-run/offer-servers.js')).offerServers(parts, gone.signal)
    : loaded;
  const own = { ...parts, loaded: offered };
  if (staged || !resumes(invocation)) return await converse(own, gone.signal);
  const { openChosenSession } = await import('./resume/kept-in-terminal.js');
  const kept = await openChosenSession(own, gone.signal);
  return kept ? await converse({ ...own, kept }, gone.signal) : LEFT;
}

/** The user left before the session began. */
const LEFT: Outcome = { data: {}, text: '', isStreamed: true, exitCode: exitCodes.done };

/** The session on an open screen, and those that follow it by `/resume`. `gone` aborts when the terminal hangs up. */
export async function converse(parts: SessionParts, gone?: AbortSignal): Promise<Outcome> {
  let following: KeptSession | undefined;
  const outcome = await converseOnce(parts, {
    gone,
    resumeNext: (kept) => void (following = kept),
    onLeft: (id) => {
      if (following || gone?.aborted === true || parts.invocation.has('quiet')) return;
      parts.screen.print(parts.screen.style.dim(`plugboard --resume ${id} goes on with this session.`));
    },
  });
  if (!following) return outcome;
  // Nothing that was answered "for this session" comes along: the servers and their host are opened anew.
  const loaded = await loadRun(parts.invocation, parts.io);
  return await converse({ ...parts, loaded, kept: following }, gone);
}

async function converseOnce(parts: SessionParts, { gone, resumeNext, onLeft }: FollowingOptions): Promise<Outcome> {
  const { io, loaded, screen, flags } = parts;
  await using history = new History(loaded.context.places.state);
  const ending = new AbortController();
  const signal = AbortSignal.any([io.interrupted, gone, ending.signal].filter((one) => one !== undefined));
  const choosing = chooseSessionModel(parts, parts.staged ? undefined : flags.model);
  const choice = await soon(choosing, clockOf(io));
  if (!parts.invocation.has('quiet')) screen.print(bannerLines(loaded, choice, screen).join('\n'));
  const intro = parts.staged?.intro ?? [];
  if (intro.length > 0) screen.print(intro.flatMap((line) => wrapLine(line, screen.columns, 2)).join('\n'));
  if (parts.kept?.restored) await recap(parts.kept, parts.kept.restored, screen);
  let opened: OpenedSession | undefined;
  const stage = new TurnDisplay(screen, () => opened?.news.flush());
  const asking = new DialogQueue({
    onChange(isOpen) {
      if (!isOpen) return stage.resume();
      stage.pause();
      loop.pauseForDialog();
    },
  });
  // Loading begins after the prompt is drawn, so that the user does not wait for it.
  const opening = untilDrawn().then(async () => {
    const { openInteractive } = await import('./open-session.js');
    opened = await openInteractive({ ...parts, asking, stage, choosing, choice, stop: () => loop.stop(), resumeNext });
    return opened;
  });
  opening.catch(() => ending.abort()); // reported when the loop has ended
  const completer = new SessionCompleter(() => opened?.context, commands);
  const loop = new SessionLoop({
    screen,
    history,
    keepsHistory: !parts.invocation.has('no-session-persistence'),
    asking,
    commands,
    completions: completer.complete,
    context: async () => (await opening).context,
    say: async (text, context) => (await opening).say(text, context),
    suggest: parts.staged?.suggest,
    signal,
  });
  try {
    await askWaiting(parts, asking, signal);
    await loop.run();
  } finally {
    await opening.then((session) => session[Symbol.asyncDispose]());
  }
  const { kept } = opened?.context ?? {};
  const left = kept?.current();
  if (left !== undefined && kept?.store?.list().some(({ id }) => id === left) === true) onLeft(left);
  const exitCode = io.interrupted?.aborted === true || gone?.aborted === true ? exitCodes.interrupted : exitCodes.done;
  return { data: {}, text: '', isStreamed: true, exitCode };
}

interface FollowingOptions extends Pick<OpenInteractiveOptions, 'resumeNext'> {
  readonly gone: AbortSignal | undefined;
  /** Called with the id of a kept session that has messages, when it has ended. */
  readonly onLeft: (id: string) => void;
}

async function recap({ options }: KeptSession, session: RestoredSession, screen: Screen): Promise<void> {
  const { recapLines } = await import('./resume/recap-lines.js');
  const { style, columns } = screen;
  screen.print(recapLines(session, { style, columns, isCopy: options.startSource === 'fork' }).join('\n'));
}

/** Asks about unapproved servers of this project before the first prompt. */
async function askWaiting(
  { loaded, screen, io }: SessionParts,
  asking: DialogQueue,
  signal: AbortSignal,
): Promise<void> {
  if (!loaded.servers.some(({ standing }) => standing.kind === 'unapproved' && !standing.rejected)) return;
  const { askWaitingServers } = await import('./ask-waiting.js');
  await askWaitingServers(loaded, { screen, asking, now: io.now, signal });
}

/** Three turns of the event loop: the prompt is drawn in the first, keys typed before it are handled in the next. */
async function untilDrawn(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** The chosen model if it is known within CHOICE_MS; an endpoint that has to be queried is reported later. */
function soon(choosing: Promise<BannerModel>, clock: ProgramClock): Promise<BannerModel> {
  return within(choosing, {
    deadline: (expire) => clock.after(CHOICE_MS, expire),
    instead: (): BannerModel => ({ kind: 'asking' }),
  });
}

const CHOICE_MS = 50;
