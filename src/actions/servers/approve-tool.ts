import { HostError } from '../../base/errors.js';
import type { HostConfig } from '../../config/load.js';
import type { ForeseenTool } from '../../host/calls/foresight.js';
import { toPinnedTool } from '../../model/pins/pinned-text.js';
import { showLine, showName } from '../../model/show.js';
import { type Action, defineAction } from '../action.js';
import type { ActionContext } from '../action-context.js';
import { hostOf, type HostPlace, loadedOf } from '../action-place.js';
import { findTool, type FoundTool, serversForTool } from '../calls/find-tool.js';
import { definitionLines } from '../pin-difference.js';
import { dryRunArgument } from '../shared-arguments.js';

const args = {
  tools: { kind: 'words', noun: 'the name of a tool' },
  definition: { kind: 'text', value: 'HASH', summary: 'only if the definition still has this hash' },
  dryRun: dryRunArgument,
} as const;

interface AcceptedTools {
  readonly loaded: HostConfig;
  readonly rows: readonly Row[];
  readonly dryRun: boolean;
}

/** Accepts the current definition of a tool. Its server is asked for the definition; the tool is not called. */
export const approveTools: Action<typeof args, AcceptedTools> = defineAction({
  name: 'approve-tool',
  label: 'accept a definition',
  doing: 'accepting',
  summary: 'Accept a tool whose definition has changed',
  args,
  needs: 'host',
  opening: {
    async servers(loaded, { tools }) {
      const ready = loaded.servers.filter(({ standing }) => standing.kind === 'ready');
      const meant = await Promise.all(tools.map((word) => serversForTool({ word, isAdHoc: false }, ready, loaded)));
      return [...new Set(meant.flat().map(({ name }) => name))];
    },
    isLazy: true,
    isReport: true,
  },
  async run(on, { tools, definition, dryRun }, context) {
    const place = hostOf(on);
    const rows: Row[] = [];
    for (const word of new Set(tools)) rows.push(await lookAt(word, place, context));
    refuseAside(rows);
    refuseChanged(definition, rows);
    if (!dryRun) for (const { tool, looked } of rows.filter(isOpen)) place.host.acceptDefinition(tool.name, looked);
    return { loaded: await loadedOf(on), rows, dryRun };
  },
  json({ loaded, rows, dryRun }) {
    const { state } = loaded.context.places;
    const [only] = rows.length === 1 ? rows : [];
    const server =
      only && loaded.servers.find(({ name, standing }) => name === only.tool.server && standing.kind === 'ready');
    return {
      file: state === undefined ? null : `${state}/grants.json`,
      server: only?.tool.server ?? null,
      scope: server?.scope ?? null,
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
    };
  },
  tell: ({ rows, dryRun }) => ({
    tone: dryRun ? 'note' : 'done',
    parts: rows.flatMap((row) => describe(row, dryRun)).map((text) => ({ kind: 'sentence', text })),
  }),
});

interface Row {
  readonly tool: FoundTool;
  readonly looked: ForeseenTool;
}

async function lookAt(word: string, place: HostPlace, context: ActionContext): Promise<Row> {
  const tool = await findTool({ word, isAdHoc: false }, place, context);
  const looked = await place.host.lookAt(tool.name);
  if (looked instanceof HostError) throw looked;
  if (looked) return { tool, looked };
  throw new HostError(
    'usage',
    `${tool.name} is a tool of Plugboard itself: there is no definition of a server to accept`,
    {
      hint: `plugboard permissions ${tool.name}`,
    },
  );
}

/** Whether there is anything to accept: a definition changed since it was allowed, or is not in the lock. */
function isOpen({ looked }: Row): boolean {
  return looked.change !== undefined || (looked.isUnpinned && looked.before !== looked.hash);
}

/** Throws for a tool that a lock has set aside: only a change of the lock brings it back. */
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

/** Throws when a definition is not the one that the user has looked at: a server may change it in between. */
function refuseChanged(definition: string | undefined, rows: readonly Row[]): void {
  const changed = rows.find(({ looked }) => definition !== undefined && shortOf(looked) !== definition);
  if (!changed) return;
  const { name } = changed.tool;
  throw new HostError(
    'definition-changed',
    `${name} does not have the hash ${definition}; its hash is ${shortOf(changed.looked)} now`,
    {
      hint: `Look at it again: plugboard approve ${name} --dry-run`,
    },
  );
}

function shortOf({ hash }: ForeseenTool): string {
  return hash.slice(0, 16);
}

function stateOf({
  change,
  before,
  hash,
  isUnpinned,
}: ForeseenTool): 'changed' | 'new' | 'unchanged' | 'never-allowed' {
  if (change) return 'changed';
  if (before === hash) return 'unchanged';
  return isUnpinned ? 'new' : 'never-allowed';
}

function describe({ tool, looked }: Row, dryRun: boolean): string[] {
  const { name } = tool;
  const state = stateOf(looked);
  if (state === 'unchanged') return [showLine(`${name}: its definition is unchanged since you allowed it`)];
  if (state === 'never-allowed') {
    return [showLine(`${name}: nothing to accept; Plugboard remembers its definition at the first allowed call`)];
  }
  const parts = looked.change?.join(', ');
  const what = parts === undefined ? 'new: mcp.lock does not pin it' : `changed since you allowed it: ${parts}`;
  return [
    showLine(`${name} is ${what}. Its definition now:`),
    ...definitionLines(toPinnedTool({ ...looked.definition, name: tool.tool })),
    dryRun
      ? showLine(`To accept it: plugboard approve ${name} --definition ${shortOf(looked)}`)
      : showLine(`Accepted: ${name} is allowed again wherever a rule allows it`),
  ];
}
