import { UNTRUSTED } from '../model/text/untrusted-text.js';
import { unreachable } from '../base/never.js';
import type { Problem } from '../config/problem.js';
import type { CatalogChange } from '../connection/catalog/catalog.js';
import type { HookRun } from '../model/hooks/hook-run.js';
import type { DisabledReason, ServerEvent, StartReason } from '../model/status.js';
import type { PipeWarning } from '../wire/pipe.js';
import type { StatusWord } from './servers/server-state.js';

/** The events of a host, by name. */
export interface HostEvents {
  /** Events that later versions add. */
  readonly [kind: string]: unknown;
  /** A server's state has changed. */
  readonly server: ServerChange;
  /** What a server offers has changed. */
  readonly catalog: CatalogChange & { readonly server: string };
  /** The configuration files have changed. */
  readonly config: { readonly problems: readonly Problem[]; readonly gone: readonly string[] };
  /** A harmless irregularity of a server. */
  readonly note: PipeWarning & { readonly server: string };
  /** A problem that stops nothing: of a hook, of the ledger, of a server that differs from `mcp.lock`. */
  readonly problem: { readonly message: string };
  /** A hook begins or ends. Emitted only while there is a listener. */
  readonly hook: HookRun;
}

/** The events of a host. */
export const hostEvents = ['server', 'catalog', 'config', 'note', 'problem', 'hook'] as const;

/** The name of an event of a host. */
export type HostEvent = (typeof hostEvents)[number];

/** A change of a server's state. */
export interface ServerChange {
  /** The name of the server. */
  readonly name: string;
  /** The state until now. */
  readonly before: StatusWord;
  /** The state from now on, as in `ServerState.status`. */
  readonly after: StatusWord;
  /** What happened, in a sentence. */
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export function toReason(event: ServerEvent): string {
  switch (event.kind) {
    case 'start':
      return STARTS[event.why];
    case 'opened':
      return `the server answers in ${event.protocol}`;
    case 'lost':
    case 'unauthorized':
      return event.error.message;
    case 'retry':
      return 'the user does not wait for the next attempt';
    case 'rest':
      return 'its lists are read, and calls of clients have connections of their own';
    case 'enable':
      return 'it may run again';
    case 'disable':
      return DISABLED[event.reason];
    default:
      return unreachable(event);
  }
}

const STARTS: Readonly<Record<StartReason, string>> = {
  host: 'the host starts it',
  use: 'a call uses it',
  user: 'started again by hand',
  'sign-in': 'the user has signed in',
};

const DISABLED: Readonly<Record<DisabledReason, string>> = {
  user: 'switched off',
  unapproved: 'it is not approved',
  untrusted: UNTRUSTED,
  policy: 'a policy denies it',
  invalid: 'its entry is invalid',
  duplicate: 'another definition of it runs',
};
