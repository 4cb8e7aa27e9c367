import { type AgentDefinition, type ReadAgents, readAgents } from '../../session/index.js';

/** The sub-agents of the user's settings and of --agents, which win where both have a name. */
export function describedAgents(setting: unknown, flag: readonly AgentDefinition[]): ReadAgents {
  const { agents, faults } = setting === undefined ? NONE : readAgents(setting);
  const everywhere = agents.map((agent): AgentDefinition => ({ ...agent, isForEveryFolder: true }));
  const named = new Set(flag.map(({ name }) => name));
  return { agents: [...flag, ...everywhere.filter(({ name }) => !named.has(name))], faults };
}

const NONE: ReadAgents = { agents: [], faults: [] };
