import type { Host } from '../../../index.js';
import { runningServers, type RunningServer } from '../../../actions/running-server.js';
import { templateVariables } from '../../../model/urls/uri-template.js';
import { showLine } from '../../../model/show.js';
import type { CompletionItem, CompletionList } from '../../terminal/screen.js';
import { mentionOf, quotedMention } from './mention-text.js';
import { safeCompletions } from './safe-completions.js';

/** `@` and the text after it: `@server:uri`, or the beginning of it. */
export interface TypedMention {
  /** Index of the `@`. */
  readonly from: number;
  readonly text: string;
}

/** The mention that the cursor is in; undefined outside of one. */
export function mentionAt(before: string): TypedMention | undefined {
  const [, typed] = /(?:^|[\s([{<,;])@((?:"[^"]*"?)?[^\s"<>`]*)$/u.exec(before.slice(-LOOK)) ?? [];
  return typed === undefined ? undefined : { from: before.length - typed.length - 1, text: typed };
}

const LOOK = 5_000; // characters; longer than any address that is typed

interface MentionPlace {
  readonly to: number;
  readonly later: (found: CompletionList) => void;
  readonly signal: AbortSignal;
}

/** Completes server names, then resources, and templates up to their first variable, which their server completes. */
export function mentionItems(
  host: Host,
  { from, text }: TypedMention,
  place: MentionPlace,
): CompletionList | undefined {
  const { to, later, signal } = place;
  const readers = readersOf(host);
  const reader = readers.find(({ name }) => text.startsWith(`${quotedMention(name)}:`));
  if (!reader) return safeCompletions(from, to, serverItems(readers, text));
  const typed = text.slice(quotedMention(reader.name).length + 1);
  const known = resourceItems(reader, typed);
  const tell = (more: readonly CompletionItem[]): void => {
    const found = more.length === 0 ? undefined : safeCompletions(from, to, [...more, ...known]);
    if (!signal.aborted && found) later(found);
  };
  void blankItems(host, reader, typed, signal).then(tell);
  return safeCompletions(from, to, known);
}

/** Servers that are known to have resources or templates. */
function readersOf(host: Host): readonly RunningServer[] {
  return runningServers(host).filter(
    ({ status, catalog }) => status.kind !== 'disabled' && catalog.count('resources') + catalog.count('templates') > 0,
  );
}

function serverItems(readers: readonly RunningServer[], typed: string): readonly CompletionItem[] {
  return readers
    .filter(({ name }) => name.startsWith(typed.replaceAll('"', '')))
    .slice(0, ITEMS)
    .map(({ name, catalog }) => {
      const count = catalog.count('resources') + catalog.count('templates');
      return { text: `@${quotedMention(name)}:`, about: `resources: ${count}`, isWhole: false };
    });
}

function resourceItems({ name: server, catalog }: RunningServer, typed: string): readonly CompletionItem[] {
  const wanted = typed.replaceAll('"', '').toLowerCase();
  const begin: CompletionItem[] = [];
  const within: CompletionItem[] = [];
  for (const { uri, name } of catalog.resources) {
    const isBegin = uri.toLowerCase().startsWith(wanted);
    if (!isBegin && (within.length >= ITEMS || !`${uri} ${name}`.toLowerCase().includes(wanted))) continue;
    (isBegin ? begin : within).push({ text: mentionOf(server, uri), about: showLine(name), isWhole: true });
    if (begin.length >= ITEMS) break;
  }
  const templates = catalog.templates.flatMap(({ uri, name }): CompletionItem[] => {
    const start = uri.slice(0, uri.indexOf('{'));
    if (!uri.includes('{') || !start.toLowerCase().startsWith(wanted) || start.length <= wanted.length) return [];
    return [{ text: `@${quotedMention(server)}:${start}`, about: showLine(`${uri}: ${name}`), isWhole: false }];
  });
  return [...begin, ...within, ...templates].slice(0, ITEMS);
}

/** Values for the first variable of a template, once the text before it is typed. Never rejects. */
async function blankItems(
  host: Host,
  { name: server, catalog }: RunningServer,
  typed: string,
  signal: AbortSignal,
): Promise<readonly CompletionItem[]> {
  const begun = catalog.templates.filter(
    ({ uri }) => uri.includes('{') && typed.startsWith(uri.slice(0, uri.indexOf('{'))),
  );
  const found = await Promise.all(
    begun.slice(0, TEMPLATES).map(async ({ uri, name }): Promise<readonly CompletionItem[]> => {
      const [blank] = templateVariables(uri);
      const start = uri.slice(0, uri.indexOf('{'));
      const rest = uri.slice(uri.indexOf('}') + 1);
      if (blank === undefined) return [];
      const argument = { name: blank, value: typed.slice(start.length) };
      const answer = await host.complete({
        server,
        ref: { type: 'ref/resource', uri },
        argument,
        signal,
        timeoutMs: WAIT_MS,
      });
      if (!answer.ok) return [];
      // The user fills in what follows the first variable.
      const end = rest.includes('{') ? rest.slice(0, rest.indexOf('{')) : rest;
      return answer.values.map((value) => ({
        text: `@${quotedMention(server)}:${start}${encodeURIComponent(value)}${end}`,
        about: showLine(name),
        isWhole: !rest.includes('{'),
      }));
    }),
  );
  return found.flat().slice(0, ITEMS);
}

const ITEMS = 50; // a menu shows a handful; typing more narrows the list
const TEMPLATES = 3;
const WAIT_MS = 5_000;
