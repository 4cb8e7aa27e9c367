import type { LoadedConfig } from '../../actions/action-place.js';
import { nextStepOf } from '../../actions/health/next-step.js';
import type { Host, ServerState } from '../../index.js';
import { modeFor } from '../../model/permissions/settings.js';
import { isIdle, ruleNotes } from './rule-notes.js';
import type { ServeFlags } from './serve-flags.js';

export interface StartNotesOptions {
  readonly host: Pick<Host, 'servers' | 'tools' | 'unmatchedFlags'>;
  readonly loaded: Pick<LoadedConfig, 'permissions' | 'servers' | 'settings'>;
  readonly flags: Pick<ServeFlags, 'http'>;
  /** Whether a person could be waiting for something to happen. */
  readonly isTerminal: boolean;
}

/** What the user of a gateway would else find out by a client that gets nothing. */
export function startNotes({ host, loaded, flags, isTerminal }: StartNotesOptions): readonly string[] {
  const states = host.servers();
  const waiting = states.filter(({ status }) => WAITING.has(status)).map((state) => waitingText(state, loaded));
  const { rules, modes } = loaded.permissions;
  const isAllowing =
    rules.some(({ list, text }) => list === 'allow' && !isIdle(text, { host, loaded })) ||
    modes.some(({ mode }) => mode !== 'default');
  const notes: string[] = [];
  if (states.length === 0) notes.push('no server is configured yet: plugboard add. Clients see new ones at once');
  if (waiting.length > 0) {
    const more = waiting.length > NAMED ? ` and ${waiting.length - NAMED} more: plugboard list` : '';
    notes.push(`not served: ${waiting.slice(0, NAMED).join(', ')}${more}`);
  }
  if (states.length > 0 && !isAllowing) notes.push(loaded.settings.gateway?.ask === 'deny' ? DENIED : ASKED);
  if (flags.http?.port === 0) notes.push('the next start takes another port: --http 8931 keeps one');
  if (!flags.http && isTerminal)
    notes.push('a client is to write MCP to stdin. For clients that connect: plugboard serve --http 8931');
  const warnings = modeFor(loaded.permissions)?.mode === 'bypass' ? [BYPASS] : [];
  return [...warnings, ...ruleNotes({ host, loaded }), ...notes.map((note) => `note: ${note}`)];
}

function waitingText(state: ServerState, { servers }: Pick<LoadedConfig, 'servers'>): string {
  const { name, scope, origin, status } = state;
  const server = servers.find((one) => one.name === name && one.scope === scope && one.origin === origin);
  const step = server && nextStepOf(server, state);
  return `${name} (${step ? `waits for: ${step.command}` : status})`;
}

const WAITING: ReadonlySet<string> = new Set(['unapproved', 'invalid']);
const NAMED = 5;
const BYPASS =
  'warning: every client may call every tool without being asked, except what a rule asks about or denies and tools that say that they destroy';
const ALLOWED_BY = '--allow mcp__NAME allows all tools of a server';
const ASKED = `no rule allows a call: clients ask their user about each, and one that cannot ask is denied. ${ALLOWED_BY}`;
const DENIED = `no rule allows a call, and "ask" is "deny": each is denied. ${ALLOWED_BY}`;
