import { shorten } from '../../base/shorten.js';
import { mayHaveUnlistedTools, toolsUnlistedError } from '../../host/tools/unknown-tool.js';
import { toNamePart } from '../../model/view/names.js';
import type { JsonRpcFailure } from '../../wire/inbound.js';
import type { Offering } from '../offering.js';
import { invalidParams, toRpcFailure } from './failures.js';

/** The refusal of a tool that is in no list: with the reason where a server that may have it has listed none. */
export function unlistedTool(offering: Offering, name: string): JsonRpcFailure {
  const text = `Unknown tool: ${shorten(name, 200)}`;
  const silent = offering
    .servers()
    .find((server) => mayHaveUnlistedTools(server) && (offering.only !== undefined || isNamed(server.name, name)));
  if (!silent) return invalidParams(text);
  const { status } = silent;
  return toRpcFailure(status.kind === 'needs-auth' ? status.error : toolsUnlistedError(silent, text), 'error');
}

/** Whether a tool of this name may be the server's. Only for words: what a name means is looked up. */
function isNamed(server: string, name: string): boolean {
  return name.startsWith(toNamePart(server).slice(0, LONG_SERVER));
}

const LONG_SERVER = 18; // what is left of a longer name of a server in names that are cut
