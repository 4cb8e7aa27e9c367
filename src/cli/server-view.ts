import { unreachable } from '../base/never.js';
import { trustCommand, untrustedText } from '../model/untrusted-text.js';
import { labelOf } from '../config/labels.js';
import { maskEntry } from '../config/mask.js';
import type { ConfiguredServer } from '../config/server.js';
import { targetText } from '../config/target.js';
import { driftText } from '../host/drift.js';
import type { ServerState, StatusWord } from '../host/server-state.js';
import { tellingLine } from '../model/telling-line.js';
import { loginCommand } from './login-command.js';
import { countOf, nameOnce, showLine, showName } from '../model/show.js';
import type { Style } from './style.js';
import { cutText, textWidth } from './terminal/text-width.js';
import { wrapHint, wrapLine } from './wrap.js';

export interface ViewOptions {
  readonly style?: Pick<Style, 'red' | 'green' | 'yellow'>;
  /** Of the screen; without it a line is as long as it is. */
  readonly columns?: number;
}

/** `name: target - status`, and below it what a failure said last and what to do about it. */
export function linesOf(server: ConfiguredServer, state: ServerState, options: ViewOptions = {}): string[] {
  const status = statusText(server, state, options);
  const name = showLine(server.name);
  const target = showLine(targetText(server));
  const columns = options.columns ?? Infinity;
  const room = columns - textWidth(`  ${name}:  - ${status}`);
  return [
    ...wrapLine(`  ${name}: ${cutText(target, Math.max(room, TARGET_FLOOR))} - ${status}`, columns, 4),
    ...detailLines(server, state).flatMap((line) => wrapHint(`      ${line}`, columns, 6)),
  ];
}

/** A glyph and a word, the way people know it, with what to do about it. */
export function statusText(server: ConfiguredServer, state: ServerState, options: ViewOptions = {}): string {
  const { name, standing, scope } = server;
  switch (standing.kind) {
    case 'ready':
      return liveText(state, options.style ?? PLAIN);
    case 'disabled':
      return standing.by === 'user' || scope !== 'project' ? '○ disabled' : '○ disabled in its file';
    case 'unapproved':
      if (standing.rejected) return `✘ Rejected (plugboard approve ${showName(name)} takes that back)`;
      return `⏸ Pending approval (run \`plugboard approve ${showName(name)}\` to approve${standing.previous ? `; it changed since it was ${standing.previous.decision}` : ''})`;
    case 'untrusted':
      return `⏸ Waits for trust: it ${showLine(untrustedText(standing))} (run \`${showLine(trustCommand(standing.folder))}\`)`;
    case 'denied':
      return `✘ denied: ${showLine(standing.reason)}`;
    case 'invalid':
      return `✘ invalid: ${showLine(standing.reason)}`;
    case 'suppressed':
      return standing.how === 'shadowed'
        ? `○ shadowed by ${standing.by.scope} config`
        : `○ same server as ${showLine(standing.by.name)} (${standing.by.scope})`;
    default:
      return unreachable(standing);
  }
}

/** The most telling line of stderr, the last ones, and a next step. None where all is well. */
export function detailLines(server: ConfiguredServer, { error, name }: ServerState): string[] {
  if (!error || server.standing.kind !== 'ready') return [];
  const said = (error.stderr ?? '')
    .split('\n')
    .map((line) => showLine(line).trim())
    .filter((line) => line !== '' && !FRAMES.test(line));
  const hint = showLine(loginCommand(error.hint, server));
  const lines = said.slice(-STDERR_LINES);
  // A long list of others may hide it.
  const telling = tellingLine(said.join('\n'));
  const isShown = telling === '' || lines.some((line) => line.startsWith(telling));
  const kept = isShown ? lines : [telling, ...lines.slice(-STDERR_LINES + 1)];
  const shown = kept.map((line) => `| ${line}`);
  // The hint of a server that died is that line.
  if (!hint.startsWith(QUOTING)) return hint === '' ? shown : [...shown, hint];
  // One that is configured nowhere is known only to a command that brings it along.
  const flags = server.scope === 'dynamic' ? 'With the same flags: ' : '';
  return [...shown, `${flags}plugboard doctor ${showName(name)}`];
}

