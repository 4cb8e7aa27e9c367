import { unreachable } from '../../base/never.js';
import { driftText } from '../../model/pins/drift-text.js';
import { countOf, nameOnce, showLine, showName } from '../../model/show.js';
import { mostInformativeLine } from '../../model/text/informative-line.js';
import { trustCommand, untrustedText } from '../../model/text/untrusted-text.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import type { ServerState, StatusWord } from '../../host/servers/server-state.js';
import { dynamicHint } from './dynamic-hint.js';

/** How a status is shown and which action helps: the one table that every face reads. */
export interface StatusLook {
  readonly glyph: string;
  /** A short word for a column. */
  readonly word: string;
  readonly tone: StatusTone;
  /** Follows a number of servers: `failed`, `need you to sign in`. Default: `are` and the word. */
  readonly ofMany?: string;
  /** Follows the name of a server that has an error. */
  readonly failing?: string;
  readonly next?: string;
  /** Counts as trouble: `list` exits with `unhealthy`. */
  readonly isUnhealthy?: true;
}

/** The colour of a text. Never the only sign: a word always says the same. */
export type StatusTone = 'good' | 'waiting' | 'bad' | 'quiet';

const LOOKS = {
  connected: { glyph: '✔', word: 'connected', tone: 'good', failing: 'is connected without its tools' },
  idle: { glyph: '○', word: 'idle', tone: 'quiet' },
  configured: { glyph: '•', word: 'configured', tone: 'quiet' },
  pending: { glyph: '…', word: 'pending', tone: 'waiting', isUnhealthy: true },
  reconnecting: {
    glyph: '↻',
    word: 'reconnecting',
    tone: 'waiting',
    ofMany: 'lost their connection and retry',
    isUnhealthy: true,
  },
  'needs-auth': {
    glyph: '!',
    word: 'needs sign-in',
    tone: 'waiting',
    ofMany: 'need you to sign in',
    failing: 'needs a sign-in',
    next: 'login',
    isUnhealthy: true,
  },
  failed: { glyph: '✘', word: 'failed', tone: 'bad', ofMany: 'failed', isUnhealthy: true },
  disabled: { glyph: '○', word: 'disabled', tone: 'quiet', next: 'enable' },
  unapproved: { glyph: '⏸', word: 'to approve', tone: 'waiting', ofMany: 'wait for approval', next: 'approve' },
  untrusted: { glyph: '⏸', word: 'to trust', tone: 'waiting' },
  rejected: { glyph: '✘', word: 'rejected', tone: 'quiet', next: 'approve' },
  denied: { glyph: '✘', word: 'denied', tone: 'quiet' },
  invalid: { glyph: '✘', word: 'invalid', tone: 'bad', isUnhealthy: true },
  duplicate: { glyph: '○', word: 'duplicate', tone: 'quiet' },
  shadowed: { glyph: '○', word: 'shadowed', tone: 'quiet' },
} as const satisfies Readonly<Record<StatusWord | 'untrusted' | 'rejected' | 'shadowed', StatusLook>>;

export function lookOf(
  { standing }: Pick<ConfiguredServer, 'standing'>,
  { status, rejected }: Pick<ServerState, 'status' | 'rejected'>,
): StatusLook {
  if (status === 'unapproved' && standing.kind === 'untrusted') return LOOKS.untrusted;
  if (status === 'unapproved' && rejected === true) return LOOKS.rejected;
  const isShadowed = status === 'duplicate' && standing.kind === 'suppressed' && standing.how === 'shadowed';
  return isShadowed ? LOOKS.shadowed : LOOKS[status];
}

/** The look of a status, when nothing else is known of the server. */
export function lookOfStatus(status: StatusWord): StatusLook {
  return LOOKS[status];
}

export function isUnhealthy({ status, error }: Pick<ServerState, 'status' | 'error'>): boolean {
  return lookOfStatus(status).isUnhealthy === true || (status === 'connected' && error !== undefined);
}

/** A piece of a line; `tone` gives it a colour. */
export interface StatusSpan {
  readonly text: string;
  readonly tone?: StatusTone;
}

/** The status of a server as a glyph and a word, with the reason and the command that helps. */
export function statusSpans({ name, standing, scope }: ConfiguredServer, state: ServerState): readonly StatusSpan[] {
  switch (standing.kind) {
    case 'ready':
      return liveSpans(state);
    case 'disabled':
      return plain(standing.by === 'user' || scope !== 'project' ? '○ disabled' : '○ disabled in its file');
    case 'unapproved':
      if (standing.rejected) return plain(`✘ Rejected (plugboard approve ${showName(name)} undoes that)`);
      return plain(
        `⏸ Pending approval (run \`plugboard approve ${showName(name)}\` to approve${standing.previous ? `; it changed since it was ${standing.previous.decision}` : ''})`,
      );
    case 'untrusted':
      return plain(
        `⏸ Waits for trust: it ${showLine(untrustedText(standing))} (run \`${showLine(trustCommand(standing.folder))}\`)`,
      );
    case 'denied':
    case 'invalid':
      return plain(`✘ ${standing.kind}: ${showLine(standing.reason)}`);
    case 'suppressed':
      return plain(
        standing.how === 'shadowed'
          ? `○ shadowed by ${standing.by.scope} config`
          : `○ same server as ${showLine(standing.by.name)} (${standing.by.scope})`,
      );
    default:
      return unreachable(standing);
  }
}

