import { HostError } from '../base/errors.js';
import { nearest } from '../base/nearest.js';
import { shorten } from '../base/shorten.js';
import type { Connection } from '../connection/connection.js';
import { getPrompt, type PromptAnswer } from '../connection/get-prompt.js';
import { KeptServerResult } from '../connection/kept-server-result.js';
import type { RemotePrompt } from '../connection/remote-prompt.js';
import { assignNames, type NameTable } from '../model/names.js';
import { fillArguments, parseCommand } from '../model/prompt-commands.js';
import type { ToolDefinition } from '../model/tool.js';
import { Turns } from '../edge/turns.js';
import { type Answered, type AskOptions, type KeepOptions, toAnswered, unanswered } from './answered.js';
import { ask, findConnection, type OfferParts, untilKnown } from './offer-parts.js';
import { type DefinitionOptions, serverDefinitionOf } from './read-definition.js';
import { untilTold, untoldOf } from './until-told.js';

export interface HostPrompt extends RemotePrompt, Pick<ToolDefinition, 'serverDefinition'> {
  readonly server: string;
  /** `/mcp__server__prompt`, as somebody types it. */
  readonly command: string;
}

/** A prompt by its command, or by its server and the name that it has there. */
export type PromptRequest = AskOptions &
  KeepOptions & {
    readonly arguments?: Readonly<Record<string, string>> | undefined;
  } & ({ readonly name: string } | { readonly server: string; readonly prompt: string });

/** The prompts of all servers, or of one, as far as they are known: only that one is started, and waited for. */
export async function listPrompts(
  parts: OfferParts,
  { server, ...options }: AskOptions & DefinitionOptions & { readonly server?: string | undefined },
): Promise<Answered<{ readonly prompts: readonly HostPrompt[] }>> {
  const found = server === undefined ? undefined : findConnection(parts, server);
  if (found instanceof HostError) return unanswered(found);
  const late = found && (await untilKnown(found, options));
  if (late) return unanswered(late);
  const prompts: HostPrompt[] = [];
  const turns = new Turns();
  for (const [command, { connection, tool }] of commandsOf(parts).entries()) {
    if (found && connection !== found) continue;
    await turns.pause();
    const prompt = await connection.catalog.prompt(tool);
    const own = await serverDefinitionOf(connection.catalog, { kind: 'prompts', name: tool }, options);
    if (prompt) prompts.push({ server: connection.name, command: `/${command}`, ...prompt, ...own });
  }
  return { ok: true, prompts };
}

/** What a prompt says, its roles kept. Never rejects. */
export async function getHostPrompt(parts: OfferParts, request: PromptRequest): Promise<Answered<PromptAnswer>> {
  const { signal, timeoutMs, arguments: given, keepServerResult } = request;
  const options = { signal, timeoutMs, keepServerResult };
  const found = 'name' in request ? await findCommand(parts, request.name, options) : await findNamed(parts, request);
  if (found instanceof HostError) return unanswered(found);
  const { connection, prompt } = found;
  const missing = prompt.arguments.filter(({ name, required }) => required && !isGiven(given, name));
  if (missing.length > 0)
    return unanswered(
      missingArguments(
        connection,
        prompt,
        missing.map(({ name }) => name),
      ),
    );
  return answer(parts, { connection, name: prompt.name, given }, options);
}

/** `/mcp__server__prompt a "b c" name=value`, as somebody typed it. Undefined when it is no command of a prompt. Never rejects. */
export async function runPromptCommand(
  parts: OfferParts,
  text: string,
  options: AskOptions = {},
): Promise<Answered<PromptAnswer> | undefined> {
  const typed = parseCommand(text);
  if (typed?.name.startsWith('mcp__') !== true) return undefined;
  const found = await findCommand(parts, typed.name, options);
  if (found instanceof HostError) return unanswered(found);
  const { connection, prompt } = found;
  const { arguments: given, missing, surplus } = fillArguments(typed.words, prompt.arguments);
  if (missing.length > 0) return unanswered(missingArguments(connection, prompt, missing));
  if (surplus.length > 0 && prompt.arguments.length === 0) {
    return unanswered(new HostError('bad-input', `Prompt "${prompt.name}" of "${connection.name}" takes no arguments`));
  }
  return answer(parts, { connection, name: prompt.name, given }, options);
}

