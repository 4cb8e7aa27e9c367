import { unreachable } from '../base/never.js';
import { shorten } from '../base/shorten.js';
import type { CallResult } from '../host/host-options.js';
import type { ContentBlock } from '../model/content/content-block.js';
import { gateLine } from '../model/text/text-gate.js';
import type { StoredItem } from './journal.js';
import type { AssistantPart, UserPart } from './message.js';

/** How the texts of a message are written; as they are by default. */
export interface TextWriters {
  /** The words of the user or the model. */
  readonly said: (text: string) => string;
  /** What is in a message of the user beside the user's words. */
  readonly quoted: (text: string) => string;
  /** Inputs and results, before they are fenced. */
  readonly shown: (text: string) => string;
}

/**
 * One message as paragraphs of Markdown: what was said, each call and each result. Reasoning is left out. `limit`: the
 * most characters of one text or result.
 */
export function sectionsOf(
  item: StoredItem,
  limit = Infinity,
  { said, quoted, shown }: TextWriters = AS_IS,
): readonly string[] {
  const write = { limit, said, shown };
  if (item.kind === 'results') return item.results.flatMap((result) => resultSections(result, write));
  const { message, from = 'user', typed } = item;
  const isTyped = (part: AssistantPart | UserPart): boolean =>
    typed === undefined || (part.kind === 'text' && part.text.startsWith(typed));
  const parts = message.parts.flatMap((part) => partSections(part, isTyped(part) ? write : { ...write, said: quoted }));
  if (parts.length === 0) return [];
  // A prompt of a server does not contain the words that asked for it.
  const words = typed === undefined || message.parts.some(isTyped) ? [] : [said(cut(typed.trim(), limit))];
  return [`## ${message.role === 'assistant' ? 'Model' : HEADINGS[from]}`, ...words, ...parts];
}

interface Writing extends Pick<TextWriters, 'said' | 'shown'> {
  readonly limit: number;
}

const asIs = (text: string): string => text;
const AS_IS: TextWriters = { said: asIs, quoted: asIs, shown: asIs };
const HEADINGS = { user: 'User', host: 'Plugboard', summary: 'Summary of what came before' } as const;

function partSections(part: AssistantPart | UserPart, write: Writing): string[] {
  switch (part.kind) {
    case 'text':
      return [write.said(cut(part.text.trim(), write.limit))];
    case 'image':
      return [`[image, ${inline(part.mimeType)}]`];
    case 'reasoning':
      return [];
    case 'call':
      return [`Call of ${inline(part.name)}:`, fenced(JSON.stringify(part.input, null, 2), 'json', write)];
    case 'provider-call':
      return [
        `Call of ${inline(part.name)}, by the provider:`,
        fenced(JSON.stringify(part.input, null, 2) ?? '', 'json', write),
      ];
    case 'provider-result':
      return [`Result of ${inline(part.name)}${part.isError ? ', an error' : ''}, from the provider.`];
    default:
      return unreachable(part);
  }
}

function resultSections({ name, outcome, content, saved }: CallResult, write: Writing): string[] {
  const files = saved.map(({ path, bytes }) => `Saved: ${inline(path)} (${bytes} bytes)`);
  return [`Result of ${inline(name)}: ${outcome}`, fenced(content.map(blockText).join('\n'), '', write), ...files];
}

function blockText(block: ContentBlock): string {
  return block.type === 'text' ? block.text : `[${block.type}]`;
}

/** A fence longer than any in the text, so that the text cannot end its block. */
function fenced(whole: string, language: string, { limit, shown }: Writing): string {
  const text = shown(cut(whole, limit));
  let longest = 2;
  for (const [ticks] of text.matchAll(/`+/gu)) longest = Math.max(longest, ticks.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Text within a line of Markdown, which it cannot leave. */
export function inline(text: string): string {
  return `\`${gateLine(text).text.replaceAll('`', ' ')}\``;
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : shorten(text, limit);
}
