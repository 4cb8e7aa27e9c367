import { HostError } from '../base/errors.js';
import type { RetriedOutcome } from '../connection/call-with-retries.js';
import type { Connection } from '../connection/connect.js';
import type { ResourceContent } from '../connection/requests/read-resource.js';
import { type LoadedSkill, readSkill, readSkillFile } from '../connection/requests/read-skill.js';
import { toBlocks } from '../connection/requests/resource-blocks.js';
import {
  getSkill,
  hasSkills,
  listSkills,
  type ServerSkillDefinition,
  toSkill,
} from '../connection/catalog/skill-definition.js';
import type { CallOptions } from '../wire/peer.js';
import type { ToolInput } from '../model/tool.js';
import { textOf } from '../tools/act-tools.js';
import { type Answered, type AskOptions, type TypedOptions, unanswered } from './answered.js';
import { readFromServer, findRunning, unknownOffer } from './servers/server-access.js';
import type { HookedBlocks, RequestParts, ServerRequest } from './servers/server-requests.js';
import type { Server } from './servers/server.js';

/** A skill and its server. */
export interface HostSkill {
  /** The name of the server that offers it. */
  readonly server: string;
  /** As the server lists it, cleaned. */
  readonly name: string;
  /** What the skill is for, by which a model chooses it. */
  readonly description: string;
  /** URI of the SKILL.md. */
  readonly uri: string;
}

/** The skill to read. */
export interface SkillRequest extends TypedOptions {
  /** The name of a configured server; it is started if need be. */
  readonly server: string;
  /** The skill's URI or its name. */
  readonly skill: string;
  /** URI of another file of the skill. */
  readonly file?: string | undefined;
}

/** Which skills to list. */
export interface SkillListRequest extends AskOptions {
  /** Only those of this server. */
  readonly server?: string | undefined;
}

/** The known skills. */
export interface ListedSkills {
  /** In the order of their servers. */
  readonly skills: readonly HostSkill[];
  /** Why a server's skills are missing. */
  readonly notes: readonly string[];
}

/** A file of a skill, besides its instructions. */
export interface SkillFileRequest extends SkillRequest {
  /** One of `LoadedSkill.files`. */
  readonly file: string;
}

/** The skills of connected servers (or of one), and those known as resources. Reads no skill. Never rejects. */
export async function listHostSkills(
  parts: RequestParts,
  { server, ...options }: SkillListRequest = {},
): Promise<ListedSkills> {
  const running = parts
    .runningServers()
    .filter(({ name, status }) => status.kind !== 'disabled' && (server === undefined || name === server));
  const found = await Promise.all(running.map((one) => skillsOf(parts, one, options)));
  return {
    skills: found.flatMap(({ skills }, at) => {
      return skills.map(({ name, description, uri }) => ({ server: running[at]!.name, name, description, uri }));
    }),
    notes: found.flatMap(({ warnings }, at) => warnings.map((warning) => `"${running[at]!.name}": ${warning}`)),
  };
}

/** Reads a skill's instructions, and checks them against what the server listed. Never rejects. */
export function readHostSkill(parts: RequestParts, request: SkillRequest): Promise<Answered<LoadedSkill>> {
  return readOfSkill(parts, request, {
    read: (connection, { skill }, left) => readSkill(connection, skill, left),
    blocksOf: ({ instructions }) => [{ type: 'text', text: instructions }],
    applyHooks: ({ instructions }, left) => ({ instructions: textLeft(instructions, left) }),
  });
}

/** Reads another file of a skill, with the same checks. Never rejects. */
export function readHostSkillFile(
  parts: RequestParts,
  request: SkillFileRequest,
): Promise<Answered<{ readonly content: ResourceContent }>> {
  return readOfSkill<{ readonly content: ResourceContent }>(parts, request, {
    read: async (connection, { skill, uri }, left) => ({ content: await readSkillFile(connection, skill, uri, left) }),
    blocksOf: ({ content }) => toBlocks(request.server, { contents: [content], notes: [] }),
    applyHooks: ({ content }, left) => {
      if (left.isWhole && left.others.length === 0) return {};
      const { uri, mimeType } = content;
      return { content: { uri, mimeType, text: textLeft('text' in content ? content.text : '', left) } };
    },
  });
}

