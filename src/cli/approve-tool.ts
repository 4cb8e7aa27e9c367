import type { LoadedConfig } from '../actions/action-place.js';
import { HostError } from '../base/errors.js';
import type { LookedAt } from '../host/foresight.js';
import { toPinnedTool } from '../model/pins/pinned-text.js';
import type { Invocation } from './arguments.js';
import { loadToStart } from './load-to-start.js';
import { findTool, type FoundTool, serversFor } from '../actions/find-tool.js';
import type { Io } from './io.js';
import { type HostRun, withHost } from './open-host.js';
import { definitionLines } from './pin-difference.js';
import { showLine, showName } from '../model/show.js';
import type { Outcome } from './verb.js';
import { usageError } from './usage-error.js';

/** `approve TOOL`: what the tool is by now is what the user allows from now on. Its server is asked; nothing is called. */
export async function approveTools(invocation: Invocation, io: Io): Promise<Outcome> {
  refuseFlags(invocation);
  const loaded = await loadToStart(invocation, io);
  const words = [...new Set(invocation.positionals)];
  const ready = loaded.servers.filter(({ standing }) => standing.kind === 'ready');
  const meant = await Promise.all(words.map((word) => serversFor({ word, isAdHoc: false }, ready, loaded)));
  const only = [...new Set(meant.flat().map(({ name }) => name))];
  const dryRun = invocation.has('dry-run');
  return withHost({ invocation, io, loaded, only, start: 'lazy', isReport: true }, async (run) => {
    const rows: Row[] = [];
    for (const word of words) rows.push(await lookAt(word, run));
    refuseAside(rows);
    refuseChanged(invocation.value('definition'), rows);
    const open = rows.filter(isOpen);
    if (!dryRun) for (const { tool, looked } of open) run.host.acceptDefinition(tool.name, looked);
    return toOutcome(rows, { dryRun, notes: run.notes, loaded });
  });
}

interface Row {
  readonly tool: FoundTool;
  readonly looked: LookedAt;
}

async function lookAt(word: string, run: HostRun): Promise<Row> {
  const tool = await findTool({ word, isAdHoc: false }, run);
  const looked = await run.host.lookAt(tool.name);
  if (looked instanceof HostError) throw looked;
  if (looked) return { tool, looked };
  throw new HostError('usage', `${tool.name} is Plugboard's own, and has no definition of a server to accept`, {
    hint: `plugboard permissions ${tool.name}`,
  });
}

/** Whether there is anything to say yes to: it has changed since it was allowed, or it is new beside a lock. */
function isOpen({ looked }: Row): boolean {
  return looked.change !== undefined || (looked.isUnpinned && looked.before !== looked.hash);
}

function refuseFlags(invocation: Invocation): void {
  for (const flag of ['all', 'reject']) {
    if (!invocation.has(flag)) continue;
    throw usageError(`--${flag} is about which servers may run, not about tools`, {
      hint: 'To deny a tool, add it to permissions.deny of your settings',
    });
  }
  if (invocation.value('definition') !== undefined && invocation.positionals.length !== 1) {
    throw usageError('--definition HASH needs the name of one tool', {
      hint: 'plugboard approve TOOL --definition HASH',
    });
  }
}

/** What a repository's lock has set aside only a change of the lock brings back. */
function refuseAside(rows: readonly Row[]): void {
  const aside = rows.find(({ looked }) => looked.aside !== undefined);
  if (!aside) return;
  const { tool, looked } = aside;
  const server = showName(tool.server);
  throw new HostError(
    'definition-changed',
    `Tool "${tool.tool}" of server "${tool.server}" is set aside: ${looked.aside}`,
    {
      hint: `See what is different: plugboard approve --diff ${server}. Accept it: plugboard approve --lock ${server} --tool ${showName(tool.tool)}`,
    },
  );
}

/** A server may say something else a moment after somebody has looked. */
function refuseChanged(definition: string | undefined, rows: readonly Row[]): void {
  const changed = rows.find(({ looked }) => definition !== undefined && shortOf(looked) !== definition);
  if (!changed) return;
  const { name } = changed.tool;
  throw new HostError(
    'definition-changed',
    `${name} is not what ${definition} stands for; it is ${shortOf(changed.looked)} now`,
    {
      hint: `Look at it again: plugboard approve ${name} --dry-run`,
    },
  );
}

function shortOf({ hash }: LookedAt): string {
  return hash.slice(0, 16);
}

interface Report {
  readonly dryRun: boolean;
  readonly notes: readonly string[];
  readonly loaded: LoadedConfig;
}

function toOutcome(rows: readonly Row[], { dryRun, notes, loaded }: Report): Outcome {
  const { state } = loaded.context.places;
  const [only] = rows.length === 1 ? rows : [];
  const scope =
    only && loaded.servers.find(({ name, standing }) => name === only.tool.server && standing.kind === 'ready');
  return {
    data: {
      file: state === undefined ? null : `${state}/grants.json`,
      server: only?.tool.server ?? null,
      scope: scope?.scope ?? null,
      tools: rows.map(({ tool, looked }) => ({
        name: tool.name,
        server: tool.server,
        tool: tool.tool,
        state: stateOf(looked),
        accepted: isOpen({ tool, looked }) && !dryRun,
        ...(looked.change && { change: looked.change }),
        definition: shortOf(looked),
        ...toPinnedTool({ ...looked.definition, name: tool.tool }),
      })),
      ...(dryRun && { dryRun }),
    },
    text: rows.flatMap((row) => describe(row, dryRun)).join('\n'),
    notes: [...notes],
  };
}

function stateOf({ change, before, hash, isUnpinned }: LookedAt): 'changed' | 'new' | 'unchanged' | 'never-allowed' {
  if (change) return 'changed';
  if (before === hash) return 'unchanged';
  return isUnpinned ? 'new' : 'never-allowed';
}

function describe({ tool, looked }: Row, dryRun: boolean): string[] {
  const { name } = tool;
  const state = stateOf(looked);
  if (state === 'unchanged') return [showLine(`${name}: its definition is the one that you allowed`)];
  if (state === 'never-allowed') {
    return [showLine(`${name}: nothing to accept; the first call that is allowed remembers its definition`)];
  }
  const parts = looked.change?.join(', ');
  const what = parts === undefined ? 'new: mcp.lock does not pin it' : `changed since you allowed it: ${parts}`;
  return [
    showLine(`${name} is ${what}. It says now:`),
    ...definitionLines(toPinnedTool({ ...looked.definition, name: tool.tool })),
    dryRun
      ? showLine(`Would accept it: plugboard approve ${name} --definition ${shortOf(looked)}`)
      : showLine(`Accepted: ${name} is allowed again wherever a rule allows it`),
  ];
}