export function isUnhealthy({ status, error }: ServerState): boolean {
  return UNHEALTHY.has(status) || (status === 'connected' && error !== undefined);
}

const UNHEALTHY: ReadonlySet<StatusWord> = new Set(['pending', 'reconnecting', 'needs-auth', 'failed', 'invalid']);

/** The entry for people and for JSON: as written, masked unless secrets were asked for. */
export function toConfigView({ written }: ConfiguredServer, options: { readonly reveal: boolean }): object | null {
  if (!written) return null;
  return options.reveal ? written : maskEntry(written);
}

export function scopeHeading({ scope, origin }: ConfiguredServer): string {
  return `${labelOf(scope)}: ${showLine(origin)}`;
}

function liveText(state: ServerState, { red, green, yellow }: NonNullable<ViewOptions['style']>): string {
  const { status } = state;
  switch (status) {
    case 'configured':
      return '• configured';
    case 'connected':
      return state.error
        ? `${yellow('! connected')} (${factsOf(state)}): ${causeOf(state)}`
        : `${green('✔ connected')} (${factsOf(state)})${lockText(state, yellow)}`;
    case 'idle':
      return `○ idle (lazy; ${state.tools === null ? 'its tools are not known yet' : `${countOf(state.tools, 'tool')} known`})${lockText(state, yellow)}`;
    case 'pending':
      return `${yellow('… pending')}: it has not answered yet`;
    case 'reconnecting':
      return `${yellow('↻ reconnecting')} (attempt ${state.attempt ?? 1}): ${causeOf(state)}`;
    case 'needs-auth':
      return `${yellow('! needs sign-in')}: ${causeOf(state)}`;
    case 'failed':
      return `${red('✘ failed')}: ${causeOf(state)}`;
    case 'disabled':
    case 'unapproved':
    case 'denied':
    case 'duplicate':
    case 'invalid':
      return `○ ${status}`;
    default:
      return unreachable(status);
  }
}

/** Nobody should read "connected" and believe that all is as it was accepted. */
function lockText({ name, drift }: ServerState, yellow: (text: string) => string): string {
  if (!drift) return '';
  return `, ${yellow('! differs from mcp.lock')}: ${driftText(drift)} (plugboard approve --diff ${showName(name)})`;
}

/** What it offers, how it speaks, how long it took. Nobody counts what is not there, tools aside. */
function factsOf({ tools, prompts, resources, protocol, ms, drift }: ServerState): string {
  return [
    tools === null ? 'its tools did not come' : countOf(tools, 'tool'),
    ...(resources !== null && resources > 0 ? [countOf(resources, 'resource')] : []),
    ...(prompts !== null && prompts > 0 ? [countOf(prompts, 'prompt')] : []),
    ...(drift && drift.changed > 0 ? [`${drift.changed} set aside`] : []),
    ...(protocol === null ? [] : [showLine(protocol)]),
    ...(ms === null ? [] : [`${ms} ms`]),
  ].join(', ');
}

/** The line begins with the server's name: the sentence need not. */
export function causeOf({ name, error }: ServerState): string {
  const message = error?.message ?? 'it does not say why';
  const told = nameOnce(message, name);
  const prefix = [`Server "${name}" `, `Server "${name}": `].find((start) => told.startsWith(start)) ?? '';
  return showLine(told.slice(prefix.length));
}

const PLAIN = { red: String, green: String, yellow: String };
const TARGET_FLOOR = 24; // less of a command tells nothing
const STDERR_LINES = 3;
const QUOTING = 'It said: ';
// Where in a program something went wrong, not what; and what is left of an object that was printed.
const FRAMES = /^(?:at |node:internal\/|throw err;|Node\.js v|\^+$|code: '|requireStack: \[|[\]}]+,?$)/u;
