import { gateLine } from '../../model/text/text-gate.js';
import type { ContentBlock } from '../../model/content/content-block.js';
import type { ResourceAnswer, ResourceContent } from './read-resource.js';

/** Contents of a resource as blocks for a model. Binary contents stay separate blocks, so that results/ finds them. */
export function toBlocks(
  server: string,
  { contents, notes }: Pick<ResourceAnswer, 'contents' | 'notes'>,
): readonly ContentBlock[] {
  const blocks = contents.map((content) => toBlock(content, ''));
  return [...blocks, ...toNotes(server, contents.length === 0 ? ['it is empty', ...notes] : notes)];
}

/** As `toBlocks`, each block headed by its URI: for a reader who asked for more than this resource. */
export function toHeadedBlocks(
  server: string,
  { contents, notes }: Pick<ResourceAnswer, 'contents' | 'notes'>,
): readonly ContentBlock[] {
  const blocks = contents.map((content) => toBlock(content, `[Resource from ${server} at ${toLine(content.uri)}]\n`));
  return [...blocks, ...toNotes(server, contents.length === 0 ? ['it is empty', ...notes] : notes)];
}

function toBlock(content: ResourceContent, head: string): ContentBlock {
  if ('text' in content) return { type: 'text', text: head + content.text };
  const { uri, mimeType, blob } = content;
  return { type: 'resource', resource: { uri, ...(mimeType !== undefined && { mimeType }), blob } };
}

function toNotes(server: string, notes: readonly string[]): readonly ContentBlock[] {
  return notes.length === 0 ? [] : [{ type: 'text', text: `[A resource of ${server}: ${notes.join('; ')}]` }];
}

function toLine(text: string): string {
  return gateLine(text, { limit: 300 }).text;
}
