import { isObject } from '../base/json.js';
import type { SharedServers } from '../host/servers/shared-servers.js';
import { readNarrowing } from '../model/permissions/narrowing.js';
import { gateLine, gateText } from '../model/text/text-gate.js';

/** A sub-agent that the user has described: in `settings.agents`, or by --agents. */
export interface AgentDefinition {
  readonly name: string;
  /** When the model is to use it. */
  readonly description: string;
  /** What it is told before its task. */
  readonly prompt: string;
  /** Permission rules: only the tools that one of them names; all unless said otherwise. */
  readonly tools?: readonly string[];
  /** Names of servers that it shares, and entries of its own, closed when it ends. */
  readonly servers?: SharedServers;
  /** It comes from the user's settings: servers of its own start in the working directory only if the user trusts it. */
  readonly isForEveryFolder?: boolean;
}

export interface ReadAgents {
  readonly agents: readonly AgentDefinition[];
  /** What is wrong with others, a sentence each. */
  readonly faults: readonly string[];
}

/** `{ "reviewer": { "description": "...", "prompt": "...", "tools": [...], "mcpServers": [...] } }`, as agents of other hosts are written. */
export function readAgents(value: unknown): ReadAgents {
  if (!isObject(value)) return { agents: [], faults: ['agents: expected an object of agents by name'] };
  const agents: AgentDefinition[] = [];
  const faults: string[] = [];
  for (const [name, entry] of Object.entries(value)) {
    const read = readAgent(name, entry);
    if (typeof read === 'string') faults.push(`agents.${gateLine(name, { limit: NAME_LIMIT }).text}: ${read}`);
    else if (agents.length < AGENT_LIMIT) agents.push(read);
    else {
      faults.push(`agents: more than ${AGENT_LIMIT}; the rest is not used`);
      break;
    }
  }
  return { agents, faults };
}

function readAgent(name: string, entry: unknown): AgentDefinition | string {
  if (!/^[\w-]{1,64}$/u.test(name)) return 'a name has 1 to 64 letters, digits, "_" and "-"';
  if (!isObject(entry)) return 'expected an object with "description" and "prompt"';
  const { description, prompt, tools, mcpServers } = entry;
  if (typeof description !== 'string' || description.trim() === '') return 'description: expected a text';
  if (typeof prompt !== 'string' || prompt.trim() === '') return 'prompt: expected a text';
  if (tools !== undefined) {
    if (!Array.isArray(tools)) return 'tools: expected an array of permission rules';
    const read = readNarrowing(tools);
    if (read.kind === 'fault') return `tools: ${read.reason}. ${read.hint}`;
  }
  if (mcpServers !== undefined && !isServers(mcpServers))
    return 'mcpServers: expected an array of names of servers, and of objects with entries by name';
  return {
    name,
    description: gateText(description, { limit: TEXT_LIMIT }).text,
    prompt: gateText(prompt, { limit: PROMPT_LIMIT }).text,
    ...(tools !== undefined && { tools: tools as readonly string[] }),
    ...(mcpServers !== undefined && { servers: mcpServers }),
  };
}

function isServers(value: unknown): value is SharedServers {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' || isObject(one));
}

const AGENT_LIMIT = 50; // all of them stand in the description of one tool
const NAME_LIMIT = 100;
const TEXT_LIMIT = 1_000;
const PROMPT_LIMIT = 50_000;
