import type { HostError } from '../base/errors.js';
import { unreachable } from '../base/never.js';
import { nameWord } from '../base/shell-word.js';
import type { ConfiguredServer, Standing } from '../config/server.js';
import { transportOf } from '../config/target.js';
import type { Connection } from '../connection/connection.js';
import { lastWords } from '../model/last-words.js';
import type { ServerStatus } from '../model/status.js';
import { gateLine } from '../model/text-gate.js';

/** What `list --json` and `host.servers()` say of one definition of a server. Nothing in it is a secret. */
export interface ServerState {
  readonly name: string;
  readonly scope: string;
  readonly origin: string;
  readonly transport: string | null;
  readonly status: StatusWord;
  readonly protocol: string | null;
  /** How many; null while nobody knows. */
  readonly tools: number | null;
  readonly resources: number | null;
  readonly prompts: number | null;
  /** How long connecting took. */
  readonly ms: number | null;
  readonly error?: ErrorView;
  readonly suppressedBy?: string;
  /** Of an unapproved one: somebody said no, and was not only never asked. */
  readonly rejected?: true;
  /** Of one that is away: which attempt to reach it comes next. */
  readonly attempt?: number;
}

export interface ErrorView {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** What its process said last. */
  readonly stderr?: string;
}

export type StatusWord =
  | Exclude<ServerStatus['kind'], 'disabled'>
  | 'configured'
  | 'disabled'
  | 'unapproved'
  | 'denied'
  | 'duplicate'
  | 'invalid';

/** `connection`: undefined for a definition that does not run. */
export function toServerState(server: ConfiguredServer, connection?: Connection): ServerState {
  const { name, scope, origin, standing } = server;
  const status = connection?.status;
  const isKnown = connection !== undefined && connection.catalog.source !== 'none';
  return {
    name,
    scope,
    origin,
    transport: transportOf(server) ?? null,
    status: status && standing.kind === 'ready' ? wordOf(status) : standingWord(standing),
    protocol: status?.kind === 'connected' ? status.protocol : null,
    tools: isKnown ? connection.catalog.count('tools') : null,
    resources: isKnown ? connection.catalog.count('resources') + connection.catalog.count('templates') : null,
    prompts: isKnown ? connection.catalog.count('prompts') : null,
    ms: connection?.connectMs === undefined ? null : Math.round(connection.connectMs),
    ...errorOf(server, status),
    ...(status?.kind === 'reconnecting' && { attempt: status.attempt }),
    ...(standing.kind === 'unapproved' && standing.rejected && { rejected: true }),
    ...(standing.kind === 'suppressed' && { suppressedBy: `${standing.by.name} (${standing.by.scope})` }),
  };
}

export function wordOf(status: ServerStatus): StatusWord {
  if (status.kind !== 'disabled') return status.kind;
  switch (status.reason) {
    case 'user':
      return 'disabled';
    case 'unapproved':
      return 'unapproved';
    case 'policy':
      return 'denied';
    case 'duplicate':
      return 'duplicate';
    default:
      return unreachable(status.reason);
  }
}

export function standingWord(standing: Standing): StatusWord {
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

export function toErrorView(error: HostError): ErrorView {
  const stderr = lastWords(error);
  return {
    code: error.code,
    message: gateLine(error.message).text,
    hint: gateLine(error.hint ?? 'plugboard doctor says more').text,
    ...(stderr !== '' && { stderr }),
  };
}

function errorOf({ standing, name }: ConfiguredServer, status: ServerStatus | undefined): Pick<ServerState, 'error'> {
  if (status && 'error' in status) return { error: toErrorView(status.error) };
  if (standing.kind === 'invalid') {
    return { error: { code: 'config-invalid', message: standing.reason, hint: `plugboard doctor ${nameWord(name)}` } };
  }
  if (standing.kind === 'denied')
    return { error: { code: 'policy-denied', message: standing.reason, hint: 'Ask whoever keeps the policy' } };
  return {};
}
