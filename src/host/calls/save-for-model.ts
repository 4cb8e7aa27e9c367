import type { ContentBlock } from '../../model/content/content-block.js';
import type { SavedFile } from '../../model/tool.js';
import { decodeBase64 } from '../../results/binary/base64.js';
import { sniffType } from '../../results/binary/sniff-type.js';
import type { ResultStore } from '../../results/result-store.js';
import { writeText } from '../../results/text-file.js';

/**
 * Saves content that a model has read already: its texts in one file, each image in one of its own. Empty where nothing
 * can be saved; then nothing is. Never rejects.
 */
export async function saveForModel(
  store: ResultStore | undefined,
  blocks: readonly ContentBlock[],
): Promise<readonly SavedFile[]> {
  if (!store) return [];
  try {
    const texts = blocks.map(toText).filter((text) => text !== '');
    const files: SavedFile[] = [];
    if (texts.length > 0) {
      const { path, bytes } = await writeText(store, texts, { extension: 'txt' });
      files.push({ path, bytes, mimeType: 'text/plain' });
    }
    for (const block of blocks) {
      const bytes = block.type === 'image' ? decodeBase64(block.data) : undefined;
      if (bytes) files.push(await saveBytes(store, bytes));
    }
    return files;
  } catch {
    return []; // a full disk costs only the room that was to be made
  }
}

async function saveBytes(store: ResultStore, bytes: Buffer): Promise<SavedFile> {
  const { mimeType, extension } = sniffType(bytes);
  const file = store.open(extension);
  await file.write(bytes);
  return { path: await file.end(), bytes: bytes.length, mimeType };
}

function toText(block: ContentBlock): string {
  if (block.type === 'text') return `${block.text}\n`;
  return block.type === 'image' ? '' : `${JSON.stringify(block)}\n`;
}
