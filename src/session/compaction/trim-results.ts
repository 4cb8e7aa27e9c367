import { shorten } from '../../base/shorten.js';
import type { Host } from '../../host/host.js';
import type { CallResult } from '../../host/host-options.js';
import type { SavedFile } from '../../model/tool.js';
import { type ConversationItem, toResultsItem } from '../conversation-items.js';
import { TOOL_SEARCH } from './kept-searches.js';
import { unreadFrom } from './plan-cut.js';

export interface TrimOptions {
  readonly host: Pick<Host, 'saveContent'>;
  /** A result with more characters is large. */
  readonly large: number;
  readonly write: (results: readonly CallResult[]) => readonly object[];
}

/**
 * Replaces large results that the model has read by where they are saved, which saves the most and loses nothing. A
 * result that cannot be saved stays. Returns the same items where there is none.
 */
export async function trimResults(
  items: readonly ConversationItem[],
  options: TrimOptions,
): Promise<readonly ConversationItem[]> {
  const unread = unreadFrom(items);
  const trimmed: ConversationItem[] = [];
  for (const [at, item] of items.entries()) trimmed.push(at < unread ? await trimItem(item, options) : item);
  return trimmed.every((item, at) => item === items[at]) ? items : trimmed;
}

async function trimItem(item: ConversationItem, options: TrimOptions): Promise<ConversationItem> {
  const { stored } = item;
  if (stored.kind !== 'results') return item;
  const results: CallResult[] = [];
  for (const result of stored.results) results.push(await trimResult(result, options));
  if (results.every((result, at) => result === stored.results[at])) return item;
  return toResultsItem(results, options.write);
}

async function trimResult(result: CallResult, { host, large }: TrimOptions): Promise<CallResult> {
  const { content, name, saved } = result;
  const size = sizeOf(content);
  // What a search has found is kept as a whole, or not at all: see `keptSearches`.
  if (size <= large || name === TOOL_SEARCH) return result;
  const files = await host.saveContent(content);
  if (files.length === 0) return result;
  const { structuredContent: _, ...rest } = result;
  const text = `${toNotice(name, size, files)}${toBeginning(content)}`;
  return { ...rest, content: [{ type: 'text', text }], saved: [...saved, ...files] };
}

function toNotice(name: string, size: number, files: readonly SavedFile[]): string {
  const paths = files.map(({ path }) => path).join(', ');
  return `[From the host: you have read this result of ${name} (${size.toLocaleString('en')} characters). To make room it was moved to ${paths}, which Read shows.]`;
}

function toBeginning(content: CallResult['content']): string {
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).find((words) => words.trim() !== '');
  return text === undefined ? '' : `\nIt began:\n${shorten(text.trim(), BEGINNING)}`;
}

function sizeOf(content: CallResult['content']): number {
  return content.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : OTHER_SIZE), 0);
}

const BEGINNING = 300; // characters by which the model recognises the result
const OTHER_SIZE = 6_400; // what an image costs, in characters
