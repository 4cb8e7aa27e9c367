import type { JsonObject } from '../../src/base/json.js';
import { HostError } from '../../src/base/errors.js';
import { callTool } from '../../src/connection/requests/call-tool.js';
import type { Connection } from '../../src/connection/connect.js';
import { listPages } from '../../src/connection/catalog/list-pages.js';
import { getPrompt } from '../../src/connection/requests/get-prompt.js';
import { readResource } from '../../src/connection/requests/read-resource.js';
import { readSkill } from '../../src/connection/requests/read-skill.js';
import { listSkills, SKILLS_CAPABILITY } from '../../src/connection/catalog/skill-definition.js';
import { listTools } from '../../src/connection/catalog/tool-definition.js';
import type { RequestHandler } from '../../src/wire/inbound.js';
import { acceptElicitation, answerSampling, listRoots } from './answers.js';

/** What the client must do in a scenario. */
export interface Duty {
  readonly capabilities?: JsonObject;
  readonly handlers?: Readonly<Record<string, RequestHandler>>;
  /** For a scenario of an extension, which belongs to no protocol version: the eras to run it in. */
  readonly eras?: readonly ('legacy' | 'modern')[];
  /** `context`: the data that the scenario gives its client at the start. */
  run(connection: Connection, context: JsonObject): Promise<void>;
}

export function findDuty(scenario: string): Duty {
  const duty = Object.hasOwn(duties, scenario) ? duties[scenario] : undefined;
  if (duty) return duty;
  throw new Error(`The driver does not know what "${scenario}" asks of a client`);
}

const elicitation = {
  capabilities: { elicitation: { form: {} } },
  handlers: { 'elicitation/create': acceptElicitation },
} satisfies Omit<Duty, 'run'>;

const skills = { capabilities: SKILLS_CAPABILITY, eras: ['legacy', 'modern'] } satisfies Omit<Duty, 'run'>;

const duties: Readonly<Record<string, Duty>> = {
  initialize: { run: list },
  'json-schema-ref-no-deref': { run: list },
  tools_call: { run: (connection) => call(connection, 'add_numbers', { a: 5, b: 3 }) },
  'json-schema-2020-12-preservation': { run: echoSchema },
  'elicitation-sep1034-client-defaults': {
    ...elicitation,
    run: (connection) => call(connection, 'test_client_elicitation_defaults', {}),
  },
  'sse-retry': { run: (connection) => call(connection, 'test_reconnection', {}) },
  'request-metadata': {
    capabilities: { roots: {}, sampling: {}, elicitation: { form: {} } },
    handlers: {
      'roots/list': listRoots,
      'sampling/createMessage': answerSampling,
      'elicitation/create': acceptElicitation,
    },
    run: askAnyway,
  },
  'sep-2322-client-request-state': { ...elicitation, run: answerRounds },
  'http-standard-headers': { run: useEverything },
  'http-custom-headers': { run: callAsTold },
  'http-invalid-tool-headers': { run: callWhatIsLeft },
  'sep-2640-client-no-prefetch': { ...skills, run: listEverySkill },
  'sep-2640-client-verify-digest': { ...skills, run: refuseSkill },
  'sep-2640-client-verify-frontmatter': { ...skills, run: refuseSkill },
  'sep-2640-client-verify-size': { ...skills, run: refuseSkill },
};

async function list(connection: Connection): Promise<void> {
  await listTools(connection);
}

async function call(connection: Connection, tool: string, input: JsonObject): Promise<void> {
  // A host calls only tools that the server has listed.
  const { tools, setAside } = await listTools(connection);
  if (!tools.some(({ name }) => name === tool))
    throw new Error(`There is no tool "${tool}"; set aside: ${JSON.stringify(setAside)}`);
  const { isError, content } = await callTool(connection, { tool, input });
  if (isError) throw new Error(`The tool "${tool}" answered with an error: ${JSON.stringify(content)}`);
}

async function echoSchema(connection: Connection): Promise<void> {
  const { tools } = await listTools(connection);
  const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema;
  await callTool(connection, { tool: 'json_schema_echo', input: { schema } });
}

/** The server declares no capability and checks requests, so this sends one more than the handshake. */
async function askAnyway({ session }: Connection): Promise<void> {
  await session.request('tools/list', undefined);
}

async function answerRounds(connection: Connection): Promise<void> {
  const rounds = ['test_mrtr_echo_state', 'test_mrtr_no_state'].map((tool) => call(connection, tool, {}));
  // Concurrent with the others: the call must carry none of their input responses.
  await Promise.all([...rounds, call(connection, 'test_mrtr_unrelated', {})]);
  await call(connection, 'test_mrtr_no_result_type', {});
}

async function useEverything(connection: Connection): Promise<void> {
  const { tools } = await listTools(connection);
  for (const { name } of tools) await callTool(connection, { tool: name, input: {} });
  for (const { uri } of await listAll(connection, 'resources')) await readResource(connection, uri as string);
  for (const { name } of await listAll(connection, 'prompts')) await getPrompt(connection, { name: name as string });
}

async function listAll(connection: Connection, key: 'resources' | 'prompts'): Promise<readonly JsonObject[]> {
  const { items } = await listPages(connection, { method: `${key}/list`, key }, { limit: 100 });
  return items as readonly JsonObject[];
}

async function callAsTold(connection: Connection, { toolCalls }: JsonObject): Promise<void> {
  for (const { name, arguments: input } of toolCalls as readonly { name: string; arguments: JsonObject }[]) {
    await call(connection, name, input);
  }
}

async function callWhatIsLeft(connection: Connection): Promise<void> {
  const { tools } = await listTools(connection);
  for (const { name } of tools) await callTool(connection, { tool: name, input: { region: 'us-west1' } });
}

async function listEverySkill(connection: Connection): Promise<void> {
  const { skills: found, warnings } = await listSkills(connection);
  if (found.length === 0 || warnings.length > 0) throw new Error(`It lists no skill: ${warnings.join('; ')}`);
}

/** The content of each skill is not what its listing promised, so reading it must fail. */
async function refuseSkill(connection: Connection): Promise<void> {
  const { skills: found } = await listSkills(connection);
  for (const skill of found) {
    const error: unknown = await readSkill(connection, skill).then(
      () => undefined,
      (cause: unknown) => cause,
    );
    if (!(error instanceof HostError) || error.code !== 'bad-answer')
      throw new Error(`The skill "${skill.name}" was used, or refused for another reason: ${String(error)}`);
  }
  if (found.length === 0) throw new Error('It lists no skill');
}
