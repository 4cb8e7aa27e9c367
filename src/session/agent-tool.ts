import { HostError } from '../base/errors.js';
import { shorten } from '../base/shorten.js';
import type { Host } from '../host/host.js';
import type { LocalTool } from '../host/host-options.js';
import type { SharedServers } from '../host/servers/shared-servers.js';
import { gateLine } from '../model/text/text-gate.js';
import type { CallContext, ToolInput } from '../model/tool.js';
import type { AgentDefinition } from './agent.js';
import { Conversation } from './conversation.js';
import type { SendEnd } from './send-end.js';
import { AGENT_INSTRUCTIONS } from './instructions.js';
import type { ModelPort } from './model-port.js';
import type { SessionEvent } from './session-event.js';

export interface AgentToolOptions {
  /** Read at each call, because the tool exists before the host. */
  readonly host: () => Host;
  readonly model: () => ModelPort | undefined;
  readonly agents: readonly AgentDefinition[];
  readonly environment?: string;
  /** Contract: must not throw. */
  readonly onEvent: (event: SessionEvent) => void;
}

/**
 * Lets the model give a task to a sub-agent with a conversation of its own. The sub-agent shares the host's
 * connections, and each of its calls is decided like any other, so starting one needs no permission.
 */
export function agentTool(options: AgentToolOptions): LocalTool {
  let running = 0;
  return {
    name: AGENT_TOOL,
    title: 'Give a task to a sub-agent',
    description: describe(options.agents),
    inputSchema: schemaFor(options.agents),
    hints: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
    isAgent: true,
    async call(input, context) {
      if (running >= AT_ONCE) {
        throw new HostError('overloaded', `${AT_ONCE} sub-agents are at work already`, {
          hint: 'Start this one when another has ended',
        });
      }
      running++;
      try {
        return await run(readTask(input, options.agents), context, options);
      } finally {
        running--;
      }
    },
  };
}

export const AGENT_TOOL = 'Agent';

interface Task {
  readonly prompt: string;
  readonly agent: AgentDefinition | undefined;
  readonly tools: readonly string[] | undefined;
}

function readTask({ prompt, agent: name, tools }: ToolInput, agents: readonly AgentDefinition[]): Task {
  const agent = agents.find((one) => one.name === name);
  if (name !== undefined && !agent) {
    const names = agents.map((one) => one.name).join(', ');
    throw new HostError('bad-input', `There is no agent ${shorten(JSON.stringify(name), 100)}`, {
      hint: names === '' ? 'Leave "agent" away' : `There are: ${names}`,
    });
  }
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    throw new HostError('bad-input', 'A sub-agent needs a task', { hint: 'Write all that it has to know as "prompt"' });
  }
  return { prompt, agent, tools: Array.isArray(tools) && tools.length > 0 ? (tools as string[]) : undefined };
}

async function run(
  { prompt, agent, tools }: Task,
  { callId, conversation: watched, signal = new AbortController().signal }: CallContext,
  { host, model: current, environment = '', onEvent }: AgentToolOptions,
): ReturnType<LocalTool['call']> {
  const model = current();
  if (!model) throw new HostError('no-model', 'There is no model that a sub-agent could use');
  // No local tools: a sub-agent starts no sub-agents.
  await using own = host().fork({
    local: [],
    // Agents are defined once for all folders, so a server may be missing; `absentServers` tells the sub-agent.
    mayLack: true,
    ...(agent?.servers && { servers: agent.servers }),
    ...(agent?.tools && { tools: agent.tools }),
    ...(agent?.isForEveryFolder === true && { isForEveryFolder: true }),
  });
  await using narrowed = tools ? own.fork({ tools }) : undefined;
  const isAlone = !agent?.servers?.some((server) => typeof server !== 'string');
  if (!isAlone) await own.settled({ signal: AbortSignal.any([signal, AbortSignal.timeout(START_MS)]) });
  const label = agent?.name ?? 'agent';
  const conversation = new Conversation({
    host: narrowed ?? own,
    model,
    id: `agent ${callId}`,
    watched,
    instructions: AGENT_INSTRUCTIONS,
    surroundings: [agent ? `${AGENT_TITLE}\n\n${agent.prompt}` : '', environment]
      .filter((part) => part !== '')
      .join('\n\n'),
    maxTurns: Math.min(agent?.maxTurns ?? TURNS, TURNS),
    onEvent: (event) => onEvent({ kind: 'agent', callId, agent: label, event }),
  });
  const absent = absentServers(own, agent?.servers ?? []);
  const parts = [...absent, prompt].map((text) => ({ kind: 'text', text }) as const);
  const answer = toAnswer(await conversation.send([{ role: 'user', parts }], { signal }));
  return { ...answer, content: [...answer.content, ...absent.map((text) => ({ type: 'text' as const, text }))] };
}

