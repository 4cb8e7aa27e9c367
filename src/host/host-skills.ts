import { HostError } from '../base/errors.js';
import type { RetriedOutcome } from '../connection/call-with-retries.js';
import type { Connection } from '../connection/connect.js';
import type { ResourceContent } from '../connection/requests/read-resource.js';
import { type LoadedSkill, readSkill, readSkillFile } from '../connection/requests/read-skill.js';
import { toBlocks } from '../connection/requests/resource-blocks.js';
import { currentSkill, type ServerSkillDefinition, toSkill } from '../connection/catalog/skill-definition.js';
import type { CallOptions } from '../wire/peer.js';
import type { ToolInput } from '../model/tool.js';
import { textOf } from '../tools/act-tools.js';
import { type Answered, type AskOptions, type TypedOptions, unanswered } from './answered.js';
import { waitForCatalogsOf } from './calls/wait-for-catalog.js';
import { ASK_MS, findRunning, readFromServer, type ServerAskOptions, unknownOffer } from './servers/server-access.js';
import type { HookedBlocks, RequestParts, ServerRequest } from './servers/server-requests.js';
import type { Server } from './servers/server.js';
import type { KnownSkill, KnownSkills } from './tools/known-skills.js';

/** What requests for skills need of a host. */
export interface SkillParts extends RequestParts {
  readonly knownSkills: KnownSkills;
}

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

/** The known skills of all servers at once; of one, after a list that is on its way. Starts no server. Never rejects. */
export async function listHostSkills(
  parts: SkillParts,
  { server, ...options }: SkillListRequest = {},
): Promise<ListedSkills> {
  const running = parts
    .runningServers()
    .filter(({ name, status }) => status.kind !== 'disabled' && (server === undefined || name === server));
  const look = server === undefined ? listedSkills : skillsOf;
  const found = await Promise.all(running.map((one) => look(parts, one, options)));
  return {
    skills: found.flatMap(({ skills }) =>
      skills.map(({ server: owner, name, description, uri }) => ({ server: owner, name, description, uri })),
    ),
    notes: found.flatMap(({ warnings }, at) => warnings.map((warning) => `"${running[at]!.name}": ${warning}`)),
  };
}

/** Reads a skill's instructions, and checks them against what the server listed. Never rejects. */
export function readHostSkill(parts: SkillParts, request: SkillRequest): Promise<Answered<LoadedSkill>> {
  return readOfSkill(parts, request, {
    read: (connection, { skill }, left) => readSkill(connection, skill, left),
    blocksOf: ({ instructions }) => [{ type: 'text', text: instructions }],
    applyHooks: ({ instructions }, left) => ({ instructions: textLeft(instructions, left) }),
  });
}

