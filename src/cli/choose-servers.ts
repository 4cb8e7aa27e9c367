import { HostError } from '../base/errors.js';
import { unreachable } from '../base/never.js';
import { trustCommand, untrustedText } from '../config/folder-trust.js';
import type { LoadedConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/server.js';
import { showName } from '../model/show.js';

/** The servers that may be opened: all, or the one of that name. Throws when that one may not. */
export function chooseServers({ servers }: LoadedConfig, name: string | undefined): readonly ConfiguredServer[] {
  if (name === undefined) return servers.filter(({ standing }) => standing.kind === 'ready');
  const found = servers.filter((server) => server.name === name);
  const ready = found.find(({ standing }) => standing.kind === 'ready');
  if (ready) return [ready];
  const [first] = found;
  if (!first) return [];
  throw whyNot(first);
}

/** Why a server that is configured is not opened. */
function whyNot({ name, standing, scope }: ConfiguredServer): HostError {
  const says = (
    code: 'not-approved' | 'folder-untrusted' | 'disabled' | 'policy-denied' | 'config-invalid',
    why: string,
    hint: string,
  ): HostError => new HostError(code, `Server "${name}" ${why}`, { hint });
  switch (standing.kind) {
    case 'unapproved':
      return says('not-approved', 'comes from this project and is not approved', `plugboard approve ${showName(name)}`);
    case 'untrusted':
      return says('folder-untrusted', untrustedText(standing), trustCommand(standing.folder));
    case 'disabled':
      return says('disabled', 'is disabled', `plugboard enable ${showName(name)}`);
    case 'denied':
      return says('policy-denied', `may not run: ${standing.reason}`, 'Ask whoever keeps the policy');
    case 'invalid':
      // What stands on the command line is not looked up by its name.
      return scope === 'dynamic'
        ? says('config-invalid', `cannot be used: ${standing.reason}`, 'Correct that on the command line')
        : says('config-invalid', `cannot be used: ${standing.reason}`, `plugboard get ${showName(name)}`);
    case 'suppressed':
      return says('disabled', `gives way to "${standing.by.name}"`, `plugboard get ${showName(standing.by.name)}`);
    case 'ready':
      return says('config-invalid', 'cannot be used', `plugboard get ${showName(name)}`);
    default:
      return unreachable(standing);
  }
}
