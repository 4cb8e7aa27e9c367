import type { ConfiguredServer } from '../../config/entries/server.js';
import type { ServerState } from '../../host/servers/server-state.js';
import { unreachable } from '../../base/never.js';
import { showLine, showName } from '../../model/show.js';
import { dynamicHint } from '../servers/dynamic-hint.js';

/** What helps a server that does not run as it should. */
export interface HelpfulCommand {
  /** The verb, for a narrow column. */
  readonly word: string;
  /** The whole command, to be pasted. */
  readonly command: string;
}

/** Undefined for a server that needs nothing, or that no command helps. */
export function nextStepOf(server: ConfiguredServer, state: ServerState): HelpfulCommand | undefined {
  const { standing } = server;
  switch (standing.kind) {
    case 'ready':
      return liveStep(server, state);
    case 'disabled':
      return step('enable', server);
    case 'unapproved':
      return step('approve', server);
    case 'untrusted':
      return { word: 'trust', command: 'plugboard trust' };
    case 'invalid':
      return step('doctor', server);
    case 'denied':
    case 'suppressed':
      return undefined;
    default:
      return unreachable(standing);
  }
}

function liveStep(server: ConfiguredServer, { status, error, drift }: ServerState): HelpfulCommand | undefined {
  if (status === 'needs-auth') {
    const { command } = step('login', server);
    return { word: 'login', command: showLine(dynamicHint(command, server)) };
  }
  if (error) return step('doctor', server);
  if (!drift) return undefined;
  return { word: 'approve', command: `plugboard approve --diff ${showName(server.name)}` };
}

function step(word: string, server: ConfiguredServer): HelpfulCommand {
  return { word, command: showLine(dynamicHint(`plugboard ${word} ${showName(server.name)}`, server)) };
}
