import type { Host } from '../../../index.js';
import { runningServer } from '../../../actions/running-server.js';
import { isObject } from '../../../base/json.js';
import { showLine } from '../../../model/show.js';
import type { CompletionItem } from '../../terminal/screen.js';

/** Completes a tool: `server.tool`, or the name that the model uses. */
export function toolItems(host: Host, typed: string): readonly CompletionItem[] {
  const wanted = typed.toLowerCase();
  const isFull = wanted.startsWith('mcp__');
  const begin: CompletionItem[] = [];
  const within: CompletionItem[] = [];
  for (const { name, server, tool, title, hints } of host.tools()) {
    const spoken = isFull || /[\s"']/u.test(server + tool) ? name : `${server}.${tool}`;
    const at = spoken.toLowerCase().indexOf(wanted);
    if (at === -1 || (at > 0 && within.length >= ITEMS)) continue;
    const about = showLine(title ?? (hints.readOnly ? 'read-only' : ''));
    (at === 0 ? begin : within).push({ text: spoken, about, isWhole: true });
    if (begin.length >= ITEMS) break;
  }
  return [...begin, ...within].slice(0, ITEMS);
}

/** Completes the arguments of a tool that are still missing; after `name=`, the values that its schema lists. */
export function argumentItems(
  host: Host,
  { tool: word, given, last }: { readonly tool: string; readonly given: readonly string[]; readonly last: string },
): readonly CompletionItem[] {
  const tool = host
    .tools()
    .find(({ name, server, tool: own }) => name === word || own === word || `${server}.${own}` === word);
  const [definition] = (tool && runningServer(host, tool.server)?.catalog.toolDefinitions([tool.tool])) ?? [];
  if (!definition) return [];
  const [, name] = /^([^=:]+):?=/u.exec(last) ?? [];
  const slots = slotsOf(definition.inputSchema);
  if (name !== undefined) {
    const slot = slots.find((one) => one.name === name);
    return (slot?.values ?? [])
      .map((value) => ({ text: `${name}=${value}`, about: '', isWhole: true }))
      .filter(({ text }) => text.startsWith(last));
  }
  const known = new Set(given.map((one) => one.split(/:?=/u, 1)[0]));
  return slots
    .filter((one) => !known.has(one.name) && one.name.startsWith(last))
    .slice(0, ITEMS)
    .map((one) => ({ text: `${one.name}=`, about: showLine(one.about), isWhole: false }));
}

/** Servers, including those that wait for approval or are disabled. */
export function serverItems(host: Host, typed: string): readonly CompletionItem[] {
  const seen = new Set<string>();
  return host
    .servers()
    .filter(({ name }) => name.startsWith(typed) && !seen.has(name) && seen.add(name))
    .slice(0, ITEMS)
    .map(({ name, status, tools }) => ({
      text: name,
      about: tools === null ? status : `${status}, ${tools} tools`,
      isWhole: true,
    }));
}

interface Slot {
  readonly name: string;
  readonly isRequired: boolean;
  readonly about: string;
  readonly values: readonly string[];
}

/** The arguments of a tool, the required ones first. */
function slotsOf(schema: object): readonly Slot[] {
  const { properties, required } = schema as { readonly properties?: unknown; readonly required?: unknown };
  if (!isObject(properties)) return [];
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties)
    .slice(0, SLOTS)
    .map(([name, property]): Slot => {
      const { type, description, enum: named } = isObject(property) ? property : {};
      const isRequired = needed.includes(name);
      const kind = typeof type === 'string' ? type : 'any';
      const said = typeof description === 'string' ? `: ${description}` : '';
      const values = Array.isArray(named) ? named.filter((one) => typeof one === 'string') : [];
      return {
        name,
        isRequired,
        about: `${kind}${isRequired ? '' : ', optional'}${said}`,
        values: type === 'boolean' ? ['true', 'false'] : values.filter((one) => !/\s/u.test(one)),
      };
    })
    .toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired));
}

const ITEMS = 50; // a menu shows a handful; typing more narrows the list
const SLOTS = 200;
