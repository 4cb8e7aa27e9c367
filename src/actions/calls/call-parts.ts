import type { JsonObject } from '../../base/json.js';
import type { HostInside } from '../../host/host-inside.js';
import { usageError } from '../usage-error.js';

/** The blocks for a screen, each image replaced by the name of its file. `store`: for the files; undefined: unchanged. */
export async function showable(
  content: readonly JsonObject[],
  store: HostInside['results'],
): Promise<readonly JsonObject[]> {
  if (store === undefined || content.every(({ type }) => type !== 'image')) return content;
  const { saveContent } = await import('../../host/calls/save-content.js');
  const { toScreenImage } = await import('../../host/calls/screen-image.js');
  return Promise.all(
    content.map(async (block) => {
      const { type, data, mimeType } = block;
      if (type !== 'image' || typeof data !== 'string') return block;
      try {
        const { path, bytes } = await saveContent(store, { uri: '', blob: data, mimeType: String(mimeType) });
        const image = await toScreenImage(block);
        const size = image ? `, ${image.width}x${image.height}` : '';
        return { type: 'text', text: `[image ${String(mimeType)}${size}, ${bytes} bytes, saved to ${path}]` };
      } catch {
        return block; // a full disk must not hide the other blocks
      }
    }),
  );
}

/** The content of the file in `name=@file`. Throws `usage`. */
export async function readArgument(path: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw usageError(`${path} cannot be read`, { hint: `For a text that begins with @ write name:='"@text"'`, cause });
  }
}
