import { HostError } from '../../base/errors.js';
import { nameWord } from '../../base/shell-word.js';
import { toHostError } from '../../base/to-host-error.js';
import type { ListKind } from './cached-list.js';

/** Why a list could not be fetched. */
export function toListError(error: unknown, server: string, kind: ListKind): HostError {
  if (error instanceof HostError && error.code === 'call-timeout') {
    // Another hint: the entry's own timeout applies to calls, not to listing.
    return new HostError(error.code, error.message, {
      hint: `Give it more time with MCP_TIMEOUT=MS or --timeout MS, or see what it waits for: plugboard logs ${nameWord(server)}`,
      ...(error.detail && { detail: error.detail }),
      cause: error,
    });
  }
  const hint = 'Run it again with --verbose and report what it prints';
  return toHostError(error, `Listing the ${kind} of server "${server}" failed inside Plugboard`, { hint, reason: '' });
}
