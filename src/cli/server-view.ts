import { unreachable } from '../base/never.js';
import { labelOf } from '../config/labels.js';
import { maskEntry } from '../config/mask.js';
import type { ConfiguredServer, Standing } from '../config/server.js';
import { targetText, transportOf } from '../config/target.js';
import { showLine, showName } from './show.js';

/** One row of `list --json`. Counts, protocol and times are null until somebody connects. */
export interface ServerRow {
  readonly name: string;
  readonly scope: string;
  readonly origin: string;
  readonly transport: string | null;
  readonly status: Status;
  readonly protocol: null;
  readonly tools: null;
  readonly resources: null;
  readonly prompts: null;
  readonly ms: null;
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string };
  readonly suppressedBy?: string;
  /** Of an unapproved one: somebody said no, and was not only never asked. */
  readonly rejected?: true;
}

export type Status = 'configured' | 'disabled' | 'unapproved' | 'denied' | 'duplicate' | 'invalid';

export function toRow(server: ConfiguredServer): ServerRow {
  const { name, scope, origin, standing } = server;
  return {
    name,
    scope,
    origin,
    transport: transportOf(server) ?? null,
    status: statusOf(standing),
    protocol: null,
    tools: null,
    resources: null,
    prompts: null,
    ms: null,
    ...toError(server),
    ...(standing.kind === 'unapproved' && standing.rejected && { rejected: true }),
    ...(standing.kind === 'suppressed' && { suppressedBy: `${standing.by.name} (${standing.by.scope})` }),
  };
}

export function statusOf(standing: Standing): Status {
  switch (standing.kind) {
    case 'ready':
      return 'configured';
    case 'suppressed':
      return 'duplicate';
    case 'disabled':
    case 'unapproved':
    case 'denied':
    case 'invalid':
      return standing.kind;
    default:
      return unreachable(standing);
  }
}

/** `- status`, the way people know it, with what to do about it. */
export function statusText(server: ConfiguredServer): string {
  const { name, standing } = server;
  switch (standing.kind) {
    case 'ready':
      return '• configured';
    case 'disabled':
      return standing.by === 'user' || server.scope !== 'project' ? '○ disabled' : '○ disabled in its file';
    case 'unapproved':
      if (standing.rejected) return `✘ Rejected (plugboard approve ${showName(name)} takes that back)`;
      return `⏸ Pending approval (run \`plugboard approve ${showName(name)}\` to approve${standing.previous ? `; it changed since it was ${standing.previous.decision}` : ''})`;
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

/** The entry for people and for JSON: as written, masked unless secrets were asked for. */
export function toConfigView({ written }: ConfiguredServer, options: { readonly reveal: boolean }): object | null {
  if (!written) return null;
  return options.reveal ? written : maskEntry(written);
}

export function lineOf(server: ConfiguredServer): string {
  return `${showLine(server.name)}: ${showLine(targetText(server))} - ${statusText(server)}`;
}

export function scopeHeading({ scope, origin }: ConfiguredServer): string {
  return `${labelOf(scope)}: ${showLine(origin)}`;
}

function toError({ standing, name }: ConfiguredServer): Pick<ServerRow, 'error'> {
  if (standing.kind === 'invalid') {
    return { error: { code: 'config-invalid', message: standing.reason, hint: `plugboard doctor ${showName(name)}` } };
  }
  if (standing.kind === 'denied')
    return { error: { code: 'policy-denied', message: standing.reason, hint: 'Ask whoever keeps the policy' } };
  return {};
}