/** Reads another file of a skill, with the same checks. Never rejects. */
export function readHostSkillFile(
  parts: SkillParts,
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

/** `uri`: the file of the skill to read. */
type SkillReader<Answer> = (
  connection: Connection,
  of: { readonly skill: ServerSkillDefinition; readonly uri: string },
  options: CallOptions,
) => Promise<Answer>;

interface SkillReading<Answer extends object> extends Pick<ServerRequest<Answer>, 'blocksOf' | 'applyHooks'> {
  readonly read: SkillReader<Answer>;
}

/** Decided like reading a resource. The files of listed skills count as listed resources. */
async function readOfSkill<Answer extends object>(
  parts: SkillParts,
  { server, skill: wanted, file, ...options }: SkillRequest,
  { read, ...seen }: SkillReading<Answer>,
): Promise<Answered<Answer>> {
  const running = findRunning(parts, server);
  const isAsked = !(running instanceof HostError) && parts.maySend('resources', server);
  const { skills } = isAsked ? await skillsOf(parts, running, options) : NO_SKILLS;
  const found = skills.find(({ uri }) => uri === wanted) ?? skills.find(({ name }) => name === wanted);
  if (isAsked && !found && !wanted.includes('://')) return unanswered(unknownSkill(server, wanted, skills));
  const uri = found?.uri ?? wanted;
  return parts.send<Answer>({
    ...options,
    ...seen,
    act: 'resources',
    server,
    input: file === undefined ? { uri } : { uri: file, skill: uri },
    isListed: (input) => isAsked && parts.knownSkills.hasListed(running, skillUris(input)),
    respond: (live, input, context) => askForSkill(live, { input, knownSkills: parts.knownSkills, context }, read),
  });
}

/** What a call of the pipeline reads of a skill, and what is known of the server's skills. */
export interface SkillQuestion extends Pick<SkillParts, 'knownSkills'> {
  /** `uri`: the skill, or a file of the skill that `skill` is the URI of. */
  readonly input: ToolInput;
  readonly context: ServerAskOptions;
}

/** Reads something of a skill, as its server describes the skill now. The caller has decided that it may be read. */
export function askForSkill<Answer>(
  live: Server,
  { input, knownSkills, context }: SkillQuestion,
  read: SkillReader<Answer>,
): Promise<RetriedOutcome<Answer>> {
  const [address, meant = address] = skillUris(input);
  return readFromServer(
    live,
    async (connection, left) => {
      const skill = (await currentSkill(connection, meant, left)) ?? (await asResource(live, meant));
      if (!skill) throw unknownSkill(live.name, meant, knownSkills.of(live));
      return read(connection, { skill, uri: address }, left);
    },
    context,
  );
}

/** A skill that is known only as a resource: nothing of it can be compared. */
async function asResource({ catalog }: Server, uri: string): Promise<ServerSkillDefinition | undefined> {
  const resource = catalog.has('skills', uri) ? undefined : await catalog.resource(uri);
  return resource && toSkill(resource);
}

/** All URIs that are sent to the server: the file, and the skill that it belongs to. */
export function skillUris({ uri, skill }: ToolInput): readonly [string, ...string[]] {
  return skill === undefined ? [textOf(uri)] : [textOf(uri), textOf(skill)];
}

/** The text after hooks. */
function textLeft(text: string, { isWhole, others }: HookedBlocks): string {
  const more = others.map((block) => (typeof block['text'] === 'string' ? block['text'] : JSON.stringify(block)));
  return [...(isWhole ? [text] : []), ...more].join('\n\n');
}

interface FoundSkills {
  readonly skills: readonly KnownSkill[];
  readonly warnings: readonly string[];
}

const NO_SKILLS: FoundSkills = { skills: [], warnings: [] };

/** After a list that is on its way has come. */
async function skillsOf(parts: SkillParts, running: Server, options: AskOptions): Promise<FoundSkills> {
  const late = parts.maySend('resources', running.name) ? await untilSkillsListed(running, options) : undefined;
  const { skills, warnings } = await listedSkills(parts, running);
  return { skills, warnings: late ? [...warnings, late.message] : warnings };
}

/** Rules and policy may deny it; nobody is asked. */
async function listedSkills(parts: SkillParts, running: Server): Promise<FoundSkills> {
  const { name: server, catalog } = running;
  const respond = async (): Promise<RetriedOutcome<FoundSkills>> => {
    const problem = catalog.problems.get('skills');
    const warnings = [...catalog.warningsOf('skills'), ...(problem ? [problem.message] : [])];
    return { outcome: 'ok', result: { skills: parts.knownSkills.of(running), warnings }, attempts: 0 };
  };
  const listed = await parts.send({ act: 'resources', server, steps: 'list', respond });
  return listed.ok ? listed : { skills: [], warnings: [listed.error.message] };
}

/** Waits for a list of skills or resources that is on its way. */
async function untilSkillsListed(
  running: Server,
  { signal, timeoutMs = ASK_MS }: AskOptions,
): Promise<HostError | undefined> {
  if (!isListingSkills(running)) return undefined;
  return waitForCatalogsOf([running], { clock: running.clock, timeoutMs, signal });
}

/** Whether a list that may have skills is on its way. */
export function isListingSkills({ status, catalog }: Server): boolean {
  return status.kind === 'connected' && (catalog.isFetching('skills') || catalog.isFetching('resources'));
}

function unknownSkill(server: string, wanted: string, skills: readonly KnownSkill[]): HostError {
  const known = skills.flatMap(({ name, uri }) => [name, uri]);
  return unknownOffer(`Server "${server}" has no skill`, wanted, known);
}
