import type { ConfiguredServer } from '../../config/entries/server.js';
import type { Host } from '../../host/host.js';
import { inside } from '../../host/inside.js';
import { OF_THE_PROGRAM, type PermissionMode, type RuleList, ruleLists } from '../../model/permissions/settings.js';
import { describeProblem } from '../../model/text/problem-text.js';

/** A rule that a program adds to a session. */
export interface RunRule {
  readonly list: RuleList;
  /** As `readRule` accepts it. */
  readonly text: string;
}

/** Changes the permission mode until the host closes. An administrator's mode stays stronger. */
export function setRunMode(host: Host, mode: PermissionMode): void {
  host[inside].overlay.setOverlay({ mode });
}

/** The rules that the program has added so far. */
export function runRules(host: Host): readonly RunRule[] {
  return host[inside].overlay.overlay.rules;
}

/** Replaces the rules that the program has added. Those of flags and files stay, and what they deny stays denied. */
export function setRunRules(host: Host, rules: readonly RunRule[]): void {
  host[inside].overlay.setOverlay({
    rules: rules.map(({ list, text }) => ({ list, text, source: 'flag', file: OF_THE_PROGRAM })),
  });
}

/** The rules of flags and files, and those that the program has added. */
export function allRules(host: Host): readonly (RunRule & { readonly source: string; readonly file: string })[] {
  const { rules } = host.permissionSettings;
  return ruleLists.flatMap((list) => rules.filter((rule) => rule.list === list));
}

/** What became of the servers that a program wants. */
export interface ServersChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** By server, for those that are not used. */
  readonly errors: Readonly<Record<string, string>>;
}

/**
 * Replaces the servers that this function has added before. Configured servers are not touched, and their names are
 * refused. Never rejects.
 */
export async function setRunServers(host: Host, wanted: Readonly<Record<string, unknown>>): Promise<ServersChange> {
  const { overlay, loaded } = host[inside];
  const { servers: overlaid } = overlay.overlay;
  const before = overlaid.map(({ name }) => name);
  const errors: Record<string, string> = {};
  const configured = new Set(loaded.servers.map(({ name }) => name).filter((name) => !before.includes(name)));
  for (const name of Object.keys(wanted)) if (configured.has(name)) errors[name] = TAKEN;
  const mcpServers = Object.fromEntries(Object.entries(wanted).filter(([name]) => !configured.has(name)));
  const isWanted = (name: string | undefined): name is string => name !== undefined && Object.hasOwn(mcpServers, name);
  const read = await overlay.readServers(JSON.stringify({ mcpServers }));
  for (const problem of read.problems) {
    const { severity, server } = problem;
    if (severity === 'error' && isWanted(server)) errors[server] ??= problem.message;
  }
  const servers = read.servers.filter(({ scope, name }) => scope === 'dynamic' && isWanted(name));
  const names = servers.map(({ name }) => name);
  for (const { name, standing } of servers) if (standing.kind === 'denied') errors[name] = standing.reason;
  const whole = read.problems.find(({ severity, server }) => severity === 'error' && server === undefined);
  for (const name of Object.keys(mcpServers)) {
    if (!names.includes(name)) errors[name] ??= whole ? describeProblem(whole) : 'the server cannot be used here';
  }
  overlay.setOverlay({ servers });
  return {
    added: usedNames(servers).filter((name) => !before.includes(name)),
    removed: usedNames(overlaid).filter((name) => !names.includes(name)),
    errors,
  };
}

/** Without those that a policy denies: they are listed by the host, and never run. */
function usedNames(servers: readonly ConfiguredServer[]): readonly string[] {
  return servers.filter(({ standing }) => standing.kind !== 'denied').map(({ name }) => name);
}

const TAKEN = 'a configured server has this name';