interface SkillReading<Answer extends object> extends Pick<ServerRequest<Answer>, 'blocksOf' | 'applyHooks'> {
  /** `uri`: the file of the skill to read. */
  readonly read: (
    connection: Connection,
    of: { readonly skill: ServerSkillDefinition; readonly uri: string },
    options: CallOptions,
  ) => Promise<Answer>;
}

/** Decided like reading a resource. The files of listed skills count as listed resources. */
async function readOfSkill<Answer extends object>(
  parts: RequestParts,
  { server, skill: wanted, file, ...options }: SkillRequest,
  { read, ...seen }: SkillReading<Answer>,
): Promise<Answered<Answer>> {
  const running = findRunning(parts, server);
  const isAsked = !(running instanceof HostError) && parts.maySend('resources', server);
  const { skills } = isAsked ? await skillsOf(parts, running, options) : NO_SKILLS;
  const found = skills.find(({ uri }) => uri === wanted) ?? skills.find(({ name }) => name === wanted);
  if (isAsked && !found && !wanted.includes('://')) return unanswered(unknownSkill(server, wanted, skills));
  const told = new Set(
    skills.flatMap(({ uri, files }) => [uri, ...(files === 'dynamic' ? [] : files.map((one) => one.uri))]),
  );
  const uri = found?.uri ?? wanted;
  return parts.send<Answer>({
    ...options,
    ...seen,
    act: 'resources',
    server,
    input: file === undefined ? { uri } : { uri: file, skill: uri },
    isListed: (input) =>
      addressesOf(input).every((one) => told.has(one) || (isAsked && running.catalog.has('resources', one))),
    respond: (live, input, context) => {
      const [address, meant = address] = addressesOf(input);
      const known = skills.find((one) => one.uri === meant);
      return readFromServer(
        live,
        async (connection, left) => {
          // A server need not list every skill; what it declares also binds a skill that is known as a resource.
          const skill = known?.frontmatter ? known : ((await promised(connection, meant, left)) ?? known);
          if (!skill) throw unknownSkill(server, meant, skills);
          return read(connection, { skill, uri: address }, left);
        },
        context,
      );
    },
  });
}

/** All URIs that are sent to the server: the file, and the skill that it belongs to. */
function addressesOf({ uri, skill }: ToolInput): readonly [string, ...string[]] {
  return skill === undefined ? [textOf(uri)] : [textOf(uri), textOf(skill)];
}

/** The text after hooks. */
function textLeft(text: string, { isWhole, others }: HookedBlocks): string {
  const more = others.map((block) => (typeof block['text'] === 'string' ? block['text'] : JSON.stringify(block)));
  return [...(isWhole ? [text] : []), ...more].join('\n\n');
}

interface FoundSkills {
  readonly skills: readonly ServerSkillDefinition[];
  readonly warnings: readonly string[];
}

const NO_SKILLS: FoundSkills = { skills: [], warnings: [] };

async function skillsOf(parts: RequestParts, running: Server, options: AskOptions): Promise<FoundSkills> {
  const { name: server, status, catalog } = running;
  const respond = (): Promise<RetriedOutcome<FoundSkills>> => readFromServer(running, listSkills, options);
  const isListed = status.kind === 'connected';
  const listed = isListed ? await parts.send({ act: 'resources', server, isQuiet: true, respond }) : undefined;
  const skills = listed?.ok === true ? listed.skills : [];
  const known = new Set(skills.map(({ uri }) => uri));
  const candidates = catalog.resources.filter(({ uri }) => uri.startsWith('skill://') && !known.has(uri));
  const others = await Promise.all(candidates.slice(0, SKILL_LIMIT).map(({ uri }) => catalog.resource(uri)));
  return {
    skills: [...skills, ...others.flatMap((resource) => (resource && toSkill(resource)) ?? [])],
    warnings: listed?.ok === true ? listed.warnings : listed ? [listed.error.message] : [],
  };
}

const SKILL_LIMIT = 1_000;

async function promised(
  connection: Connection,
  uri: string,
  options: CallOptions,
): Promise<ServerSkillDefinition | undefined> {
  if (!hasSkills(connection)) return undefined;
  return getSkill(connection, uri, options).catch((error: unknown) => {
    if (error instanceof HostError && error.code === 'unknown-resource') return undefined;
    throw error;
  });
}

function unknownSkill(server: string, wanted: string, skills: readonly ServerSkillDefinition[]): HostError {
  const known = skills.flatMap(({ name, uri }) => [name, uri]);
  return unknownOffer(`Server "${server}" has no skill`, wanted, known);
}
