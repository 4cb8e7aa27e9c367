import type { ErrorCode } from '../base/error-codes.js';
import { HostError } from '../base/errors.js';
import { unreachable } from '../base/never.js';
import { showName } from '../model/show.js';
import { trustCommand, untrustedText } from '../model/text/untrusted-text.js';
import type { ServerFacts } from './servers/server-facts.js';
import { POLICY_STEP } from '../model/text/policy-step.js';

/** Why an action is refused for a server. */
export interface Barrier {
  readonly code: ErrorCode;
  /** Continues a sentence after the name of the server: `is disabled`. */
  readonly why: string;
  /** The action that helps; each face writes it its own way: `plugboard enable x`, `/mcp enable x`, the key `e`. */
  readonly next?: NextAction;
  /** What helps when no action does. */
  readonly hint?: string;
}

export interface NextAction {
  readonly action: string;
  readonly server: string;
}

/** The refusal as an error. Its hint is a command of the program, which the session and the panel replace. */
export function toRefusal(server: string, { code, why, next, hint }: Barrier): HostError {
  const command = next && `plugboard ${next.action} ${showName(next.server)}`;
  return new HostError(code, `Server "${server}" ${why}`, { hint: command ?? hint });
}

/** A barrier for actions on the definition that counts for its name, whether it runs or not: refuses a shadowed one. */
export function refuseShadowed({ server }: ServerFacts): Barrier | undefined {
  const { standing } = server;
  if (standing.kind !== 'suppressed' || standing.how !== 'shadowed') return undefined;
  return {
    code: 'disabled',
    why: `of ${server.origin} is shadowed by ${standing.by.scope} config`,
    next: { action: 'get', server: server.name },
  };
}

/** A barrier for actions on a server that may run. */
export function mustRun({ server, status }: ServerFacts): Barrier | undefined {
  const { name, standing, scope } = server;
  switch (standing.kind) {
    case 'ready':
      // A server that was disabled only until its host closes: no file says so.
      return status === 'disabled' ? isDisabled(name) : undefined;
    case 'disabled':
      return isDisabled(name);
    case 'unapproved':
      return {
        code: 'not-approved',
        why: 'comes from this project and is not approved',
        next: { action: 'approve', server: name },
      };
    case 'untrusted':
      return { code: 'folder-untrusted', why: untrustedText(standing), hint: trustCommand(standing.folder) };
    case 'denied':
      return { code: 'policy-denied', why: `may not run: ${standing.reason}`, hint: POLICY_STEP };
    case 'invalid':
      return {
        code: 'config-invalid',
        why: `cannot be used: ${standing.reason}`,
        // A server from the command line cannot be looked up by name.
        ...(scope === 'dynamic'
          ? { hint: 'Correct the entry on the command line' }
          : { next: { action: 'get', server: name } }),
      };
    case 'suppressed':
      return {
        code: 'disabled',
        why: `is replaced by "${standing.by.name}"`,
        next: { action: 'get', server: standing.by.name },
      };
    default:
      return unreachable(standing);
  }
}

function isDisabled(server: string): Barrier {
  return { code: 'disabled', why: 'is disabled', next: { action: 'enable', server } };
}
