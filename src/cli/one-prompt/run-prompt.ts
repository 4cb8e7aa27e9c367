import type { ModelPort, Session, SessionEvent } from '../../session/index.js';
import type { HostError } from '../../base/errors.js';
import { within } from '../../base/within.js';
import { embeddedServer } from '../../actions/control.js';
import type { Invocation } from '../input/arguments.js';
import { envelope } from '../output/envelope.js';
import { fail, toProgramError } from '../fail.js';
import { exitCodeOf, type Io } from '../io.js';
import { fileNotes, flagNotes, loadRun } from '../start/load.js';
import { withDynamicHint } from '../../actions/servers/dynamic-hint.js';
import { openRunControl } from '../start/run-control.js';
import { openDeadline } from '../start/run-deadline.js';
import { readSessionFlags, type SessionFlags } from '../input/session-flags.js';
import { showLine } from '../../model/show.js';
import type { Outcome, ProgramRun } from '../verb.js';
import { absentServers } from './absent-servers.js';
import { addEndNotes } from './end-notes.js';
import { openPromptSession, waitForCatalogs } from './open-prompt.js';
import { checkPermissionTool, openToolDelegate } from './permission-tool.js';
import { type PromptFlags, readPromptFlags } from './prompt-flags.js';
import { openPromptKept, openPromptModel, type PromptRun, takeTurn, toData, withSettings } from './prompt-run.js';
import { type PromptText, readPromptText } from './prompt-text.js';
import { toFailureLine } from './result-line.js';
import { StreamSink } from './stream-sink.js';
import { TextOutput } from './text-output.js';
import type { TurnEnd } from './turn-end.js';
import { type DeniedCall, TurnRecord } from './turn-record.js';

/** `plugboard -p`: runs one prompt without asking the user anything. */
export async function runPrompt(invocation: Invocation, io: Io): Promise<Outcome> {
  const flags = readPromptFlags(invocation);
  using deadline = openDeadline(invocation, io);
  const notes: string[] = [];
  const run = { invocation, io, flags, deadline, notes };
  try {
    const loaded = await loadRun(invocation, io);
    notes.push(...(await flagNotes(invocation)));
    const problems = fileNotes(loaded, { invocation, io });
    notes.push(...problems);
    try {
      if (flags.input === 'text') return await askOnce({ ...run, loaded });
      return await (await import('./run-stream.js')).runStream({ ...run, loaded });
    } catch (cause) {
      // What a broken file would have said may be why.
      tellNotes({ ...run, notes: problems.filter((note) => notes.includes(note)) });
      throw withDynamicHint(deadline.explain(cause), loaded.servers);
    }
  } catch (cause) {
    const error = toProgramError(cause);
    // With stream-json a failure is a line on stdout too; a usage error is only printed, as for every verb.
    if (flags.output !== 'stream-json' || error.code === 'usage') throw error;
    io.stdout.write(`${JSON.stringify(toFailureLine(error))}\n`);
    return { ...STREAMED, exitCode: tellFailure(error, { invocation, io, flags }) };
  }
}

const STREAMED = { data: {}, text: '', isStreamed: true } as const;

async function askOnce(run: PromptRun): Promise<Outcome> {
  const { invocation, loaded, deadline } = run;
  const sessionFlags = withSettings(run, await readSessionFlags(invocation, loaded.context.cwd));
  const text = readPromptText({ ...run, signal: deadline.signal, talksOnStdin: await embeddedServer(loaded) });
  text.catch(() => {}); // awaited in `work`, after everything that can start without the text
  // Without words on the command line stdin is read first: no server is started for an empty prompt.
  if (invocation.positionals.length === 0) await text;
  const model = await openPromptModel(run, sessionFlags.model);
  return answer(run, { text, model, sessionFlags });
}

interface Asking {
  readonly text: Promise<PromptText>;
  readonly model: ModelPort;
  readonly sessionFlags: SessionFlags;
}

