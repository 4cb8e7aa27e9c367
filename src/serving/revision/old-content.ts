import { isObject, type JsonObject } from '../../base/json.js';
import { SINCE } from './revisions.js';

/** Content blocks as a client of this revision knows them; the same array where all of them are. */
export function toOldContent(blocks: readonly unknown[], revision: string): readonly unknown[] {
  if (revision >= SINCE.resourceLinks) return blocks;
  let changed: unknown[] | undefined;
  for (const [index, block] of blocks.entries()) {
    const old = toOldBlock(block, revision, index);
    if (old !== block) (changed ??= [...blocks])[index] = old;
  }
  return changed ?? blocks;
}

/** What the client does not know becomes what says the same to it. Fields that it does not know stay. */
export function toOldBlock(block: unknown, revision: string, index = 0): unknown {
  if (!isObject(block)) return block;
  if (block['type'] === 'resource_link' && revision < SINCE.resourceLinks) return toText(block);
  return block['type'] === 'audio' && revision < SINCE.audio ? toResource(block, index) : block;
}

/** A resource in a message needs a URI, which audio has none of. */
function toResource({ type: _type, data, mimeType, ...rest }: JsonObject, index: number): JsonObject {
  const uri = `plugboard:audio/${index + 1}`;
  return { type: 'resource', resource: { uri, ...(mimeType !== undefined && { mimeType }), blob: data }, ...rest };
}

function toText({ name, uri, annotations, _meta: meta }: JsonObject): JsonObject {
  const words = [name, uri].filter((word) => typeof word === 'string');
  return {
    type: 'text',
    text: words.join(': '),
    ...(annotations !== undefined && { annotations }),
    ...(meta !== undefined && { _meta: meta }),
  };
}
