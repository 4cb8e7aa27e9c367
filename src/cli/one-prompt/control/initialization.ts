import type { Session } from '../../../session/index.js';
import { HostError } from '../../../base/errors.js';
import { isObject, type JsonObject } from '../../../base/json.js';
import { shorten } from '../../../base/shorten.js';
import { readDriverAgents } from './driver-agents.js';

/** What an `initialize` request brings for the session that is about to open. */
export interface Initialization {
  /** Names of servers that the embedding program serves. */
  readonly servers: readonly string[];
  /** Replaces the beginning of the system prompt; undefined: nothing does. */
  readonly systemPrompt: string | undefined;
  /** Text that the model is given in addition. */
  readonly appendSystemPrompt: string;
  /** In the shape of `--agents`. */
  readonly agents: JsonObject | undefined;
  /** Hooks by event, unread. */
  readonly hooks: JsonObject | undefined;
  /** What is accepted without effect, a sentence each. */
  readonly notes: readonly string[];
}

/** Throws a HostError for what is not supported: a hook that never runs would let every call pass. */
export function readInitialization(request: JsonObject | undefined): Initialization {
  const { sdkMcpServers: servers = [], systemPrompt, appendSystemPrompt, agents, hooks } = request ?? {};
  if (!Array.isArray(servers) || !servers.every((name) => typeof name === 'string' && /^[^=]{1,300}$/u.test(name))) {
    throw new HostError('config-invalid', 'sdkMcpServers is not an array of names');
  }
  if (hooks !== undefined && hooks !== null && !isObject(hooks)) {
    throw new HostError('config-invalid', 'initialize: hooks is no object of hooks by event');
  }
  if (agents !== undefined && agents !== null && !isObject(agents)) {
    throw new HostError('config-invalid', 'initialize: agents is no object of sub-agents by name');
  }
  const given = isObject(agents) && Object.keys(agents).length > 0 ? readDriverAgents(agents) : undefined;
  return {
    servers: servers as readonly string[],
    systemPrompt: readText(systemPrompt, 'systemPrompt'),
    appendSystemPrompt: readText(appendSystemPrompt, 'appendSystemPrompt') ?? '',
    agents: given?.agents,
    hooks: isObject(hooks) && Object.values(hooks).some(hasEntries) ? hooks : undefined,
    notes: [...(given?.notes ?? []), ...unmetFields(request ?? {})],
  };
}

/** For an `initialize` that is not the first line: nothing in it may be ignored silently. Throws a HostError. */
export function checkLate(request: JsonObject, { host }: Session): void {
  const { servers, systemPrompt, appendSystemPrompt, agents, hooks } = readInitialization(request);
  const isKnown = servers.every((name) => host.server(name));
  if (isKnown && systemPrompt === undefined && appendSystemPrompt === '' && !agents && !hooks) return;
  throw new HostError('usage', 'initialize must be the first line: the session is already open and cannot use it');
}

/** Throws `config-invalid` for hooks that come too late: their program relies on them. */
export function checkLateHooks({ hooks }: JsonObject): void {
  if (hooks === undefined || hooks === null || (isObject(hooks) && !Object.values(hooks).some(hasEntries))) return;
  throw new HostError('config-invalid', 'initialize must be the first line: its hooks cannot run any more', {
    hint: 'Send initialize before everything else, once',
  });
}

/** A text, or a list of texts that belong together. Blank means none. */
function readText(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!texts.every((text) => typeof text === 'string')) {
    throw new HostError('config-invalid', `${field} is neither a text nor an array of texts`);
  }
  const joined = texts.filter((text) => text.trim() !== '').join('\n\n');
  if (joined.length > PROMPT_LIMIT) {
    throw new HostError('config-invalid', `${field} has ${joined.length} characters; ${PROMPT_LIMIT} is the limit`);
  }
  return joined === '' ? undefined : joined;
}

function unmetFields(request: JsonObject): readonly string[] {
  const named = Object.keys(UNMET).filter((field) => isGiven(request[field]));
  const unknown = Object.keys(request).filter((field) => !KNOWN.has(field) && isGiven(request[field]));
  return [
    ...named.map((field) => `initialize: ${field} has no effect: ${UNMET[field]}`),
    ...(unknown.length > 0 ? [`initialize: not known here: ${shorten(unknown.join(', '), 300)}`] : []),
  ];
}

function isGiven(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return false;
  if (typeof value !== 'object') return true;
  return Object.keys(value).length > 0;
}

function hasEntries(list: unknown): boolean {
  return list !== undefined && list !== null && !(Array.isArray(list) && list.length === 0);
}

const UNMET: Readonly<Record<string, string>> = {
  jsonSchema: 'answers are not held against a schema',
  toolAliases: 'tools have one name each',
  skills: 'skills are those of the servers, and all are offered',
  title: 'sessions are named by their first prompt',
  planModeInstructions: 'the mode plan has instructions of its own',
  promptSuggestions: 'prompts are not suggested',
  agentProgressSummaries: 'sub-agents are not summarised',
  plugins: 'give a plugin by --plugin-dir',
};

/** Used, or without a meaning that could be missed: manifests of servers may be ignored, their handshake is made. */
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(UNMET),
  'subtype',
  'hooks',
  'sdkMcpServers',
  'sdkMcpServerConfigs',
  'sdkMcpServerManifests',
  'sdkMcpServerManifestsOrigin',
  'systemPrompt',
  'systemPromptSnapshot',
  'appendSystemPrompt',
  'agents',
  'excludeDynamicSections',
  'forwardSubagentText',
  'supportedDialogKinds',
  'perTaskStopAffordance',
]);
const PROMPT_LIMIT = 1_000_000; // characters, as for a file
