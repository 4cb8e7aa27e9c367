import type { HostError } from '../../base/errors.js';
import { nameWord } from '../../base/shell-word.js';
import { trustCommand, untrustedText } from '../../model/text/untrusted-text.js';
import type { ConfiguredServer, Standing } from '../../config/entries/server.js';
import { transportOf } from '../../config/entries/target.js';
import type { ListKind } from '../../connection/catalog/catalog.js';
import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import { stderrOf } from '../../model/text/error-stderr.js';
import type { DisabledReason, ServerStatus } from '../../model/status.js';
import type { Drift } from '../calls/drift.js';
import { gateLine } from '../../model/text/text-gate.js';
import { POLICY_STEP } from '../../model/text/policy-step.js';

/** The state of one definition of a server, as in `list --json` and `host.servers()`. Contains no secret. */
export interface ServerState {
  /** The key of the entry. Several definitions may share it; one of them runs. */
  readonly name: string;
  /** Which kind of file or option the definition is from: `user`, `project` and so on. */
  readonly scope: string;
  /** The path of the file, or the flag or option that brought the definition. */
  readonly origin: string;
  /** `stdio`, `http` and so on; null for an entry that cannot be read. */
  readonly transport: string | null;
  /** `configured`: the entry is right, and nothing has been started. */
  readonly status: StatusWord;
  /** The version of MCP that was agreed on; null unless connected. */
  readonly protocol: string | null;
  /** Number of tools; null while unknown. */
  readonly tools: number | null;
  /** Number of resources and templates; null while unknown. */
  readonly resources: number | null;
  /** Number of prompts; null while unknown. */
  readonly prompts: number | null;
  /** Milliseconds that connecting took. */
  readonly ms: number | null;
  /** Why the server does not work; for a connected server, why its tools could not be listed. */
  readonly error?: ErrorView;
  /** Name and scope of the definition that runs in place of this one. */
  readonly suppressedBy?: string;
  /** How many definitions differ from `mcp.lock`. */
  readonly drift?: Drift;
  /** The user has refused this server; absent when the user was never asked. */
  readonly rejected?: true;
  /** For a disconnected server: number of the next attempt to reconnect. */
  readonly attempt?: number;
}

/** An error as plain data, with its texts cleaned. */
export interface ErrorView {
  /** For programs; docs/troubleshooting.md has a section for each. */
  readonly code: string;
  /** What failed, in a sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
  /** The last output of the server's process on stderr. */
  readonly stderr?: string;
}

/** The state of a server in a word, as in `list --json`. */
export type StatusWord =
  | 'idle'
  | 'pending'
  | 'connected'
  | 'reconnecting'
  | 'needs-auth'
  | 'failed'
  | 'configured'
  | 'disabled'
  | 'unapproved'
  | 'denied'
  | 'duplicate'
  | 'invalid';

/** `connection`: undefined for a definition that does not run. */
export function toServerState(server: ConfiguredServer, lifecycle?: ServerLifecycle): ServerState {
  const { name, scope, origin, standing } = server;
  const status = lifecycle?.status;
  return {
    name,
    scope,
    origin,
    transport: transportOf(server) ?? null,
    status: status && standing.kind === 'ready' ? statusWordOf(status) : STANDINGS[standing.kind],
    protocol: status?.kind === 'connected' ? status.protocol : null,
    tools: countOf(lifecycle, 'tools'),
    resources: countOf(lifecycle, 'resources', 'templates'),
    prompts: countOf(lifecycle, 'prompts'),
    ms: lifecycle?.connectMs === undefined ? null : Math.round(lifecycle.connectMs),
    ...errorOf(server, lifecycle),
    ...(status?.kind === 'reconnecting' && { attempt: status.attempt }),
    ...(isRejected(standing) && { rejected: true }),
    ...(standing.kind === 'suppressed' && { suppressedBy: `${standing.by.name} (${standing.by.scope})` }),
  };
}

function isRejected(standing: Standing): boolean {
  if (standing.kind === 'untrusted') return standing.isRefused;
  return standing.kind === 'unapproved' && standing.rejected;
}

/** Null for an empty list that has not been fetched yet, or failed. */
function countOf(lifecycle: ServerLifecycle | undefined, ...kinds: readonly ListKind[]): number | null {
  if (!lifecycle || lifecycle.catalog.source === 'none') return null;
  const { catalog, listProblems } = lifecycle;
  const count = kinds.reduce((sum, kind) => sum + catalog.count(kind), 0);
  const isOpen = kinds.some((kind) => catalog.isFetching(kind) || listProblems.has(kind));
  return count === 0 && isOpen ? null : count;
}

export function statusWordOf(status: ServerStatus): StatusWord {
  return status.kind === 'disabled' ? DISABLED[status.reason] : status.kind;
}

const DISABLED: Readonly<Record<DisabledReason, StatusWord>> = {
  user: 'disabled',
  unapproved: 'unapproved',
  untrusted: 'unapproved',
  policy: 'denied',
  invalid: 'invalid',
  duplicate: 'duplicate',
};

const STANDINGS: Readonly<Record<Standing['kind'], StatusWord>> = {
  ready: 'configured',
  disabled: 'disabled',
  unapproved: 'unapproved',
  untrusted: 'unapproved',
  denied: 'denied',
  invalid: 'invalid',
  suppressed: 'duplicate',
};

export function toErrorView(error: HostError): ErrorView {
  const stderr = stderrOf(error);
  return {
    code: error.code,
    message: gateLine(error.message).text,
    hint: gateLine(error.hint ?? 'plugboard doctor says more').text,
    ...(stderr !== '' && { stderr }),
  };
}

function errorOf({ standing, name }: ConfiguredServer, lifecycle?: ServerLifecycle): Pick<ServerState, 'error'> {
  const { status, listProblems } = lifecycle ?? {};
  if (status && 'error' in status) return { error: toErrorView(status.error) };
  const listError = status?.kind === 'connected' ? listProblems?.get('tools') : undefined;
  if (listError) return { error: toErrorView(listError) };
  if (standing.kind === 'invalid') {
    return { error: { code: 'config-invalid', message: standing.reason, hint: `plugboard doctor ${nameWord(name)}` } };
  }
  if (standing.kind === 'untrusted') {
    const message = `Server "${name}" ${untrustedText(standing)}`;
    return { error: { code: 'folder-untrusted', message, hint: trustCommand(standing.folder) } };
  }
  if (standing.kind === 'denied')
    return { error: { code: 'policy-denied', message: standing.reason, hint: POLICY_STEP } };
  return {};
}
