// Kinds of content: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result
import { isObject, type JsonObject } from '../base/json.js';
import { Spilled } from '../model/spilled.js';
import { binaryParts } from './binary/binary-parts.js';
import { from, linePart, type Part, type Shaping, textPart, shortTextOf } from './shaping.js';

/** The parts of one content block for a model. Never rejects: what cannot be shown becomes a line that says so. */
export function partsOf(block: JsonObject, shaping: Shaping): readonly Part[] | Promise<readonly Part[]> {
  const { server } = shaping.options;
  switch (block['type']) {
    case 'text':
      return textParts(block['text']);
    case 'image':
    case 'audio': {
      const label = from(block['type'] === 'image' ? 'Image' : 'Audio', server);
      return binaryParts({ label, data: block['data'], claimed: block['mimeType'] }, shaping);
    }
    case 'resource':
      return resourceParts(block['resource'], shaping);
    case 'resource_link':
      return [textPart(linkText(block))];
    default:
      return [
        linePart(`[A block of the type "${shortTextOf(block['type'], 60) ?? '?'}" is not shown: nobody knows it]`),
      ];
  }
}

/** The text that replaces a block for the user only. */
export function standInFor({ type }: JsonObject): string {
  return `[${STAND_INS.get(type) ?? 'something'} for the user]`;
}

const STAND_INS: ReadonlyMap<unknown, string> = new Map([
  ['text', 'a text'],
  ['image', 'an image'],
  ['audio', 'a sound'],
  ['resource', 'a resource'],
  ['resource_link', 'a resource'],
]);

/** Whether the block's audience does not include the model. */
export function isForUserOnly({ annotations }: JsonObject): boolean {
  const audience = isObject(annotations) ? annotations['audience'] : undefined;
  return Array.isArray(audience) && audience.includes('user') && !audience.includes('assistant');
}

function textParts(text: unknown): readonly Part[] {
  if (text instanceof Spilled) return [{ kind: 'spilled', spilled: text }];
  return typeof text === 'string' ? [textPart(text)] : [linePart('[A text that is none is not shown]')];
}

function resourceParts(resource: unknown, shaping: Shaping): readonly Part[] | Promise<readonly Part[]> {
  if (!isObject(resource)) return [linePart('[A resource that is none is not shown]')];
  const { uri, text, blob, mimeType } = resource;
  const label = `${from('Resource', shaping.options.server)} at ${shortTextOf(uri) ?? 'no address'}`;
  const words =
    typeof text === 'string' && text.length <= SHORT
      ? [textPart(`[${label}] ${text}`)]
      : typeof text === 'string' || text instanceof Spilled
        ? [linePart(`[${label}]`), ...textParts(text)]
        : [];
  if (blob === undefined) return words.length > 0 ? words : [linePart(`[${label}] It has no content`)];
  const bytes = withLabel(label, binaryParts({ label, data: blob, claimed: mimeType }, shaping));
  return words.length === 0 ? bytes : bytes.then((parts) => [...words, ...parts]);
}

/** Puts a label before an image, which does not show its origin. */
async function withLabel(label: string, parts: Promise<readonly Part[]>): Promise<readonly Part[]> {
  const made = await parts;
  return made.some(({ kind }) => kind === 'image') ? [linePart(`[${label}]`), ...made] : made;
}

function linkText(link: JsonObject): string {
  const { uri, name, title, description } = link;
  const about = shortTextOf(description, DESCRIPTION_LIMIT);
  const label = shortTextOf(name) ?? shortTextOf(title) ?? 'unnamed';
  return `[Resource link: ${label}] ${shortTextOf(uri, URI_LIMIT) ?? 'no address'}${about === undefined ? '' : ` (${about})`}`;
}

const SHORT = 16_384; // longer texts are not copied just to prefix a label
const URI_LIMIT = 2_048;
const DESCRIPTION_LIMIT = 1_000;
