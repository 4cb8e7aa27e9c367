import { nearest } from '../base/nearest.js';
import { toTextDefinition } from '../model/profiles/text-definition.js';
import type { SearchResult } from '../model/search/search-index.js';
import type { ToolDefinition } from '../model/tool.js';
import { type BuiltInAnswer, type BuiltInTool, toTool } from './built-in.js';
import { builtInJsonSchemas } from './built-in-json-schemas.js';

export interface ToolSearchOptions {
  /** Contract: never rejects. */
  search(query: string, limit: number): Promise<SearchResult>;
  /** In any order; unknown names are left out. */
  definitions(names: readonly string[]): Promise<readonly ToolDefinition[]>;
  /** Number of tools that can be found. */
  count(): number;
}

/** Lets a model that was shown only names search for tools and read their definitions. */
export function toolSearch(options: ToolSearchOptions): BuiltInTool {
  return toTool<'ToolSearch'>({
    name: 'ToolSearch',
    title: 'Search for tools',
    description: DESCRIPTION,
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    inputSchema: builtInJsonSchemas.ToolSearch,
    run: ({ query, max_results: limit = MATCHES }) => look(options, query, limit),
  });
}

const DESCRIPTION =
  'Finds tools whose definitions have not been shown yet, and shows them: name, description and the JSON Schema of the ' +
  'parameters, one tool a line. Until then only the names are known. Write words for what is to be done ("create issue"), ' +
  '+word where a word must occur ("+slack send message"), or select:name,name for tools whose names are known.';
const MATCHES = 5;
const TEXT_LIMIT = 60_000; // characters of all definitions together, about 15,000 tokens
const ALONE_LIMIT = 600_000; // for a single tool, whose maximum is two schemas of 256,000 and its texts
const NAMES_LIMIT = 20; // unknown names that are reported
const CANDIDATES = 50;

async function look(options: ToolSearchOptions, query: string, limit: number): Promise<BuiltInAnswer> {
  const { hits, unknown } = await options.search(query, limit);
  const names = hits.map(({ name }) => name);
  const byName = new Map((await options.definitions(names)).map((one) => [one.name, toTextDefinition(one)]));
  const shown = names.flatMap((name) => byName.get(name) ?? []);
  const found = shown.flatMap((one) => (one.kind === 'tool' ? [one.definition] : []));
  const isNothing = shown.length === 0;
  const lines = isNothing ? [await sayNothing(options, query, unknown)] : toLines(found);
  for (const [name, one] of byName) if (one.kind === 'aside') lines.push(`${name} cannot be used: ${one.reason}`);
  if (!isNothing && unknown.length > 0) lines.push(...(await sayUnknown(options, unknown)));
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: { matches: found.map(({ name }) => name), total: options.count() },
  };
}

function toLines(found: readonly ToolDefinition[]): string[] {
  let left = found.length === 1 ? ALONE_LIMIT : TEXT_LIMIT;
  const lines: string[] = [];
  const omitted: string[] = [];
  for (const { name, description, inputSchema } of found) {
    const line = JSON.stringify({ name, description, parameters: inputSchema });
    if (line.length > left) omitted.push(name);
    else {
      lines.push(line);
      left -= line.length + 1;
    }
  }
  for (const name of omitted)
    lines.push(`${name}: too long to be shown with the others; select:${name} shows it alone`);
  return lines;
}

async function sayNothing(options: ToolSearchOptions, query: string, unknown: readonly string[]): Promise<string> {
  // Without plus signs the query may find what it restricted too much.
  const wanted = unknown.length > 0 ? unknown.slice(0, NAMES_LIMIT) : [query.replaceAll('+', ' ')];
  const close = new Set<string>();
  for (const one of wanted) for (const name of await findClose(options, one)) close.add(name);
  return close.size === 0 ? NOTHING : `${NOTHING}. The nearest: ${[...close].slice(0, NAMES_LIMIT).join(', ')}`;
}

const NOTHING = 'No matching deferred tools found';

async function sayUnknown(options: ToolSearchOptions, unknown: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  for (const name of unknown.slice(0, NAMES_LIMIT)) {
    const close = await findClose(options, name);
    lines.push(`No tool "${name}"${close.length === 0 ? '' : `. The nearest: ${close.join(', ')}`}`);
  }
  if (unknown.length > NAMES_LIMIT) lines.push(`and ${unknown.length - NAMES_LIMIT} more names that no tool has`);
  return lines;
}

/** At most three names: those with similar spelling, else those that a search for its words finds. */
async function findClose(options: ToolSearchOptions, wanted: string): Promise<readonly string[]> {
  const words = wanted.replaceAll(/select\s*:|[+"'`,]/gi, ' ');
  const { hits } = await options.search(words, CANDIDATES);
  const names = hits.map(({ name }) => name);
  const alike = nearest(wanted, names);
  return alike.length > 0 ? alike : names.slice(0, 3);
}
