// Skills: https://modelcontextprotocol.io/seps/2640-skills-extension
import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { gateLine } from '../../model/text/text-gate.js';
import { badResponse } from '../../wire/response.js';
import type { CallOptions } from '../../wire/peer.js';
import { INVALID_PARAMS, isRpc } from '../../wire/rpc-codes.js';
import type { Connection } from '../connect.js';
import { isKey } from './list-items.js';
import { listPages } from './list-pages.js';
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

export interface SkillFile {
  readonly uri: string;
  /** SHA-256, in hex. */
  readonly digest: string;
  readonly size: number;
}

export interface SkillList {
  readonly skills: readonly ServerSkillDefinition[];
  readonly warnings: readonly string[];
}

/** All skills of a server with the skills extension; none without it. Reads no file. */
export async function listSkills(connection: Connection, options: CallOptions = {}): Promise<SkillList> {
  if (!hasSkills(connection)) return { skills: [], warnings: [] };
  const request = { method: 'skills/list', key: 'skills' };
  const { items, warnings } = await listPages(connection, request, {
    ...options,
    limit: SKILL_LIMIT,
    isOptional: true,
  });
  const skills = new Map<string, ServerSkillDefinition>();
  const reasons: string[] = [];
  for (const item of items) {
    const skill = readSkillEntry(item, connection.redact);
    if ('reason' in skill) reasons.push(skill.reason);
    else if (!skills.has(skill.uri)) skills.set(skill.uri, skill);
  }
  const told = reasons.slice(0, REASONS).map((reason) => `a skill is left out: ${reason}`);
  const rest = reasons.length - told.length;
  return {
    skills: [...skills.values()],
    warnings: [...warnings, ...told, ...(rest > 0 ? [`${rest} more skills are left out`] : [])],
  };
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

/** Makes a skill of a resource that is a SKILL.md, also on servers without the extension. */
export function toSkill({ uri, name, description }: ServerResourceDefinition): ServerSkillDefinition | undefined {
  const [, path] = /^skill:\/\/(.+)\/SKILL\.md$/u.exec(uri) ?? [];
  if (path === undefined) return undefined;
  const folder = path.slice(path.lastIndexOf('/') + 1);
  const isNamed = name !== '' && name !== uri && name !== 'SKILL.md';
  return { uri, name: isNamed ? name : folder, description, frontmatter: undefined, files: 'dynamic' };
}

/** URIs in a folder of a `dynamic` skill; empty when the server does not support directory reads. */
export async function readDirectory(
  connection: Connection,
  uri: string,
  options: CallOptions = {},
): Promise<readonly string[]> {
  if (settingsOf(connection)?.['directoryRead'] !== true) return [];
  const request = { method: 'resources/directory/read', key: 'resources', params: { uri } };
  const { items } = await listPages(connection, request, { ...options, limit: SKILL_FILES_LIMIT });
  return items.flatMap((item) => (isObject(item) && isKey(item['uri'], URI_LIMIT) ? [item['uri']] : []));
}

export function hasSkills(connection: Connection): boolean {
  return settingsOf(connection) !== undefined;
}

export const SKILL_FILES_LIMIT = 512; // the minimum that a host must support
export const SIZE_LIMIT = 16 * 1024 * 1024;

const SKILL_LIMIT = 1_000;
const REASONS = 5;
const METHOD_NOT_FOUND = -32601;
const FIELD_LIMIT = 8_000; // characters of JSON in a frontmatter; a longer one in SKILL.md is not parsed either

function settingsOf({ session }: Connection): { readonly [field: string]: unknown } | undefined {
  const { extensions } = session.capabilities;
  const settings = isObject(extensions) ? extensions[SKILLS_EXTENSION] : undefined;
  return isObject(settings) ? settings : undefined;
}

function readSkillEntry(item: unknown, redact: Redact): ServerSkillDefinition | { readonly reason: string } {
  if (!isObject(item)) return { reason: 'it is no object' };
  const { uri, frontmatter, resources } = item;
  if (!isKey(uri, URI_LIMIT) || !uri.endsWith('/SKILL.md')) return { reason: 'its uri is not that of a SKILL.md' };
  if (!isObject(frontmatter) || typeof frontmatter['name'] !== 'string' || frontmatter['name'] === '')
    return { reason: 'it has no name' };
  if (JSON.stringify(frontmatter).length > FIELD_LIMIT) return { reason: 'its frontmatter is too long' };
  const files = readFiles(resources, uri);
  if ('reason' in files) return files;
  return {
    uri,
    name: readTitle(frontmatter['name'], redact)!,
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