/** A line for each named server that cannot be used, so that sub-agent and user know why its tools are missing. */
function absentServers(host: Host, servers: SharedServers): readonly string[] {
  const names = servers.flatMap((one) => (typeof one === 'string' ? [one] : Object.keys(one)));
  return names.flatMap((name) => {
    const state = host.server(name);
    if (state && !ABSENT.has(state.status)) return [];
    const why = state ? `it is ${state.status}${state.error ? `: ${state.error.message}` : ''}` : 'there is none';
    const { text } = gateLine(`server "${name}" of this agent cannot be used: ${why}`, { limit: ABSENT_LIMIT });
    return [`[From the host: ${text}]`];
  });
}

const ABSENT: ReadonlySet<string> = new Set(['failed', 'disabled', 'unapproved', 'denied', 'duplicate', 'invalid']);
const ABSENT_LIMIT = 500;

function toAnswer(end: SendEnd): Awaited<ReturnType<LocalTool['call']>> {
  const { kind, text } = end;
  if (kind === 'done') return { content: [{ type: 'text', text: text === '' ? NOTHING : text }] };
  if (kind === 'failed') throw end.error;
  if (kind === 'cancelled') throw new HostError('cancelled', 'The sub-agent was stopped before it was done');
  const said = text === '' ? '' : `\n\nIt said last:\n${text}`;
  return { outcome: 'error', content: [{ type: 'text', text: `${ENDS[kind]}${said}` }] };
}

function describe(agents: readonly AgentDefinition[]): string {
  const list = agents.map(({ name, description }) => `\n- ${name}: ${description}`).join('');
  return [
    'Gives a task to a sub-agent, which works on it with the same servers in a conversation of its own, and gives back what it says in the end.',
    'Use it for work whose steps you need not read yourself: a long search, a summary of many results, something that can be done beside other things. Several work at the same time when they are called in one message.',
    'It sees nothing of this conversation, and nobody sees its steps but the user: write down all that it has to know, and what it is to give back.',
    ...(list === '' ? [] : [`These are there by name:${list}`]),
  ].join(' ');
}

function schemaFor(agents: readonly AgentDefinition[]): LocalTool['inputSchema'] {
  const names = agents.map(({ name }) => name);
  return {
    type: 'object',
    properties: {
      description: { type: 'string', maxLength: 200, description: 'The task in three to five words, for the user' },
      prompt: { type: 'string', minLength: 1, maxLength: 100_000, description: 'All that the sub-agent has to know' },
      ...(names.length > 0 && {
        agent: { type: 'string', enum: names, description: 'One of those that are there by name' },
      }),
      tools: {
        type: 'array',
        maxItems: 100,
        items: { type: 'string', minLength: 1, maxLength: 600 },
        description: 'Only these tools: mcp__server, mcp__server__tool, mcp__server__get_*. All unless said otherwise',
      },
    },
    required: ['description', 'prompt'],
    additionalProperties: false,
  };
}

const ENDS = {
  length: 'The sub-agent had more to say than it may.',
  refused: 'The sub-agent was not allowed to answer by the provider of the model.',
  'max-turns': 'The sub-agent was stopped: it had asked for tools too often.',
} as const;
/** Marks the user's text, which comes after what servers say and must not be mistaken for it. */
const AGENT_TITLE = '# What the User Wants of This Agent';
const NOTHING = '(The sub-agent ended without a word.)';
const AT_ONCE = 10; // the user pays for each conversation
const TURNS = 100; // a task that takes more is going in circles
const START_MS = 10_000; // for servers of its own; later ones are announced in the conversation
