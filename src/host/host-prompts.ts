import { HostError } from '../base/errors.js';
import { isObject } from '../base/json.js';
import { nearest } from '../base/nearest.js';
import { shorten } from '../base/shorten.js';
import type { ServerLifecycle } from '../connection/server-lifecycle.js';
import { getPrompt, type PromptAnswer, type GetPromptParams } from '../connection/requests/get-prompt.js';
import type { ServerPromptDefinition } from '../connection/catalog/prompt-definition.js';
import { assignNames, type NameTable } from '../model/view/names.js';
import { fillArguments, parseCommand } from '../model/view/prompt-commands.js';
import type { ToolDefinition, ToolInput } from '../model/tool.js';
import { TimeSlice } from '../edge/time-slice.js';
import { type Answered, type AskOptions, type TypedOptions, unanswered } from './answered.js';
import {
  readFromServer,
  findRunning,
  type ServerAccess,
  unknownOffer,
  waitForKnownCatalog,
  spillFor,
} from './servers/server-access.js';
import { type DefinitionOptions, serverDefinitionOf } from './read-definition.js';
import { hasLane } from './servers/server-line.js';
import type { RequestParts } from './servers/server-requests.js';
import { waitForCatalogsOf, serversWithoutCatalog } from './calls/wait-for-catalog.js';

/** A prompt of a server, and how a user types it. */
export interface HostPrompt extends ServerPromptDefinition, Pick<ToolDefinition, 'serverDefinition'> {
  /** The name of the server that offers it. */
  readonly server: string;
  /** `/mcp__server__prompt`, as a user types it. */
  readonly command: string;
}

/** A prompt by its command, or by its server and its name on that server. */
export type PromptRequest = TypedOptions & {
  readonly arguments?: Readonly<Record<string, string>> | undefined;
} & ({ readonly name: string } | { readonly server: string; readonly prompt: string });

/** Which prompts to list. */
export interface PromptListRequest extends AskOptions, DefinitionOptions {
  /** Only those of this server. */
  readonly server?: string | undefined;
}

/** The known prompts. */
export interface ListedPrompts {
  /** In the order of their servers. */
  readonly prompts: readonly HostPrompt[];
}

/** The known prompts of all servers; or of one server, which is started and waited for. */
export async function listHostPrompts(
  parts: ServerAccess,
  { server, ...options }: PromptListRequest,
): Promise<Answered<ListedPrompts>> {
  const found = server === undefined ? undefined : findRunning(parts, server);
  if (found instanceof HostError) return unanswered(found);
  const late = found && (await waitForKnownCatalog(found, options));
  if (late) return unanswered(late);
  const prompts: HostPrompt[] = [];
  const turns = new TimeSlice();
  for (const [command, { lifecycle, tool }] of commandsOf(parts).entries()) {
    if (found && lifecycle !== found) continue;
    await turns.pause();
    const prompt = await lifecycle.catalog.prompt(tool);
    const own = await serverDefinitionOf(lifecycle.catalog, { kind: 'prompts', name: tool }, options);
    if (prompt) prompts.push({ server: lifecycle.name, command: `/${command}`, ...prompt, ...own });
  }
  return { ok: true, prompts };
}

/** The messages of a prompt with their roles. Never rejects. */
export async function getHostPrompt(parts: RequestParts, request: PromptRequest): Promise<Answered<PromptAnswer>> {
  const { arguments: given = {} } = request;
  const found = 'name' in request ? await findCommand(parts, request.name, request) : await findNamed(parts, request);
  return answer(parts, { found, request }, (prompt) => {
    const missing = prompt.arguments.filter(({ name, required }) => required && !isGiven(given, name));
    return { given, missing: missing.map(({ name }) => name) };
  });
}

/** Runs a typed `/mcp__server__prompt a "b c" name=value`; undefined for any other text. Never rejects. */
export async function runPromptCommand(
  parts: RequestParts,
  text: string,
  options: TypedOptions = {},
): Promise<Answered<PromptAnswer> | undefined> {
  const typed = parseCommand(text);
  if (typed?.name.startsWith('mcp__') !== true) return undefined;
  const found = await findCommand(parts, typed.name, options);
  return answer(parts, { found, request: options }, (prompt) => {
    const { arguments: given, missing, surplus } = fillArguments(typed.words, prompt.arguments);
    return { given, missing, isSurplus: surplus.length > 0 && prompt.arguments.length === 0 };
  });
}

/** `hasOwn`, because an argument may be named like a property of every object. */
function isGiven(given: Readonly<Record<string, string>>, name: string): boolean {
  return Object.hasOwn(given, name) && given[name] !== undefined;
}

interface FoundPrompt {
  readonly server: string;
  readonly name: string;
  /** Undefined where no prompt of the server may be used, so none was looked up. */
  readonly prompt?: ServerPromptDefinition;
}

interface Filled {
  readonly given: Readonly<Record<string, string>>;
  readonly missing: readonly string[];
  readonly isSurplus?: boolean;
}

