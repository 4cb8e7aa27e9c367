// Skills: https://modelcontextprotocol.io/seps/2640-skills-extension
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { gateLine } from '../../model/text/text-gate.js';
import { badResponse } from '../../wire/response.js';
import type { CallOptions } from '../../wire/peer.js';
import { INVALID_PARAMS, isRpc } from '../../wire/rpc-codes.js';
import type { Connection } from '../connect.js';
import { isKey } from './list-items.js';
import { listPages, warningsOf } from './list-pages.js';
import { URI_LIMIT } from '../requests/read-resource.js';
import type { ServerResourceDefinition } from './resource-definition.js';
import { readDescription, readTitle, type Redact } from './server-text.js';

export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';

/** Capability that declares support for skills: servers list skills only to clients that declare it. */
export const SKILLS_CAPABILITY = { extensions: { [SKILLS_EXTENSION]: {} } } as const;

/** A skill as its server lists it. Its files are read only when the skill is used. */
export interface ServerSkillDefinition {
  /** URI of its SKILL.md. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  /** Frontmatter of its SKILL.md, according to the server; undefined when the skill is known only as a resource. */
  readonly frontmatter: Readonly<Record<string, unknown>> | undefined;
  /** All files of the skill; `dynamic` when the server does not list them in advance. */
  readonly files: readonly SkillFile[] | 'dynamic';
}

/** A skill as the catalog keeps it, from the last listing: enough to tell of it and to know its files. */
export interface ListedSkill extends Pick<ServerSkillDefinition, 'uri' | 'name' | 'description'> {
  /** URIs of all its files; `dynamic` when the server does not list them in advance. */
  readonly files: readonly string[] | 'dynamic';
}

export interface SkillFile {
  readonly uri: string;
  /** SHA-256, in hex. */
  readonly digest: string;
  readonly size: number;
}

export interface SkillList {
  readonly skills: readonly ServerSkillDefinition[];
  /** The skills as the server wrote them, in the same order. */
  readonly written: readonly JsonObject[];
  readonly warnings: readonly string[];
  /** Milliseconds that the list stays fresh, as the server says. */
  readonly ttlMs: number;
}

/** All skills of a server with the skills extension; none without it. Reads no file. */
export async function listSkills(connection: Connection, options: CallOptions = {}): Promise<SkillList> {
  if (!hasSkills(connection)) return { skills: [], written: [], warnings: [], ttlMs: 0 };
  const request = { method: 'skills/list', key: 'skills' };
  const pages = await listPages(connection, request, {
    ...options,
    limit: SKILL_LIMIT,
    isOptional: true,
  });
  const { items, ttlMs } = pages;
  const skills = new Map<string, { readonly skill: ServerSkillDefinition; readonly item: JsonObject }>();
  const reasons: string[] = [];
  let room = FILE_NAMES_LIMIT;
  for (const item of items) {
    const skill = readSkillEntry(item, connection.redact);
    if ('reason' in skill) reasons.push(skill.reason);
    else if (!skills.has(skill.uri)) {
      const length = skill.files === 'dynamic' ? 0 : skill.files.reduce((sum, { uri }) => sum + uri.length, 0);
      if (length > room) reasons.push('the server lists too many files');
      else {
        room -= length;
        skills.set(skill.uri, { skill, item: item as JsonObject });
      }
    }
  }
  const told = reasons.slice(0, REASONS).map((reason) => `a skill is left out: ${reason}`);
  const rest = reasons.length - told.length;
  return {
    skills: Array.from(skills.values(), ({ skill }) => skill),
    written: Array.from(skills.values(), ({ item }) => item),
    warnings: [...warningsOf(pages), ...told, ...(rest > 0 ? [`${rest} more skills are left out`] : [])],
    ttlMs,
  };
}

export function toListedSkill({ uri, name, description, files }: ServerSkillDefinition): ListedSkill {
  return { uri, name, description, files: files === 'dynamic' ? files : files.map((file) => file.uri) };
}

/** Reads what `toListedSkill` wrote to the cache file; undefined when it holds something else. */
export function parseListedSkill(item: { readonly [field: string]: unknown }): ListedSkill | undefined {
  const { uri, files } = item;
  const name = readTitle(item['name'], asItIs) ?? '';
  if (!isKey(uri, URI_LIMIT) || name === '') return undefined;
  const isList = Array.isArray(files) && files.length <= SKILL_FILES_LIMIT;
  if (files !== 'dynamic' && !(isList && files.every((file) => isKey(file, URI_LIMIT)))) return undefined;
  return { uri, name, description: readDescription(item['description'], asItIs), files: files as ListedSkill['files'] };
}

/** A skill that may be missing from the list. Rejects with a HostError when the server has none with this URI. */
export async function getSkill(
  connection: Connection,
  uri: string,
  options: CallOptions = {},
): Promise<ServerSkillDefinition> {
  const { session, name: server, redact } = connection;
  const method = 'skills/get';
  try {
    const { skill } = await session.request(method, { uri }, options);
    const found = readSkillEntry(skill, redact);
    if ('reason' in found) throw badResponse({ server, method }, found.reason);
    if (found.uri !== uri) throw badResponse({ server, method }, 'it is another skill than the one that was asked for');
    return found;
  } catch (error) {
    if (!isRpc(error, INVALID_PARAMS) && !isRpc(error, METHOD_NOT_FOUND)) throw error;
    const shown = gateLine(uri, { limit: 300 }).text;
    throw new HostError('unknown-resource', `Server "${server}" has no skill "${shown}"`, { cause: error });
  }
}

