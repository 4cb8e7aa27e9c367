import { isObject } from '../../base/json.js';
import type { ToolHints, ToolMarks } from '../../model/tool.js';
import type { McpSession } from '../../wire/eras/era.js';
import type { CallOptions } from '../../wire/peer.js';
import type { Connection } from '../connect.js';
import { LIST_KINDS, type ListKind, type ListItem } from './cached-list.js';
import type { ItemList } from './list-items.js';
import { toOwnText } from '../own-item.js';
import { listPrompts } from './prompt-definition.js';
import { listResources, listTemplates } from './resource-definition.js';
import { declaresSkills, listSkills, toListedSkill } from './skill-definition.js';
import {
  listTools,
  type ServerToolDefinition,
  type ToolFilter,
  type ListedTools,
  toToolItem,
} from './tool-definition.js';

export interface FetchListOptions extends CallOptions {
  readonly filter: ToolFilter | undefined;
}

export interface FetchedList {
  /** Built lazily, while they are iterated. */
  readonly rows: Iterable<ListItem>;
  readonly warnings: readonly string[];
  readonly ttlMs: number;
  readonly setAside?: ListedTools['setAside'];
}

export const fetchList: Readonly<
  Record<ListKind, (connection: Connection, options: FetchListOptions) => Promise<FetchedList>>
> = {
  async tools(connection, { filter, ...options }) {
    const { tools, written, setAside, warnings, ttlMs } = await listTools(connection, { ...options, config: filter });
    const rows = each(tools, (tool, at) => {
      const definition = toToolItem(tool);
      const own = toOwnText('tools', written[at]!, definition, connection.redact);
      return { name: tool.name, label: tool.title, bits: toBits(tool), definition, own };
    });
    return { rows, setAside, warnings, ttlMs };
  },
  resources: plainly('resources', listResources, ({ uri, name }) => ({ name: uri, label: name })),
  templates: plainly('templates', listTemplates, ({ uriTemplate, name }) => ({ name: uriTemplate, label: name })),
  prompts: plainly('prompts', listPrompts, ({ name, title }) => ({ name, label: title })),
  async skills(connection, options) {
    const { skills, written, ...more } = await listSkills(connection, options);
    // For those that pass it on: a skill that is used is asked for again, because its files are checked then.
    const rows = each(skills, (skill, at) => {
      const definition = toListedSkill(skill);
      const own = toOwnText('skills', written[at]!, definition, connection.redact);
      return { name: skill.uri, label: skill.name, bits: 0, definition, own };
    });
    return { rows, ...more };
  },
};

/** Fetches a list whose items have no flags. */
function plainly<T extends object>(
  kind: ListKind,
  list: (connection: Connection, options: CallOptions) => Promise<ItemList<T>>,
  toNames: (item: T) => Pick<ListItem, 'name' | 'label'>,
): (connection: Connection, options: CallOptions) => Promise<FetchedList> {
  return async (connection, options) => {
    const { items, written, ...more } = await list(connection, options);
    const rows = each(items, (definition, at) => {
      const own = toOwnText(kind, written[at]!, definition, connection.redact);
      return { ...toNames(definition), bits: 0, definition, own };
    });
    return { rows, ...more };
  };
}

export function isListDeclared({ capabilities }: McpSession, kind: ListKind): boolean {
  return kind === 'skills' ? declaresSkills(capabilities) : isObject(capabilities[capabilityOf[kind]]);
}

export function declaredBy(session: McpSession): ListKind[] {
  return LIST_KINDS.filter((kind) => isListDeclared(session, kind));
}

/** The capability that a server declares when it has this list. */
const capabilityOf: Readonly<Record<Exclude<ListKind, 'skills'>, 'tools' | 'resources' | 'prompts'>> = {
  tools: 'tools',
  resources: 'resources',
  templates: 'resources',
  prompts: 'prompts',
};

/** The lists to fetch again after a notification. Skills have none of their own: their files are resources. */
export const listsChangedBy: ReadonlyMap<string, readonly ListKind[]> = new Map([
  ['notifications/tools/list_changed', ['tools']],
  ['notifications/resources/list_changed', ['resources', 'templates', 'skills']],
  ['notifications/prompts/list_changed', ['prompts']],
]);

function* each<T>(items: readonly T[], toRow: (item: T, at: number) => ListItem): Generator<ListItem> {
  let at = 0;
  for (const item of items) yield toRow(item, at++);
}

const HINT_BITS = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const;
const MARK_BITS = ['saysDestructive', 'alwaysLoad', 'needsUser', 'isHidden'] as const;

/** Hints and marks of a tool, packed into eight bits. */
export function toBits({ hints, marks }: Pick<ServerToolDefinition, 'hints' | 'marks'>): number {
  let bits = 0;
  let place = 0;
  for (const name of HINT_BITS) bits |= Number(hints[name]) << place++;
  for (const name of MARK_BITS) bits |= Number(marks[name]) << place++;
  return bits;
}

/** All sixteen combinations of each, so that 10,000 tools share them. */
const HINTS: readonly ToolHints[] = sixteenOf(HINT_BITS);
const MARKS: readonly ToolMarks[] = sixteenOf(MARK_BITS);

function sixteenOf<Name extends string>(names: readonly Name[]): readonly Record<Name, boolean>[] {
  return Array.from({ length: 16 }, (_, bits) => {
    const flags = names.map((name, place) => [name, (bits & (1 << place)) !== 0]);
    return Object.fromEntries(flags) as Record<Name, boolean>;
  });
}

export function toHints(bits: number): ToolHints {
  return HINTS[bits & 15]!;
}

export function toMarks(bits: number): ToolMarks {
  return MARKS[bits >> 4]!;
}
