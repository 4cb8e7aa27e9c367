import { isObject } from '../../base/json.js';
import type { ViewChange } from './model-view-news.js';
import type { ShownSkill, SkillChange } from './model-view-skills.js';
import { toPrint } from './view-tool.js';
import type { ToldServer } from './told-server.js';

/** What a model knows of the servers, without any text of theirs: enough to see what has changed since. */
export interface ToldSnapshot {
  readonly servers: { readonly [name: string]: ToldServerSnapshot };
}

interface ToldServerSnapshot {
  /** A checksum of the instructions; absent without any. */
  readonly instructions?: number;
  /** Checksums of the definitions by the tools' names; absent where there are too many tools. */
  readonly tools?: { readonly [name: string]: number };
  /** Checksums of the descriptions by the skills' names; absent without any. */
  readonly skills?: { readonly [name: string]: number };
}

export function toToldSnapshot(told: ReadonlyMap<string, ToldServer>): ToldSnapshot {
  let left = TOOLS_LIMIT;
  const servers = Array.from(told, ([name, { instructions, viewed, skills }]): [string, ToldServerSnapshot] => {
    const isListed = viewed.tools.size <= left;
    if (isListed) left -= viewed.tools.size;
    return [
      name,
      {
        ...(instructions !== '' && { instructions: toPrint(instructions) }),
        ...(skills.length > 0 && { skills: toSkillPrints(skills) }),
        ...(isListed && {
          tools: Object.fromEntries(Array.from(viewed.tools.values(), (one) => [one.name, one.print])),
        }),
      },
    ];
  });
  return { servers: Object.fromEntries(servers) };
}

/** Reads a snapshot from a file. Undefined for what is none: then nothing is said about changes. */
export function readTold(value: unknown): ToldSnapshot | undefined {
  if (!isObject(value) || !isObject(value['servers'])) return undefined;
  const servers = Object.entries(value['servers']).slice(0, SERVERS_LIMIT);
  const read = servers.flatMap(([name, server]): [string, ToldServerSnapshot][] => {
    if (!isObject(server)) return [];
    const { instructions, tools, skills } = server;
    const [listed, known] = [readPrints(tools), readPrints(skills)];
    return [
      [
        name,
        {
          ...(typeof instructions === 'number' && { instructions }),
          ...(listed && { tools: listed }),
          ...(known && { skills: known }),
        },
      ],
    ];
  });
  return { servers: Object.fromEntries(read) };
}

function toSkillPrints(skills: readonly ShownSkill[]): { readonly [name: string]: number } {
  const told = skills.slice(0, SKILLS_LIMIT);
  return Object.fromEntries(told.map(({ name, description }) => [name, toPrint(description)]));
}

function readPrints(value: unknown): { readonly [name: string]: number } | undefined {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(isPrinted).slice(0, TOOLS_LIMIT))
    : undefined;
}

function isPrinted(entry: [string, unknown]): entry is [string, number] {
  return typeof entry[1] === 'number';
}

/** What has changed between the two. Servers that have not listed their tools yet (`pending`) are left out. */
export function changesWhileAway(
  { servers: known }: ToldSnapshot,
  now: ReadonlyMap<string, ToldServer>,
  pending: ReadonlySet<string>,
): ViewChange[] {
  const left = Object.keys(known).filter((server) => !now.has(server));
  return [
    ...left.toSorted().map((server): ViewChange => ({ kind: 'state', server, state: 'gone' })),
    ...[...now]
      .filter(([server]) => !pending.has(server))
      .flatMap(([server, told]) => changesOf(server, Object.hasOwn(known, server) ? known[server] : undefined, told)),
  ];
}

/** `known`: undefined for a server that the model knows nothing of. */
function changesOf(
  server: string,
  known: ToldServerSnapshot | undefined,
  { instructions, viewed, skills }: ToldServer,
): ViewChange[] {
  const changes: ViewChange[] = [];
  const tools = known?.tools;
  const knows = (name: string): boolean => tools !== undefined && Object.hasOwn(tools, name);
  const names = [...viewed.tools.keys()].toSorted();
  const added = names.filter((name) => !knows(name));
  const other = names.filter((name) => knows(name) && tools![name] !== viewed.tools.get(name)!.print);
  const removed = Object.keys(tools ?? {}).filter((name) => !viewed.tools.has(name));
  // A server whose tools were not listed in the snapshot cannot be compared.
  const isListed = tools !== undefined || known === undefined;
  if (isListed && added.length > 0) changes.push({ kind: 'added', server, names: added });
  if (removed.length > 0) changes.push({ kind: 'removed', server, names: removed.toSorted() });
  if (other.length > 0) changes.push({ kind: 'other', server, names: other });
  const difference = skillsWhileAway(server, known?.skills ?? {}, skills);
  if (difference) changes.push({ kind: 'skills', server, ...difference });
  const before = known?.instructions ?? NO_INSTRUCTIONS;
  const print = instructions === '' ? NO_INSTRUCTIONS : toPrint(instructions);
  if (before !== print) {
    const text = instructions || undefined;
    changes.push({ kind: 'instructions', server, text, before: before === NO_INSTRUCTIONS ? '' : OTHERS });
  }
  return changes;
}

function skillsWhileAway(
  server: string,
  known: { readonly [name: string]: number },
  skills: readonly ShownSkill[],
): SkillChange | undefined {
  const then = new Map(Object.entries(known));
  const now = new Set(skills.map(({ name }) => name));
  const listed = skills.slice(0, SKILLS_LIMIT);
  const told = listed.filter(({ name, description }) => then.get(name) !== toPrint(description));
  const removed = [...then.keys()].filter((name) => !now.has(name)).map((name) => ({ server, name, description: '' }));
  return told.length + removed.length === 0 ? undefined : { told, removed, before: [] };
}

const NO_INSTRUCTIONS = -1;
const OTHERS = '(other instructions)';
const SKILLS_LIMIT = 200; // more than a model is told of
const TOOLS_LIMIT = 2_000; // about 100,000 characters; with more tools a model sees only names anyway
const SERVERS_LIMIT = 10_000;
