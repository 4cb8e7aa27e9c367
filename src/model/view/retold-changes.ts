import type { ViewBlock } from './model-view-block.js';
import type { ViewChange } from './model-view-news.js';
import { skillChange } from './model-view-skills.js';
import { stateChange, type ToldServer } from './told-server.js';

export interface RetoldOptions {
  readonly block: Pick<ViewBlock, 'get' | 'has' | 'reaches' | 'hasSkillTool'>;
  /** The definitions of these tools of a server as they are now, in the API's form, as far as they are known. */
  readonly definitionsOf: (server: string) => (names: readonly string[]) => ReadonlyMap<string, object>;
}

/** The differences between what the block and the system text say and what the model knows by now from messages. */
export function changesSinceStart(
  start: ReadonlyMap<string, ToldServer>,
  now: ReadonlyMap<string, ToldServer>,
  options: RetoldOptions,
): ViewChange[] {
  const left = [...start.keys()].filter((server) => !now.has(server)).toSorted();
  const servers = [...now.keys()].toSorted();
  return [
    ...left.map((server): ViewChange => ({ kind: 'state', server, state: 'gone' })),
    ...servers.flatMap((server) => changesOf(server, start.get(server), now.get(server)!, options)),
  ];
}

function changesOf(
  server: string,
  before: ToldServer | undefined,
  after: ToldServer,
  options: RetoldOptions,
): readonly ViewChange[] {
  const changes: ViewChange[] = [];
  const state = stateChange(before, after);
  if (state !== undefined) changes.push({ kind: 'state', server, state });
  changes.push(...toolChanges(server, before, after, options));
  const known = before?.instructions ?? '';
  if (known !== after.instructions)
    changes.push({ kind: 'instructions', server, text: after.instructions || undefined, before: known });
  if (after.hasResources && before?.hasResources !== true) changes.push({ kind: 'resources', server });
  const skills = options.block.hasSkillTool ? skillChange(before?.skills ?? [], after.skills) : undefined;
  if (skills) changes.push({ kind: 'skills', server, ...skills });
  return changes;
}

function toolChanges(
  server: string,
  before: ToldServer | undefined,
  after: ToldServer,
  { block, definitionsOf }: RetoldOptions,
): readonly ViewChange[] {
  const [old, own] = [before?.viewed.tools, after.viewed.tools];
  const names = [...own.keys()].toSorted();
  const late = names.filter((name) => old?.has(name) !== true);
  const others = names.filter((name) => {
    const known = old?.get(name) ?? block.get(name);
    return known !== undefined && known.print !== own.get(name)!.print;
  });
  const lists = {
    added: late.filter((name) => block.reaches(own.get(name)!)),
    unreachable: late.filter((name) => !block.reaches(own.get(name)!)),
    removed: [...(old?.keys() ?? [])].filter((name) => !own.has(name)).toSorted(),
    other: others.filter((name) => !block.has(name)),
  };
  const changed = others.filter((name) => block.has(name));
  const definitions = changed.length > 0 ? definitionsOf(server)(changed) : undefined;
  return [
    ...LISTS.flatMap((kind) => (lists[kind].length > 0 ? [{ kind, server, names: lists[kind] }] : [])),
    ...changed.map((name) => ({ kind: 'changed', server, name, definition: definitions?.get(name) }) as const),
  ];
}

const LISTS = ['added', 'unreachable', 'removed', 'other'] as const;
