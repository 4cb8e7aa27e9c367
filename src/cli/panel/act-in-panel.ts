import type { Host, ServerState } from '../../index.js';
import type { Action } from '../../actions/action.js';
import { type ArgsOf, type ArgumentSpecs, onlyServer, toArgs } from '../../actions/arguments.js';
import { perform } from '../../actions/perform.js';
import type { ServerFacts } from '../../actions/servers/server-facts.js';
import { draw, type Drawing, noteLines } from '../../actions/told.js';
import { countOf, showExact, showLine, showName } from '../../model/show.js';
import { causeOf, lookOfStatus } from '../../actions/servers/server-status.js';
import { ownCommands } from '../session/own-commands.js';
import type { PanelServer } from './panel-data.js';
import type { PanelMessage } from './panel-state.js';

/** Runs an action on the entry that is shown and reports it in a line or two. Rejects with a HostError. */
export async function actInPanel(
  action: Action,
  { definition }: PanelServer,
  {
    host,
    now,
    decided = {},
  }: { readonly host: Host; readonly now: () => Date; readonly decided?: Decided | undefined },
): Promise<PanelMessage> {
  const on = { kind: 'host', host, isTransient: false, shown: definition } as const;
  const args = { ...toArgs(action.args, onlyServer(definition.name)), ...decided };
  const { told } = await perform(action, on, args, { now });
  return { kind: told.tone, lines: [...draw(told.parts, messageDrawing), ...noteLines(told.notes)] };
}

/** Arguments that the panel sets itself. */
export type Decided = ArgsOf<ArgumentSpecs>;

/** The parts of a result as lines without colours. */
export const messageDrawing: Drawing = {
  sentence: ({ text }) => [text],
  line: ({ spans }) => [spans.map(({ text }) => text).join('')],
  hint: ({ text }) => [text],
  quote: ({ lines }) => lines,
  edits: ({ files }) => files.map((file) => `File modified: ${file}`),
  server: ({ state }) => stateLines(state),
  log: ({ lines }) => lines,
  calls: () => [], // the panel has no key that returns calls or tables
  messages: () => [],
  values: () => [],
  table: () => [],
  request: () => [], // the user saw the request when deciding
  servers: ({ servers }) => servers.flatMap(({ state }) => stateLines(state)),
  findings: ({ summary }) => [summary],
  aside: ({ text }) => [text],
  text: ({ text }) => text.split('\n'),
  images: () => [],
};

/** The state of a server after an action: what, why, and what to do. */
export function stateLines(state: ServerState): string[] {
  const { status, error, tools, ms } = state;
  const name = showExact(state.name);
  if (status === 'connected' && !error) {
    const told = tools === null ? 'tools not received yet' : countOf(tools, 'tool');
    return [`${name} is connected: ${told}${ms === null ? '' : `, ${ms} ms`}`];
  }
  if (!error) return [`${name} is ${status}`];
  return [
    `${name} ${lookOfStatus(status).failing ?? status}: ${causeOf(state)}`,
    ...stateHints(state.name, error.hint),
  ];
}

/** A hint that only quotes the server's stderr is no step to take. */
function stateHints(name: string, hint: string): string[] {
  if (!hint.startsWith(QUOTING)) return hintLines(hint);
  return [
    showLine(`the server said on stderr: ${hint.slice(QUOTING.length)}`),
    ...hintLines(`plugboard doctor ${showName(name)}`),
  ];
}

const QUOTING = 'It said: ';

export function hintLines(hint: string): string[] {
  return hint === '' ? [] : [`→ ${showLine(ownCommands(hint))}`];
}

export function factsOfRow({ definition, state, canSignIn }: PanelServer): ServerFacts {
  return { server: definition, status: state.status, canSignIn };
}

/** Why an action cannot be done now, and which key would help; undefined when it can be done. */
export function barrierText(
  action: Action,
  server: PanelServer,
  keyOf: (action: string) => { readonly key: string; readonly label: string } | undefined,
): string | undefined {
  const barrier = action.barrier?.(factsOfRow(server));
  if (!barrier) return undefined;
  const { why, next, hint } = barrier;
  const help = next && keyOf(next.action);
  const step = help ? `: press ${help.key} to ${help.label}` : hint === undefined ? '' : `: ${hint}`;
  return showLine(`${showExact(server.state.name)} ${why}${step}`);
}
