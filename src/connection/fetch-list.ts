import type { ToolHints, ToolMarks } from '../model/tool.js';
import type { CallOptions } from '../wire/peer.js';
import type { Link } from './connect.js';
import type { ListKind, Row } from './known-list.js';
import { listPrompts } from './remote-prompt.js';
import { listResources, listTemplates } from './remote-resource.js';
import { listTools, type RemoteTool, type ToolFilter, type ToolList, toToolItem } from './remote-tool.js';

export interface FetchOptions extends CallOptions {
  readonly filter: ToolFilter | undefined;
}

export interface FetchedList {
  /** Made one by one, as they are looked at. */
  readonly rows: Iterable<Row>;
  readonly warnings: readonly string[];
  readonly ttlMs: number;
  readonly setAside?: ToolList['setAside'];
}

/** How each list is asked for. */
export const fetchList: Readonly<Record<ListKind, (link: Link, options: FetchOptions) => Promise<FetchedList>>> = {
  async tools(link, { filter, ...options }) {
    const { tools, setAside, warnings, ttlMs } = await listTools(link, { ...options, config: filter });
    const rows = each(tools, (tool) => ({
      name: tool.name,
      label: tool.title,
      bits: toBits(tool),
      definition: toToolItem(tool),
    }));
    return { rows, setAside, warnings, ttlMs };
  },
  async resources(link, options) {
    const { items, ...more } = await listResources(link, options);
    const rows = each(items, (definition) => ({
      name: definition.uri,
      label: definition.name,
      bits: 0,
      definition,
    }));
    return { rows, ...more };
  },
  async templates(link, options) {
    const { items, ...more } = await listTemplates(link, options);
    const rows = each(items, (definition) => ({
      name: definition.uriTemplate,
      label: definition.name,
      bits: 0,
      definition,
    }));
    return { rows, ...more };
  },
  async prompts(link, options) {
    const { items, ...more } = await listPrompts(link, options);
    const rows = each(items, (definition) => ({
      name: definition.name,
      label: definition.title,
      bits: 0,
      definition,
    }));
    return { rows, ...more };
  },
};

/** What a server has to declare for there to be such a list. */
export const capabilityOf: Readonly<Record<ListKind, 'tools' | 'resources' | 'prompts'>> = {
  tools: 'tools',
  resources: 'resources',
  templates: 'resources',
  prompts: 'prompts',
};

function* each<T>(items: readonly T[], toRow: (item: T) => Row): Generator<Row> {
  for (const item of items) yield toRow(item);
}

/** What there is to know of a tool without its definition. */
export function toBits({ hints, marks }: Pick<RemoteTool, 'hints' | 'marks'>): number {
  const flags = [
    hints.readOnly,
    hints.destructive,
    hints.idempotent,
    hints.openWorld,
    marks.saysDestructive,
    marks.alwaysLoad,
    marks.needsUser,
    marks.isHidden,
  ];
  return flags.reduce((bits, flag, place) => bits | (Number(flag) << place), 0);
}

/** The sixteen of each that there are; ten thousand tools share them. */
const HINTS: readonly ToolHints[] = Array.from({ length: 16 }, (_, bits) => ({
  readOnly: (bits & 1) !== 0,
  destructive: (bits & 2) !== 0,
  idempotent: (bits & 4) !== 0,
  openWorld: (bits & 8) !== 0,
}));
const MARKS: readonly ToolMarks[] = Array.from({ length: 16 }, (_, bits) => ({
  saysDestructive: (bits & 1) !== 0,
  alwaysLoad: (bits & 2) !== 0,
  needsUser: (bits & 4) !== 0,
  isHidden: (bits & 8) !== 0,
}));

export function toHints(bits: number): ToolHints {
  return HINTS[bits & 15]!;
}

export function toMarks(bits: number): ToolMarks {
  return MARKS[bits >> 4]!;
}
