import { isObject, type JsonObject } from '../../base/json.js';
import { shorten } from '../../base/shorten.js';
import type { ModelCallResult } from './profile.js';

export type ResultPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly mimeType: string; readonly data: string };

/** A result's blocks as texts and images, the only kinds that all APIs take. Never empty. */
export function toResultParts({ content, name }: ModelCallResult, images: ReadonlySet<string>): readonly ResultPart[] {
  const parts = content
    .map((block) => toPart(block, images))
    .filter((part) => part.kind !== 'text' || part.text !== '');
  return parts.length > 0 ? parts : [{ kind: 'text', text: `(${name} completed with no output)` }];
}

/** The texts, joined by line breaks. */
export function joinResultTexts(parts: readonly ResultPart[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

/** The names of the tools that ToolSearch has found. */
export function toMatches({ structuredContent }: Pick<ModelCallResult, 'structuredContent'>): readonly string[] {
  const matches = isObject(structuredContent) ? structuredContent['matches'] : undefined;
  if (!Array.isArray(matches)) return [];
  const names = matches.map((match: unknown) => (isObject(match) ? match['name'] : match));
  return [...new Set(names.filter((name): name is string => typeof name === 'string'))];
}

function toPart(block: JsonObject, images: ReadonlySet<string>): ResultPart {
  const { type, data, mimeType } = block;
  if (type === 'text') return text(typeof block['text'] === 'string' ? block['text'] : '');
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string' && images.has(mimeType))
    return { kind: 'image', mimeType, data };
  if (type === 'image' || type === 'audio') return text(`[${toWord(type)} that cannot be shown: ${toWord(mimeType)}]`);
  if (type === 'resource_link') return text(toLink(block));
  if (type === 'resource' && isObject(block['resource'])) return text(toResource(block['resource']));
  return text(`[Content of a kind that cannot be shown: ${toWord(type)}]`);
}

function toLink({ name, uri, description }: JsonObject): string {
  const about = typeof description === 'string' && description !== '' ? ` (${description})` : '';
  return `[Resource link: ${toWord(name)}] ${toWord(uri)}${about}`;
}

function toResource(resource: JsonObject): string {
  const { uri, text: words, mimeType } = resource;
  if (typeof words === 'string') return `[Resource ${toWord(uri)}]\n${words}`;
  return `[Resource ${toWord(uri)} that cannot be shown: ${toWord(mimeType)}]`;
}

function text(words: string): ResultPart {
  return { kind: 'text', text: words };
}

function toWord(value: unknown): string {
  return typeof value === 'string' && value !== '' ? shorten(value, WORD) : 'unnamed';
}

const WORD = 2_000; // characters; a URI that is cut would lead elsewhere
