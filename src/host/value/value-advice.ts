import { unreachable } from '../../base/never.js';
import { openPlaces } from '../../config/entries/entry-place.js';
import type { HostConfig } from '../../config/load.js';
import { countOf } from '../../model/show.js';
import { serverSpellings } from '../../model/permissions/subject.js';
import { type BlockChange, tokensSaved } from '../../model/value/next-turn.js';
import type { AdviceStep, ValueAdvice } from '../../model/value/server-value.js';
import type { ShownBlock } from '../../model/value/shown-block.js';
import type { ServerTally } from '../../model/value/value-tally.js';
import type { Verdict } from '../../model/value/verdict.js';
import { deferring, disabling, narrowing, type StepPlace } from './advice-steps.js';

export interface JudgedServer {
  /** As the configuration spells it. */
  readonly name: string;
  readonly tally: ServerTally;
  readonly verdict: Verdict;
}

/** Undefined for a server that does not run, or whose entry was changed since its last turn. */
export async function adviceOn(
  { name, tally, verdict }: JudgedServer,
  loaded: HostConfig,
  days: number,
): Promise<ValueAdvice | undefined> {
  const server = loaded.servers.find((one) => one.name === name && one.standing.kind === 'ready');
  if (!server) return undefined;
  const place: StepPlace = { server, loaded, placeOf: openPlaces() };
  const shown = tally.last?.line.shown;
  const block = shown && { ...shown, toolSearch: loaded.settings.toolSearch };
  if (verdict.kind !== 'failing' && isChangedSince(place, tally)) return undefined;
  const steps = await stepsFor({ verdict, tally, place, block });
  const least = verdict.kind === 'failing' ? 0 : 1;
  return {
    reason: verdict.kind,
    why: whyText(verdict, tally, days),
    ...(verdict.kind === 'unused-tools' && { unusedTools: verdict.unused }),
    // What changes this server alone comes first.
    steps: steps
      .filter(({ saves }) => saves >= least)
      .toSorted(
        (one, other) => Number(one.isOfAll === true) - Number(other.isOfAll === true) || other.saves - one.saves,
      ),
  };
}

interface StepSources {
  readonly verdict: Verdict;
  readonly tally: ServerTally;
  readonly place: StepPlace;
  /** Undefined for a server that no turn has shown. */
  readonly block: ShownBlock | undefined;
}

async function stepsFor({ verdict, tally, place, block }: StepSources): Promise<readonly AdviceStep[]> {
  const { name: server } = tally;
  const saves = (change: BlockChange): number => (block ? tokensSaved(block, change) : 0);
  const steps: (AdviceStep | undefined)[] = [];
  if (verdict.kind === 'unused-tools') {
    const { unused, tokens } = verdict;
    const saved = saves({ kind: 'narrow', server, tokens, count: unused.length });
    steps.push(await narrowing(place, { verdict, tally, saves: saved }));
  } else steps.push(await disabling(place, saves({ kind: 'disable', server })));
  if (block?.canSearch === true && verdict.kind === 'unused') {
    const defers = (toolSearch: ShownBlock['toolSearch']): number => saves({ kind: 'defer', server, toolSearch });
    steps.push(await deferring(place, { saves: defers, toolSearch: block.toolSearch }));
  }
  return steps.filter((step) => step !== undefined);
}

/**
 * Whether the entry, the settings or the rules have changed since the last turn so that less of the server is shown:
 * what was advised and written is not advised again before the next turn shows what it did.
 */
function isChangedSince({ server, loaded }: StepPlace, { last }: ServerTally): boolean {
  const { config, name } = server;
  if (!last || !config) return false;
  const { always, marked, loaded: tokens, tools } = last.server;
  if (config.alwaysLoad !== true && always > marked) return true;
  const isSearchedFor = loaded.settings.toolSearch === 'always' && last.line.shown.toolSearch !== 'always';
  if (isSearchedFor && tokens > always) return true;
  const { includeTools, excludeTools = [] } = config;
  const isLeft = (own: string | undefined): boolean =>
    own === undefined || ((includeTools?.includes(own) ?? true) && !excludeTools.includes(own));
  const denied = new Set(loaded.permissions.rules.filter(({ list }) => list === 'deny').map(({ text }) => text));
  if (serverSpellings(name).some((spelling) => denied.has(`mcp__${spelling}`))) return true;
  return [...tools].some(([tool, { own }]) => !isLeft(own) || denied.has(tool));
}

function whyText(verdict: Verdict, tally: ServerTally, days: number): string {
  const { calls, cancelled, errors, toldTurns, denied } = tally;
  const told = `told in ${countOf(toldTurns, 'turn')} of the last ${countOf(days, 'day')}`;
  switch (verdict.kind) {
    case 'unused':
      return `${told}, never called${denied > 0 ? ` (${countOf(denied, 'call')} refused)` : ''}`;
    case 'failing':
      return `${errors} of ${calls - cancelled} calls failed in the last ${countOf(days, 'day')}`;
    case 'unused-tools': {
      const { unused } = verdict;
      const count = tally.last?.server.count ?? unused.length;
      return `${unused.length} of its ${countOf(count, 'tool')} never called, ${told}`;
    }
    default:
      return unreachable(verdict);
  }
}
