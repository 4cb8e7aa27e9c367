import { HostError } from '../base/errors.js';
import { nearest } from '../base/nearest.js';
import { shorten } from '../base/shorten.js';
import type { Connection } from '../connection/connection.js';
import type { Link } from '../connection/connect.js';
import type { ResourceContent } from '../connection/read-resource.js';
import { type LoadedSkill, readSkill, readSkillFile } from '../connection/read-skill.js';
import { getSkill, hasSkills, listSkills, type RemoteSkill, toSkill } from '../connection/remote-skill.js';
import type { CallOptions } from '../wire/peer.js';
import { type Answered, type AskOptions, toAnswered, unanswered } from './answered.js';
import { ask, findConnection, type OfferParts } from './offer-parts.js';

export interface HostSkill {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  /** Of its SKILL.md. */
  readonly uri: string;
}

export interface SkillRequest extends AskOptions {
  readonly server: string;
  /** Its address, or its name. */
  readonly skill: string;
  /** Another file of it, by its address. */
  readonly file?: string | undefined;
}

/** The skills of all servers that are connected, or of one, and those that are known as resources. Nothing of them is read. Never rejects. */
export async function listHostSkills(
  parts: OfferParts,
  { server, ...options }: AskOptions & { readonly server?: string | undefined } = {},
): Promise<{ readonly skills: readonly HostSkill[]; readonly notes: readonly string[] }> {
  const running = parts
    .connections()
    .filter(({ name, status }) => status.kind !== 'disabled' && (server === undefined || name === server));
  const found = await Promise.all(running.map((connection) => skillsOf(connection, options)));
  return {
    skills: found.flatMap(({ skills }, at) => {
      return skills.map(({ name, description, uri }) => ({ server: running[at]!.name, name, description, uri }));
    }),
    notes: found.flatMap(({ warnings }, at) => warnings.map((warning) => `"${running[at]!.name}": ${warning}`)),
  };
}

/** A skill that is to be used: its instructions, once they are what was listed. Never rejects. */
export async function readHostSkill(parts: OfferParts, request: SkillRequest): Promise<Answered<LoadedSkill>> {
  const found = await findSkill(parts, request);
  if ('error' in found) return unanswered(found.error);
  const { connection, skill } = found;
  return toAnswered(await ask(connection, (link, left) => readSkill(link, skill, left), request));
}

/** Another file of a skill, as strictly. Never rejects. */
export async function readHostSkillFile(
  parts: OfferParts,
  request: SkillRequest & { readonly file: string },
): Promise<Answered<{ readonly content: ResourceContent }>> {
  const found = await findSkill(parts, request);
  if ('error' in found) return unanswered(found.error);
  const { connection, skill } = found;
  return toAnswered(
    await ask(
      connection,
      async (link, left) => ({ content: await readSkillFile(link, skill, request.file, left) }),
      request,
    ),
  );
}

interface FoundSkills {
  readonly skills: readonly RemoteSkill[];
  readonly warnings: readonly string[];
}

async function skillsOf(connection: Connection, options: AskOptions): Promise<FoundSkills> {
  const { status, catalog } = connection;
  const listed =
    status.kind === 'connected' ? await ask(connection, (link, left) => listSkills(link, left), options) : undefined;
  const skills = listed?.outcome === 'ok' ? listed.result.skills : [];
  const known = new Set(skills.map(({ uri }) => uri));
  const candidates = catalog.resources.filter(({ uri }) => uri.startsWith('skill://') && !known.has(uri));
  const others = await Promise.all(candidates.slice(0, SKILL_LIMIT).map(({ uri }) => catalog.resource(uri)));
  return {
    skills: [...skills, ...others.flatMap((resource) => (resource && toSkill(resource)) ?? [])],
    warnings: listed?.outcome === 'ok' ? listed.result.warnings : listed ? [listed.error.message] : [],
  };
}

const SKILL_LIMIT = 1_000;

async function promised(link: Link, uri: string, options: CallOptions): Promise<RemoteSkill | undefined> {
  if (!hasSkills(link)) return undefined;
  return getSkill(link, uri, options).catch((error: unknown) => {
    if (error instanceof HostError && error.code === 'unknown-resource') return undefined;
    throw error;
  });
}

async function findSkill(
  parts: OfferParts,
  { server, skill: wanted, ...options }: SkillRequest,
): Promise<{ readonly connection: Connection; readonly skill: RemoteSkill } | { readonly error: HostError }> {
  const connection = findConnection(parts, server);
  if (connection instanceof HostError) return { error: connection };
  const { skills } = await skillsOf(connection, options);
  const found = skills.find(({ uri }) => uri === wanted) ?? skills.find(({ name }) => name === wanted);
  if (found?.frontmatter) return { connection, skill: found };
  const uri = found?.uri ?? wanted;
  if (uri.includes('://')) {
    // A server need not list all that it has; what it promises of one holds, also where that is a resource as well.
    const asked = await ask(connection, (link, left) => promised(link, uri, left), options);
    if (asked.outcome !== 'ok') return { error: asked.error };
    if (asked.result) return { connection, skill: asked.result };
  }
  if (found) return { connection, skill: found };
  const [close] = nearest(
    wanted,
    skills.flatMap((skill) => [skill.name, skill.uri]),
  );
  return {
    error: new HostError('unknown-resource', `Server "${server}" has no skill "${shorten(wanted, 100)}"`, {
      ...(close !== undefined && { hint: `Did you mean "${close}"?` }),
    }),
  };
}