/** A skill as the server describes it now; undefined when it has none, or does not have the extension. */
export async function currentSkill(
  connection: Connection,
  uri: string,
  options: CallOptions = {},
): Promise<ServerSkillDefinition | undefined> {
  if (!hasSkills(connection)) return undefined;
  const found = await getSkill(connection, uri, options).catch((error: unknown) => {
    if (error instanceof HostError && error.code === 'unknown-resource') return undefined;
    throw error;
  });
  // Some servers answer only for their list.
  return found ?? (await listSkills(connection, options)).skills.find((skill) => skill.uri === uri);
}

/** Makes a skill of a resource that is a SKILL.md, also on servers without the extension. */
export function toSkill({ uri, name, description }: ServerResourceDefinition): ServerSkillDefinition | undefined {
  const [, path] = SKILL_URI.exec(uri) ?? [];
  if (path === undefined) return undefined;
  const folder = readTitle(path.slice(path.lastIndexOf('/') + 1), asItIs)!;
  const isNamed = name !== '' && name !== uri && name !== 'SKILL.md';
  const own = isNamed ? name : folder;
  return own === '' ? undefined : { uri, name: own, description, frontmatter: undefined, files: 'dynamic' };
}

/** Whether the URI of a resource is that of a skill, also on servers without the extension. */
export function isSkillUri(uri: string): boolean {
  return SKILL_URI.test(uri);
}

const SKILL_URI = /^skill:\/\/(.+)\/SKILL\.md$/u;

/** URIs in a folder of a `dynamic` skill; empty when the server does not support directory reads. */
export async function readDirectory(
  connection: Connection,
  uri: string,
  options: CallOptions = {},
): Promise<readonly string[]> {
  if (settingsOf(connection.session.capabilities)?.['directoryRead'] !== true) return [];
  const request = { method: 'resources/directory/read', key: 'resources', params: { uri } };
  const { items } = await listPages(connection, request, { ...options, limit: SKILL_FILES_LIMIT });
  return items.flatMap((item) => (isObject(item) && isKey(item['uri'], URI_LIMIT) ? [item['uri']] : []));
}

export function hasSkills(connection: Connection): boolean {
  return declaresSkills(connection.session.capabilities);
}

export function declaresSkills(capabilities: JsonObject): boolean {
  return settingsOf(capabilities) !== undefined;
}

export const SKILL_FILES_LIMIT = 512; // the minimum that a host must support
export const SIZE_LIMIT = 16 * 1024 * 1024;

const SKILL_LIMIT = 1_000;
const FILE_NAMES_LIMIT = 4_000_000; // characters of all files' URIs; the cache would keep any number of them
const REASONS = 5;
const METHOD_NOT_FOUND = -32601;

/** Texts in the cache, and of the catalog, have been redacted already. */
const asItIs = (text: string): string => text;

const FIELD_LIMIT = 8_000; // characters of JSON in a frontmatter; a longer one in SKILL.md is not parsed either

function settingsOf({ extensions }: JsonObject): { readonly [field: string]: unknown } | undefined {
  const settings = isObject(extensions) ? extensions[SKILLS_EXTENSION] : undefined;
  return isObject(settings) ? settings : undefined;
}

function readSkillEntry(item: unknown, redact: Redact): ServerSkillDefinition | { readonly reason: string } {
  if (!isObject(item)) return { reason: 'it is no object' };
  const { uri, frontmatter, resources } = item;
  if (!isKey(uri, URI_LIMIT) || !uri.endsWith('/SKILL.md')) return { reason: 'its uri is not that of a SKILL.md' };
  const name = isObject(frontmatter) ? readTitle(frontmatter['name'], redact)?.trim() : undefined;
  if (!isObject(frontmatter) || name === undefined || name === '') return { reason: 'it has no name' };
  if (JSON.stringify(frontmatter).length > FIELD_LIMIT) return { reason: 'its frontmatter is too long' };
  const files = readFiles(resources, uri);
  if ('reason' in files) return files;
  return {
    uri,
    name,
    description: readDescription(frontmatter['description'], redact),
    frontmatter,
    files: files.files,
  };
}

function readFiles(
  resources: unknown,
  skill: string,
): { readonly files: ServerSkillDefinition['files'] } | { readonly reason: string } {
  if (resources === 'dynamic') return { files: 'dynamic' };
  if (!Array.isArray(resources)) return { reason: 'it does not say which files it has' };
  if (resources.length > SKILL_FILES_LIMIT) return { reason: `it has more than ${SKILL_FILES_LIMIT} files` };
  const files: SkillFile[] = [];
  let total = 0;
  for (const file of resources as unknown[]) {
    const { uri, digest, size } = isObject(file) ? file : ({} as { [field: string]: unknown });
    const [, hex] = typeof digest === 'string' ? (/^sha256:([0-9a-f]{64})$/u.exec(digest) ?? []) : [];
    const isSize = Number.isSafeInteger(size) && (size as number) >= 0;
    if (!isKey(uri, URI_LIMIT) || hex === undefined || !isSize) return { reason: 'one of its files is malformed' };
    if (!isInSkillFolder(uri, skill)) return { reason: 'one of its files lies outside of it' };
    total += size as number;
    files.push({ uri, digest: hex, size: size as number });
  }
  if (total > SIZE_LIMIT) return { reason: `its files have more than ${SIZE_LIMIT} bytes` };
  if (!files.some(({ uri }) => uri === skill)) return { reason: 'its SKILL.md is not among its files' };
  return { files };
}

/** Whether a file lies in the folder of a skill, judged by its URI alone. */
export function isInSkillFolder(uri: string, skill: string): boolean {
  const folder = skill.slice(0, -'SKILL.md'.length);
  return uri.startsWith(folder) && !/(?:^|[/\\])\.\.?(?:[/\\]|$)|%2e|%2f|%5c|[?#]/iu.test(uri.slice(folder.length));
}
