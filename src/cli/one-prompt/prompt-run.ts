import type { LoadedConfig } from '../../actions/action-place.js';
import type { HostError } from '../../base/errors.js';
import { chooseModel, type ModelPort, type Said, type Session, type Usage } from '../../session/index.js';
import { describedAgents } from '../input/described-agents.js';
import type { RunDeadline } from '../start/run-deadline.js';
import { tuningFlags, tuningNote } from '../input/driver/tuning-flags.js';
import { readResumeFlags } from '../input/resume-flags.js';
import { contextTokensFlag, type SessionFlags } from '../input/session-flags.js';
import type { KeptSession } from '../session/resume/open-kept-session.js';
import { showLine } from '../../model/show.js';
import { toServers } from './init-line.js';
import type { PromptFlags } from './prompt-flags.js';
import { toTurnEnd, type TurnEnd } from './turn-end.js';
import type { TurnRecord } from './turn-record.js';
import type { ProgramRun } from '../verb.js';

export interface PromptRun extends ProgramRun {
  readonly flags: PromptFlags;
  readonly deadline: RunDeadline;
  readonly loaded: LoadedConfig;
  /** Lines for stderr at the end of the run. */
  readonly notes: string[];
}

/** Opens the model of this name, or without one that of the settings or the environment. Rejects with `no-model`. */
export async function openPromptModel(
  { io, loaded, deadline, invocation, notes }: PromptRun,
  name: string | undefined,
): Promise<ModelPort> {
  const { model: setting } = loaded.settings;
  const tuning = tuningFlags(invocation);
  const chosen = await chooseModel({
    env: io.env,
    cwd: loaded.context.cwd,
    signal: deadline.signal,
    contextTokens: contextTokensFlag(invocation),
    ...(tuning && { tuning }),
    ...(name !== undefined && { name }),
    ...(setting !== undefined && { setting }),
  });
  if (chosen.kind === 'none') throw chosen.error;
  const { model } = chosen;
  const note = tuningNote(model.unsupported ?? [], model.name);
  if (note !== undefined && !notes.includes(`note: ${showLine(note)}`)) notes.push(`note: ${showLine(note)}`);
  return model;
}

/** Opens the session that the flags choose, or a new one. Rejects with `unknown-session` and its like. */
export async function openPromptKept({ invocation, io, loaded, notes }: PromptRun): Promise<KeptSession> {
  const { openKeptSession } = await import('../session/resume/open-kept-session.js');
  const onNote = (note: string): void => void notes.push(`note: ${note}`);
  const kept = await openKeptSession({ flags: readResumeFlags(invocation), loaded, io, onNote });
  return kept!; // only a picker can be left, and there is none
}

/** Adds the sub-agents of the settings to the flags, and notes what is wrong with them. */
export function withSettings({ loaded, notes }: PromptRun, flags: SessionFlags): SessionFlags {
  const { agents, faults } = describedAgents(loaded.settings.agents, flags.agents);
  notes.push(...faults.map((fault) => showLine(`warning: settings: ${fault}`)));
  return { ...flags, agents };
}

export interface PromptTurn {
  readonly session: Session;
  readonly record: TurnRecord;
  readonly say: () => Promise<Said>;
  /** Why the turn was stopped, unless the user stopped it. */
  readonly stopped: () => HostError | undefined;
}

/** Runs one prompt to its end. Never rejects. */
export async function takeTurn(
  { deadline, notes }: PromptRun,
  { session, record, say, stopped }: PromptTurn,
): Promise<TurnEnd> {
  const began = performance.now();
  const before = session.usage;
  const said = await say();
  notes.push(...[...said.notes, ...record.notes].map((note) => `note: ${showLine(note)}`));
  const usage = subtract(session.usage, before);
  const explain = (error: HostError): unknown =>
    (error.code === 'cancelled' ? stopped() : undefined) ?? deadline.explain(error);
  return toTurnEnd({ said, record, ms: performance.now() - began, usage, explain });
}

function subtract(one: Usage, other: Usage): Usage {
  return {
    input: one.input - other.input,
    output: one.output - other.output,
    cacheRead: one.cacheRead - other.cacheRead,
    cacheWrite: one.cacheWrite - other.cacheWrite,
  };
}

/** The data of `--json`. */
export function toData({ text, turns, stop, usage, record, ms }: TurnEnd, { id, model, host }: Session): object {
  return {
    result: text,
    sessionId: id,
    model: model?.name ?? '',
    turns,
    stop,
    usage,
    calls: record.calls,
    denials: record.denials.map(({ name, reason }) => ({ name, reason })),
    servers: toServers(host.servers()),
    ms,
  };
}
