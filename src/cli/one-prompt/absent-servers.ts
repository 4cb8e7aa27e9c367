import { causeOf } from '../../actions/servers/server-status.js';
import type { ServerState } from '../../index.js';
import { showLine, showName } from '../../model/show.js';

/** A note for each server that the model had to do without, or without its tools: the answer does not say why. */
export function absentServers(servers: readonly ServerState[]): readonly string[] {
  return servers.flatMap((state) => {
    const why = whyAbsent(state);
    const what = state.status === 'connected' ? 'has not listed its tools' : 'could not be used';
    return why === undefined ? [] : [showLine(`note: "${state.name}" ${what}: ${why}`)];
  });
}

function whyAbsent(state: ServerState): string | undefined {
  const { status, name, rejected, error } = state;
  if (status === 'connected' && error) return causeOf(state);
  if (status === 'failed' || status === 'needs-auth' || status === 'invalid') return causeOf(state);
  if (status === 'unapproved' && error?.code === 'folder-untrusted') return `${causeOf(state)} (${error.hint})`;
  if (status === 'unapproved' && rejected !== true) return `it is not approved (plugboard approve ${showName(name)})`;
  return undefined;
}