function plain(text: string): readonly StatusSpan[] {
  return [{ text }];
}

function liveSpans(state: ServerState): readonly StatusSpan[] {
  const { status } = state;
  const { glyph, word, tone } = lookOfStatus(status);
  const mark = { text: `${glyph} ${word}`, ...(tone !== 'quiet' && { tone }) };
  switch (status) {
    case 'connected':
      return state.error
        ? [{ text: '! connected', tone: 'waiting' }, { text: ` (${factsOf(state)}): ${causeOf(state)}` }]
        : [mark, { text: ` (${factsOf(state)})` }, ...lockSpans(state)];
    case 'idle':
      return [
        mark,
        {
          text: ` (lazy; ${state.tools === null ? 'tools not known yet' : `${countOf(state.tools, 'tool')} known`})`,
        },
        ...lockSpans(state),
      ];
    case 'pending':
      return [mark, { text: ': no answer yet' }];
    case 'reconnecting':
      return [mark, { text: ` (attempt ${state.attempt ?? 1}): ${causeOf(state)}` }];
    case 'needs-auth':
    case 'failed':
      return [mark, { text: `: ${causeOf(state)}` }];
    case 'configured':
    case 'disabled':
    case 'denied':
    case 'duplicate':
      return plain(mark.text);
    case 'unapproved':
    case 'invalid':
      return plain(`○ ${status}`);
    default:
      return unreachable(status);
  }
}

/** Says that a connected server differs from mcp.lock, so that "connected" is not read as accepted. */
function lockSpans({ name, drift }: ServerState): readonly StatusSpan[] {
  if (!drift) return [];
  return [
    { text: ', ' },
    { text: '! differs from mcp.lock', tone: 'waiting' },
    { text: `: ${driftText(drift)} (plugboard approve --diff ${showName(name)})` },
  ];
}

/** What the server offers, its protocol version and how long it took. Zero counts are left out, except of tools. */
function factsOf({ tools, prompts, resources, protocol, ms, drift }: ServerState): string {
  return [
    tools === null ? 'tools not received' : countOf(tools, 'tool'),
    ...(resources !== null && resources > 0 ? [countOf(resources, 'resource')] : []),
    ...(prompts !== null && prompts > 0 ? [countOf(prompts, 'prompt')] : []),
    ...(drift && drift.changed > 0 ? [`${drift.changed} set aside`] : []),
    ...(protocol === null ? [] : [showLine(protocol)]),
    ...(ms === null ? [] : [`${ms} ms`]),
  ].join(', ');
}

/** Why a server has its status. The line already starts with the server's name, so the sentence leaves it out. */
export function causeOf({ name, error }: Pick<ServerState, 'name' | 'error'>): string {
  // The status in front of the sentence says already that a sign-in is needed.
  const sentence = withoutName(error?.message ?? 'no reason given', name).replace(/^needs you to sign in: /u, '');
  return showLine(sentence);
}

export function withoutName(message: string, name: string): string {
  const told = nameOnce(message, name);
  const prefix = [`Server "${name}": `, `Server "${name}" `].find((start) => told.startsWith(start)) ?? '';
  return told.slice(prefix.length);
}

/** The most telling line of stderr, the last lines, and the next step. Empty without an error. */
export function failureLines(server: ConfiguredServer, { error, name }: ServerState): string[] {
  if (!error || server.standing.kind !== 'ready') return [];
  const hint = showLine(dynamicHint(error.hint, server));
  const shown = lastWords(error.stderr).map((line) => `| ${line}`);
  // The hint of a server that died quotes the telling line, which is shown already.
  if (!hint.startsWith(QUOTING)) return hint === '' ? shown : [...shown, hint];
  return [...shown, showLine(dynamicHint(`plugboard doctor ${showName(name)}`, server))];
}

/** The same with an arrow before the next step, as below an error. */
export function markedFailureLines(server: ConfiguredServer, state: ServerState): string[] {
  return failureLines(server, state).map((line) => (line.startsWith('| ') ? line : `→ ${line}`));
}

/** The most telling line of a process's stderr, and its last lines, without stack frames. */
export function lastWords(stderr = ''): readonly string[] {
  const said = stderr
    .split('\n')
    .map((line) => showLine(line).trim())
    .filter((line) => line !== '' && !FRAMES.test(line));
  const lines = said.slice(-STDERR_LINES);
  // The telling line may be further up than the last lines.
  const telling = mostInformativeLine(said.join('\n'));
  const isShown = telling === '' || lines.some((line) => line.startsWith(telling));
  return isShown ? lines : [telling, ...lines.slice(-STDERR_LINES + 1)];
}

const STDERR_LINES = 3;
const QUOTING = 'It said: ';
// Stack frames, and the remains of a printed error object: they do not say what went wrong.
const FRAMES = /^(?:at |node:internal\/|throw err;|Node\.js v|\^+$|code: '|requireStack: \[|[\]}]+,?$)/u;
