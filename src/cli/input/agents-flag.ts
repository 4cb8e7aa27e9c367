import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HostError } from '../../base/errors.js';
import { type AgentDefinition, readAgents } from '../../session/index.js';
import { usageError } from './usage-error.js';

/** Reads `--agents`: JSON, or the path of a JSON file. Rejects with `usage`. */
export async function readAgentsFlag(value: string, cwd: string): Promise<readonly AgentDefinition[]> {
  const text = value.trimStart().startsWith('{') ? value : await readAgentsFile(resolve(cwd, value));
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

async function readAgentsFile(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > FILE_LIMIT) throw new Error(`the file has ${size} bytes, the limit is ${FILE_LIMIT}`);
    return await readFile(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw usageError(`--agents ${file} cannot be read: ${why}`, { hint: SHAPE, cause });
  }
}

const SHAPE = `Write --agents '{ "reviewer": { "description": "when to use it", "prompt": "what it is to do" } }', or name a file with it`;
const FILE_LIMIT = 1_000_000; // bytes, as for a configuration file
