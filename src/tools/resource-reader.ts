import type { CallContext, CallTraits, Tool, ToolInput, ToolResult } from '../model/tool.js';
import { HostError } from '../base/errors.js';
import { toServerError } from '../model/server-result.js';
import { type ReadResourceOptions, readResource } from './read-resource.js';
import { toFailure } from './built-in.js';

export interface ResourceReaderOptions extends ReadResourceOptions {
  /** By which rules, hooks and the ledger know it. */
  readonly name: string;
  readonly server: string;
  /** Whether the server has listed this address itself. */
  readonly isListed: (uri: string) => boolean;
  /** Until that is known. Contract: never rejects. */
  readonly untilListed: (uri: string, context: CallContext) => Promise<void> | undefined;
}

/**
 * What resources of one server are read with: no tool of that server, and decided like one that says nothing of itself. Only an address
 * that the server has listed tells it nothing new.
 */
export function resourceReader({ name, server, read, isListed, untilListed }: ResourceReaderOptions): Tool {
  const builtIn = readResource({ read });
  return {
    ...builtIn,
    name,
    server,
    tool: ACT,
    act: ACT,
    alias: builtIn.name,
    // Like one that says nothing: an address is the words of whoever asks, and the server gets them.
    hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
    prepare: (input, context) => untilListed(uriOf(input), context),
    traitsOf: (input): CallTraits => {
      const uri = uriOf(input);
      return isListed(uri) ? { uri, isHarmless: true } : { uri, circumstance: UNLISTED };
    },
    call: (input, context) => {
      // A hook may change the address; another server would have to be decided about anew.
      if (input['server'] === server) return builtIn.call(input, context).then((result) => withError(result, context));
      const elsewhere = `A call for a resource of server "${server}" reads none of another server`;
      const hint = 'Let the hook that changes the input leave the server as it is';
      return Promise.resolve(toFailure(name, new HostError('denied', elsewhere, { hint })));
    },
  };
}

/** With the server's own error, for whoever wants that: a tool of ours only throws it. */
function withError(result: ToolResult, { keepServerResult }: CallContext): ToolResult {
  const error = keepServerResult === true && result.error && toServerError(result.error);
  return error ? { ...result, serverResult: { error } } : result;
}

function uriOf({ uri }: ToolInput): string {
  return typeof uri === 'string' ? uri : '';
}

const ACT = 'resources';
const UNLISTED = 'its server has not listed this address';
