import type { ContentBlock } from '../../model/tool.js';
import { usageError } from '../usage-error.js';

/** What a screen can show of a result: a picture only by the name of a file. `state`: the folder that files go to; undefined where nobody needs them. */
export async function showable(
  content: readonly ContentBlock[],
  state: string | undefined,
): Promise<readonly ContentBlock[]> {
  if (state === undefined || content.every(({ type }) => type !== 'image')) return content;
  const { saveContent } = await import('../../host/calls/save-content.js');
  return Promise.all(
    content.map(async (block) => {
      const { type, data, mimeType } = block;
      if (type !== 'image' || typeof data !== 'string') return block;
      try {
        const { path, bytes } = await saveContent(state, { uri: '', blob: data, mimeType: String(mimeType) });
        return { type: 'text', text: `[image ${String(mimeType)}, ${bytes} bytes, saved to ${path}]` };
      } catch {
        return block; // a disk that is full is no reason not to show the rest
      }
    }),
  );
}

/** What `name=@file` stands for. Throws `usage`. */
export async function readArgument(path: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw usageError(`${path} cannot be read`, { hint: `For a text that begins with @ write name:='"@text"'`, cause });
  }
}
