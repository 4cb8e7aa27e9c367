import { isObject } from '../base/json.js';
import type { SharedServers } from '../host/servers/shared-servers.js';
import { readNarrowing } from '../model/permissions/narrowing.js';
import { gateLine, gateText } from '../model/text/text-gate.js';

/** A sub-agent that the user has defined, in `settings.agents` or with --agents. */
export interface AgentDefinition {
  readonly name: string;
  /** When the model should use the agent. */
  readonly description: string;
  /** Instructions that come before its task. */
  readonly prompt: string;
  /** Permission rules: only the tools that one of them names; all by default. */
  readonly tools?: readonly string[];
  /** How often the model may be asked for one task; as often as for any sub-agent by default. */
  readonly maxTurns?: number;
  /** Names of shared servers, and entries of its own, which are closed when the agent ends. */
  readonly servers?: SharedServers;
  /** From the user's settings: its own servers start in the working directory only if the user trusts that. */
  readonly isForEveryFolder?: boolean;
}

/** The sub-agents of the settings, and what is wrong with them. */
export interface ReadAgents {
  readonly agents: readonly AgentDefinition[];
  /** What is wrong with the other agents, a sentence each. */
  readonly faults: readonly string[];
}

/** `{ "name": { "description": "...", "prompt": "...", "tools": [...], "mcpServers": [...] } }`, as in other hosts. */
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
  const { description, prompt, tools, mcpServers, maxTurns } = entry;
  if (typeof description !== 'string' || description.trim() === '') return 'description: expected a text';
  if (typeof prompt !== 'string' || prompt.trim() === '') return 'prompt: expected a text';
  if (tools !== undefined) {
    if (!Array.isArray(tools)) return 'tools: expected an array of permission rules';
    const read = readNarrowing(tools);
    if (read.kind === 'fault') return `tools: ${read.reason}. ${read.hint}`;
  }
  if (maxTurns !== undefined && !(Number.isInteger(maxTurns) && Number(maxTurns) > 0))
    return 'maxTurns: expected a number, 1 or more';
  if (mcpServers !== undefined && !isServers(mcpServers))
    return 'mcpServers: expected an array of names of servers, and of objects with entries by name';
  return {
    name,
    description: gateText(description, { limit: TEXT_LIMIT }).text,
    prompt: gateText(prompt, { limit: PROMPT_LIMIT }).text,
    ...(tools !== undefined && { tools: tools as readonly string[] }),
    ...(typeof maxTurns === 'number' && { maxTurns }),
    ...(mcpServers !== undefined && { servers: mcpServers }),
  };
}

function isServers(value: unknown): value is SharedServers {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' || isObject(one));
}

const AGENT_LIMIT = 50; // all of them are in the description of one tool
const NAME_LIMIT = 100;
const TEXT_LIMIT = 1_000;
const PROMPT_LIMIT = 50_000;