async function answer(
  parts: RequestParts,
  { found, request }: { readonly found: FoundPrompt | HostError; readonly request: TypedOptions },
  fill: (prompt: ServerPromptDefinition) => Filled,
): Promise<Answered<PromptAnswer>> {
  if (found instanceof HostError) return unanswered(found);
  const { server, name, prompt } = found;
  const isLookedAt = prompt && parts.maySend('prompts', server);
  const { given = {}, missing = [], isSurplus = false } = isLookedAt ? fill(prompt) : {};
  // What a client behind this host leaves out the server may ask for.
  if (missing.length > 0 && !hasLane(request.caller)) return unanswered(missingArguments(found, missing));
  if (isSurplus) return unanswered(new HostError('bad-input', `Prompt "${name}" of "${server}" takes no arguments`));
  return parts.send<PromptAnswer>({
    ...request,
    act: 'prompts',
    server,
    input: { prompt: name, arguments: given },
    respond: (running, input, context) =>
      readFromServer(
        running,
        async (connection, left) =>
          getPrompt(connection, toParams(server, input), { ...left, spill: spillFor(parts, context) }),
        context,
      ),
    blocksOf: ({ messages }) => messages.map(({ content }) => content),
    applyHooks: ({ messages, notes }, { isWhole, others, notes: more }) => ({
      messages: [...(isWhole ? messages : []), ...others.map((content) => ({ role: 'user', content }) as const)],
      notes: [...notes, ...more],
    }),
  });
}

/** Reads the input after hooks, which may have made anything of it. */
function toParams(server: string, { prompt: name, arguments: given }: ToolInput): GetPromptParams {
  if (typeof name === 'string' && isObject(given)) return { name, arguments: given as Record<string, string> };
  throw new HostError('bad-input', `A prompt of "${server}" needs a name, and its arguments as an object`, {
    hint: 'Correct the hook that changes the input',
  });
}

/** Waits for servers that may have the prompt and have not listed theirs, unless a rule denies their prompts. */
async function findCommand(parts: RequestParts, word: string, options: AskOptions): Promise<FoundPrompt | HostError> {
  const name = word.startsWith('/') ? word.slice(1) : word;
  let found = commandsOf(parts).lookup(name);
  const pending = found ? [] : serversWithoutCatalog(parts.runningServers(), name, 'prompts');
  const unasked = pending.filter(({ name: server }) => parts.maySend('prompts', server));
  const [first] = unasked;
  if (first) {
    for (const running of unasked) if (running.status.kind === 'idle') running.start('use');
    const { signal, timeoutMs = TOLD_MS } = options;
    const late = await waitForCatalogsOf(unasked, { kind: 'prompts', clock: first.clock, timeoutMs, signal });
    if (late) return late;
    found = commandsOf(parts).lookup(name);
  }
  const prompt = found && (await found.lifecycle.catalog.prompt(found.tool));
  if (found && prompt) return { server: found.server, name: prompt.name, prompt };
  const shut = pending.find((server) => !unasked.includes(server));
  return shut ? { server: shut.name, name } : unknownPrompt(parts, name);
}

const TOLD_MS = 60_000;

async function findNamed(
  parts: RequestParts,
  { server, prompt: name, ...options }: AskOptions & { readonly server: string; readonly prompt: string },
): Promise<FoundPrompt | HostError> {
  if (!parts.maySend('prompts', server)) return { server, name };
  const running = findRunning(parts, server);
  if (running instanceof HostError) return running;
  const late = await waitForKnownCatalog(running, options);
  if (late) return late;
  const prompt = await running.catalog.prompt(name);
  if (prompt) return { server, name, prompt };
  const known = running.catalog.prompts.map((one) => one.name);
  return unknownOffer(`Server "${server}" has no prompt`, name, known);
}

function unknownPrompt(parts: ServerAccess, name: string): HostError {
  const commands = Array.from(commandsOf(parts).entries(), ([command]) => command);
  const [close] = nearest(name, commands);
  return new HostError('unknown-resource', `There is no prompt "/${shorten(name, 100)}"`, {
    hint: close === undefined ? 'plugboard prompts shows which there are' : `Did you mean /${close}?`,
  });
}

function missingArguments({ server, name }: FoundPrompt, missing: readonly string[]): HostError {
  return new HostError('bad-input', `Prompt "${name}" of server "${server}" needs ${missing.join(', ')}`, {
    hint: `Write ${missing.map((one) => `${one}=...`).join(' ')}`,
  });
}

interface Command {
  readonly server: string;
  readonly tool: string;
  readonly connector: boolean;
  readonly lifecycle: ServerLifecycle;
}

/**
 * The commands of prompts, named by the rules for tools: a prompt `clear` becomes `mcp__server__clear`. Not cached:
 * prompts are few and seldom asked for.
 */
function commandsOf({ runningServers, isConnector }: ServerAccess): NameTable<Command> {
  const running = runningServers().filter(({ status }) => status.kind !== 'disabled');
  return assignNames(
    running.flatMap((lifecycle) => {
      const { name: server, catalog } = lifecycle;
      const connector = isConnector(server);
      return catalog.prompts.map(({ name }) => ({ server, tool: name, connector, lifecycle }));
    }),
  );
}
