import type { LoadedConfig } from '../../actions/action-place.js';
import type { HostError } from '../../base/errors.js';
import { chooseModel, type ModelPort, type Said, type Session, type Usage } from '../../session/index.js';
import { describedAgents } from '../input/described-agents.js';
import type { RunDeadline } from '../start/run-deadline.js';
import type { SessionFlags } from '../input/session-flags.js';
import { showLine } from '../../model/show.js';
import { toServers } from './init-line.js';
import type { PromptFlags } from './prompt-flags.js';
import { toTurnEnd, type TurnEnd } from './turn-end.js';
import type { TurnRecord } from './turn-record.js';
import type { ProgramRun } from '../verb.js';

/** What a run with -p has from the beginning. */
export interface PromptRun extends ProgramRun {
  readonly flags: PromptFlags;
  readonly deadline: RunDeadline;
  readonly loaded: LoadedConfig;
  /** What is told on stderr in the end. */
  readonly notes: string[];
}

/** `name`: of a flag; without it the settings and the environment say which. Throws `no-model`. */
export async function openPromptModel(
  { io, loaded, deadline }: PromptRun,
  name: string | undefined,
): Promise<ModelPort> {
  const { model: setting } = loaded.settings;
  const chosen = await chooseModel({
    env: io.env,
    cwd: loaded.context.cwd,
    signal: deadline.signal,
    ...(name !== undefined && { name }),
    ...(setting !== undefined && { setting }),
  });
  if (chosen.kind === 'none') throw chosen.error;
  return chosen.model;
}

/** With the sub-agents that the settings describe. */
export function withSettings({ loaded, notes }: PromptRun, flags: SessionFlags): SessionFlags {
  const { agents, faults } = describedAgents(loaded.settings.agents, flags.agents);
  notes.push(...faults.map((fault) => showLine(`warning settings: ${fault}`)));
  return { ...flags, agents };
}

export interface PromptTurn {
  readonly session: Session;
  readonly record: TurnRecord;
  readonly say: () => Promise<Said>;
  /** Why it was stopped, where it was not by the user. */
  readonly stopped: () => HostError | undefined;
}

/** One prompt, and what came of it. Never rejects. */
export async function takeTurn(
  { deadline, notes }: PromptRun,
  { session, record, say, stopped }: PromptTurn,
): Promise<TurnEnd> {
  const began = performance.now();
  const before = session.usage;
  const said = await say();
  notes.push(...[...said.notes, ...record.notes].map((note) => `note ${showLine(note)}`));
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

/** What `--json` gives out. */
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
