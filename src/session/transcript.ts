import { unreachable } from '../base/never.js';
import { shorten } from '../base/shorten.js';
import type { CallResult } from '../host/host-options.js';
import type { ContentBlock } from '../model/content/content-block.js';
import type { StoredItem } from './journal.js';
import type { AssistantPart, UserPart } from './message.js';

/**
 * One message as paragraphs of Markdown: what was said, each call and each result. Reasoning is left out. `limit`: the
 * most characters of one text or result.
 */
export function sectionsOf(item: StoredItem, limit = Infinity): readonly string[] {
  if (item.kind === 'results') return item.results.flatMap((result) => resultSections(result, limit));
  const { message, from = 'user' } = item;
  const parts = message.parts.flatMap((part): string[] => partSections(part, limit));
  if (parts.length === 0) return [];
  return [`## ${message.role === 'assistant' ? 'Model' : HEADINGS[from]}`, ...parts];
}

const HEADINGS = { user: 'User', host: 'Plugboard', summary: 'Summary of what came before' } as const;

function partSections(part: AssistantPart | UserPart, limit: number): string[] {
  switch (part.kind) {
    case 'text':
      return [cut(part.text.trim(), limit)];
    case 'image':
      return [`[image, ${part.mimeType}]`];
    case 'reasoning':
      return [];
    case 'call':
      return [`Call of ${inline(part.name)}:`, fenced(cut(JSON.stringify(part.input, null, 2), limit), 'json')];
    case 'provider-call':
      return [
        `Call of ${inline(part.name)}, by the provider:`,
        fenced(cut(JSON.stringify(part.input, null, 2) ?? '', limit), 'json'),
      ];
    case 'provider-result':
      return [`Result of ${inline(part.name)}${part.isError ? ', an error' : ''}, from the provider.`];
    default:
      return unreachable(part);
  }
}

function resultSections({ name, outcome, content, saved }: CallResult, limit: number): string[] {
  const files = saved.map(({ path, bytes }) => `Saved: ${inline(path)} (${bytes} bytes)`);
  return [`Result of ${inline(name)}: ${outcome}`, fenced(cut(content.map(blockText).join('\n'), limit), ''), ...files];
}

function blockText(block: ContentBlock): string {
  return block.type === 'text' ? block.text : `[${block.type}]`;
}

/** A fence longer than any in the text, so that the text cannot end its block. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Text within a line of Markdown, which it cannot leave. */
export function inline(text: string): string {
  return `\`${text.replaceAll(/[`\r\n]/gu, ' ')}\``;
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : shorten(text, limit);
}