async function answer(run: PromptRun, asking: Asking): Promise<Outcome> {
  const { invocation, io, flags } = run;
  const output = new TextOutput({
    io,
    noColor: invocation.has('no-color'),
    verbose: invocation.has('verbose') && flags.output === 'text',
    streams: flags.output === 'text' && io.stdout.isTerminal,
  });
  let isTold = false;
  const tell = (turn: TurnEnd, data: object): void => {
    if (isTold) return;
    isTold = true;
    if (flags.output === 'text') output.end(turn.text);
    if (flags.output === 'json' && !turn.error) io.stdout.write(envelope({ ok: true, data }));
    tellNotes(run, turn.record.denials);
    const problem = turn.error ?? turn.incompleteAnswer;
    if (turn.error || (problem && flags.output !== 'json')) tellFailure(problem!, { invocation, io, flags, data });
  };
  const { turn, data } = await work(run, asking, { output, tell });
  tell(turn, data);
  return { ...STREAMED, exitCode: turn.exitCode };
}

async function work(
  run: PromptRun,
  { text, model, sessionFlags }: Asking,
  { output, tell }: { readonly output: TextOutput; readonly tell: (turn: TurnEnd, data: object) => void },
): Promise<{ readonly turn: TurnEnd; readonly data: object }> {
  const { invocation, io, flags, deadline, loaded, notes } = run;
  const stopping = new AbortController();
  const signal = AbortSignal.any([deadline.signal, stopping.signal]);
  let stopped: HostError | undefined;
  const stop = (reason: HostError): void => {
    stopped = reason;
    stopping.abort();
  };
  const record = new TurnRecord(() => performance.now());
  let session: Session | undefined;
  const tool = flags.permissionTool;
  const ask = tool === undefined ? undefined : openToolDelegate(tool, { host: () => session?.host, stop });
  await using control = await openRunControl(invocation, io, notes);
  const { isPartial } = flags;
  // Lines go through the asynchronous control channel, so that a slow reader blocks nothing.
  if (flags.output === 'stream-json') control.channel?.speak();
  const sink =
    flags.output === 'stream-json'
      ? new StreamSink({ io, control, session: () => session, isPartial, lost: stop })
      : undefined;
  const onEvent = (event: SessionEvent): void => {
    record.take(event);
    output.event(event);
    sink?.event(event);
  };
  await using kept = await openPromptKept(run);
  const parts = {
    io,
    loaded,
    flags: sessionFlags,
    model,
    control,
    deadline,
    notes,
    watches: false,
    kept,
    ports: ask ? { ask } : {},
  };
  await using opened = await openPromptSession({ ...parts, onEvent });
  session = opened;
  await waitForCatalogs(opened.host, { io, signal });
  if (tool !== undefined) await checkPermissionTool(opened.host, tool);
  const { words, piped } = await text;
  await sink?.begin({ cwd: loaded.context.cwd, agents: sessionFlags.agents });
  const turn = await takeTurn(run, {
    session: opened,
    record,
    say: () => opened.say(words, { signal, piped }),
    stopped: () => stopped,
  });
  sink?.end(turn);
  await within(control.channel?.flush() ?? Promise.resolve(), { signal: deadline.signal, instead: () => {} });
  control.check();
  const data = toData(turn, opened);
  notes.push(...absentServers(opened.host.servers()));
  addEndNotes(notes, opened.host);
  // The answer is printed before the servers are closed, unless a server still uses stdout.
  if (control.channel?.isOpen !== true) tell(turn, data);
  return { turn, data };
}

interface Failed extends ProgramRun {
  readonly flags: PromptFlags;
  readonly data?: object;
}

function tellFailure(error: Parameters<typeof fail>[0], { invocation, io, flags, data }: Failed): number {
  fail(error, {
    io,
    asJson: flags.output === 'json',
    verbose: invocation.has('verbose'),
    noColor: invocation.has('no-color'),
    ...(data && { data }),
  });
  return exitCodeOf(error.code);
}

/** Prints the denied calls, once for each tool with the rule that would allow it, then the notes. */
function tellNotes(
  { invocation, io, notes }: Pick<PromptRun, 'invocation' | 'io' | 'notes'>,
  denials: readonly DeniedCall[] = [],
): void {
  if (invocation.has('quiet')) return;
  const told = new Map(denials.map((denial) => [denial.name, denial]));
  for (const { reason, hint } of told.values()) {
    io.stderr.write(`note: ${showLine(reason)}\n${hint === undefined ? '' : `  → ${showLine(hint)}\n`}`);
  }
  // Emptied, so that a run that fails afterwards tells nothing twice.
  for (const note of notes.splice(0)) io.stderr.write(`${note}\n`);
}
