import { HostError } from '../../base/errors.js';
import { type AgentDefinition, readAgents } from '../../session/index.js';
import { readFlagText } from './flag-file.js';
import { usageError } from './usage-error.js';

/** Reads `--agents`: JSON, or the path of a JSON file. Rejects with `usage`. */
export async function readAgentsFlag(value: string, cwd: string): Promise<readonly AgentDefinition[]> {
  const text = await readFlagText('agents', value, { cwd, hint: SHAPE });
  try {
    return toAgents(JSON.parse(text));
  } catch (cause) {
    if (cause instanceof HostError) throw cause;
    throw usageError(`--agents is not valid JSON: ${String(cause)}`, { hint: SHAPE, cause });
  }
}

/** Refuses everything for one mistake: a sub-agent must not start with more tools than meant. Throws `usage`. */
export function toAgents(value: unknown): readonly AgentDefinition[] {
  const { agents, faults } = readAgents(value);
  if (faults[0] !== undefined) throw usageError(`--agents: ${faults[0]}`, { hint: SHAPE });
  return agents;
}

const SHAPE = `Write --agents '{ "reviewer": { "description": "when to use it", "prompt": "what it is to do" } }', or name a file with it`;
