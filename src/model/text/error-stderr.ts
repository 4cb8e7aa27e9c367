import type { HostError } from '../../base/errors.js';

/** What a server said on stderr before something went wrong with it. */
export function stderrOf({ detail }: HostError): string {
  return detail?.kind === 'exit' || detail?.kind === 'stderr' ? detail.stderr : '';
}
