import type { Host } from '../../../index.js';
import { runningServer } from '../../../actions/running-server.js';
import { showLine } from '../../../model/show.js';
import { toolSlots } from '../../../model/source/argument-slots.js';
import type { CompletionItem } from '../../terminal/screen.js';
import type { TypedArguments } from '../command.js';
import type { SessionContext } from '../session-context.js';
import { quotedValue } from './complete-arguments.js';

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
  const [, name, typed = ''] = /^([^=:]+):?=([\s\S]*)$/u.exec(last) ?? [];
  const slots = toolSlots(definition.inputSchema).filter((slot) => /^[^\s"'=]+$/u.test(slot.name));
  if (name !== undefined) {
    const slot = slots.find((one) => one.name === name);
    return (slot?.values ?? [])
      .filter((value) => value.startsWith(typed.replace(/^["']/u, '')))
      .slice(0, ITEMS)
      .map((value) => ({ text: `${name}=${quotedValue(value)}`, about: '', isWhole: true }));
  }
  const known = new Set(given.map((one) => one.split(/:?=/u, 1)[0]));
  return slots
    .filter((one) => !known.has(one.name) && one.name.startsWith(last))
    .slice(0, ITEMS)
    .map((one) => ({ text: `${one.name}=`, about: showLine(one.about), isWhole: false }));
}

/** Completes the first argument of a command: the name of a server. */
export function completeServer(
  { session: { host } }: Pick<SessionContext, 'session'>,
  { before, last }: TypedArguments,
): readonly CompletionItem[] {
  return before.length === 0 ? serverItems(host, last) : [];
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

const ITEMS = 50; // a menu shows a handful; typing more narrows the list
