import { HostError } from '../../base/errors.js';
import { shorten } from '../../base/shorten.js';
import type { ResourceContent } from '../../connection/requests/read-resource.js';
import type { SavedFile } from '../../model/tool.js';
import { decodeBase64 } from '../../results/binary/base64.js';
import type { ResultStore } from '../../results/result-store.js';
import { sniffType } from '../../results/binary/sniff-type.js';

/** The bytes of one part of a resource. Throws a HostError when its blob is not valid base64. */
export function bytesOf(content: ResourceContent): Buffer {
  if ('text' in content) return Buffer.from(content.text, 'utf8');
  if (content.blob === '') return Buffer.alloc(0);
  const bytes = decodeBase64(content.blob);
  if (bytes) return bytes;
  throw new HostError('bad-answer', `The blob of resource "${shorten(content.uri, 300)}" is not valid base64`, {
    hint: 'This is a fault of the server; --json shows what it sent',
  });
}

/** Saves content in the results folder under a generated name. Rejects with a HostError when it cannot be written. */
export async function saveContent(store: ResultStore, content: ResourceContent): Promise<SavedFile> {
  const bytes = bytesOf(content);
  const { mimeType, extension } = sniffType(bytes);
  const file = store.open(extension);
  await file.write(bytes);
  return { path: await file.end(), bytes: bytes.length, mimeType };
}