/** A name may be one that every object has. */
function isGiven(given: Readonly<Record<string, string>> | undefined, name: string): boolean {
  return given !== undefined && Object.hasOwn(given, name) && given[name] !== undefined;
}

interface FoundPrompt {
  readonly connection: Connection;
  readonly prompt: RemotePrompt;
}

async function answer(
  { spill, judgePrompt }: OfferParts,
  {
    connection,
    name,
    given,
  }: { connection: Connection; name: string; given: Readonly<Record<string, string>> | undefined },
  options: AskOptions & KeepOptions,
): Promise<Answered<PromptAnswer>> {
  const kept = KeptServerResult.for(options);
  const refusal = await judgePrompt(connection, name, options);
  if (refusal) return unanswered(refusal);
  return toAnswered(
    await ask(
      connection,
      (link, left) => getPrompt(link, { name, arguments: given }, { ...left, spill, kept }),
      options,
    ),
    kept,
  );
}

/** A server that nobody has asked yet may have it. */
async function findCommand(parts: OfferParts, word: string, options: AskOptions): Promise<FoundPrompt | HostError> {
  const name = word.startsWith('/') ? word.slice(1) : word;
  let found = commandsOf(parts).lookup(name);
  const unasked = found ? [] : untoldOf(parts.connections(), name, 'prompts');
  const [first] = unasked;
  if (first) {
    for (const connection of unasked) if (connection.status.kind === 'idle') connection.start('use');
    const { signal, timeoutMs = TOLD_MS } = options;
    const late = await untilTold(unasked, { kind: 'prompts', clock: first.clock, timeoutMs, signal });
    if (late) return late;
    found = commandsOf(parts).lookup(name);
  }
  const prompt = found && (await found.connection.catalog.prompt(found.tool));
  return found && prompt ? { connection: found.connection, prompt } : unknownPrompt(parts, name);
}

const TOLD_MS = 60_000;

async function findNamed(
  parts: OfferParts,
  { server, prompt: name, ...options }: AskOptions & { readonly server: string; readonly prompt: string },
): Promise<FoundPrompt | HostError> {
  const connection = findConnection(parts, server);
  if (connection instanceof HostError) return connection;
  const late = await untilKnown(connection, options);
  if (late) return late;
  const prompt = await connection.catalog.prompt(name);
  if (prompt) return { connection, prompt };
  const [close] = nearest(
    name,
    connection.catalog.prompts.map((one) => one.name),
  );
  return new HostError('unknown-resource', `Server "${server}" has no prompt "${shorten(name, 100)}"`, {
    ...(close !== undefined && { hint: `Did you mean "${close}"?` }),
  });
}

function unknownPrompt(parts: OfferParts, name: string): HostError {
  const commands = Array.from(commandsOf(parts).entries(), ([command]) => command);
  const [close] = nearest(name, commands);
  return new HostError('unknown-resource', `There is no prompt "/${shorten(name, 100)}"`, {
    hint: close === undefined ? 'plugboard prompts shows which there are' : `Did you mean /${close}?`,
  });
}

function missingArguments({ name: server }: Connection, { name }: RemotePrompt, missing: readonly string[]): HostError {
  return new HostError('bad-input', `Prompt "${name}" of server "${server}" needs ${missing.join(', ')}`, {
    hint: `Write ${missing.map((one) => `${one}=...`).join(' ')}`,
  });
}

interface Command {
  readonly server: string;
  readonly tool: string;
  readonly connector: boolean;
  readonly connection: Connection;
}

/**
 * The commands of prompts, by the rules for tools: whatever a server calls its prompt, `clear` for instance, the command is
 * `mcp__server__clear`. Made when somebody asks: there are few prompts, and they are seldom asked for.
 */
function commandsOf({ connections, isConnector }: OfferParts): NameTable<Command> {
  const running = connections().filter(({ status }) => status.kind !== 'disabled');
  return assignNames(
    running.flatMap((connection) => {
      const { name: server, catalog } = connection;
      const connector = isConnector(server);
      return catalog.prompts.map(({ name }) => ({ server, tool: name, connector, connection }));
    }),
  );
}
