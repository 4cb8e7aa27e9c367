import type { HostError } from '../../base/errors.js';

/** What a server wrote to stderr before the failure. */
export function stderrOf({ detail }: HostError): string {
  return detail?.kind === 'exit' || detail?.kind === 'stderr' ? detail.stderr : '';
}
