import { toServerError } from '../model/server-result.js';
import type { CallContext, CallTraits, Tool, ToolInput, ToolResult } from '../model/tool.js';
import { HostError } from '../base/errors.js';
import { type ReadResourceToolOptions, readResourceTool } from './read-resource.js';
import { toFailure } from './built-in.js';

/** A tool as the permission step sees it, without its `call`. */
export type DecidedTool = Omit<Tool, 'call'>;

export interface ActToolOptions {
  /** The name that rules, hooks and the ledger use. */
  readonly name: string;
  readonly server: string;
}

export interface ResourceReaderOptions extends ActToolOptions, ReadResourceToolOptions {
  /** Whether the server's resource list has this URI. */
  readonly isListed: (uri: string) => boolean;
  /** Waits until `isListed` can tell. Contract: never rejects. */
  readonly untilListed: (uri: string, context: CallContext) => Promise<void> | undefined;
}

/**
 * The tool that reads resources of one server. It is none of the server's tools, and is decided like a tool without
 * hints: a URI that the server has not listed may carry data to the server.
 */
export function resourceReader({ name, server, read, isListed, untilListed }: ResourceReaderOptions): Tool {
  const builtIn = readResourceTool({ read });
  return {
    ...builtIn,
    name,
    server,
    tool: 'resources',
    act: 'resources',
    alias: builtIn.name,
    hints: NOTHING_SAID,
    prepare: (input, context) => untilListed(textOf(input['uri']), context),
    traitsOf: (input) => readingTraits(input, isListed(textOf(input['uri']))),
    call: ofServer({ name, server }, async (input, context) => withError(await builtIn.call(input, context), context)),
  };
}

/** Adds the server's own error for callers that ask for it: a built-in tool only throws it. */
function withError(result: ToolResult, { keepServerResult }: CallContext): ToolResult {
  const error = keepServerResult === true && result.error && toServerError(result.error);
  return error ? { ...result, serverResult: { error } } : result;
}

export function readingTraits(input: ToolInput, isListed: boolean): CallTraits {
  const uri = textOf(input['uri']);
  return isListed ? { uri, isHarmless: true } : { uri, circumstance: UNLISTED };
}

/** The tool as which getting a server's prompts is decided: without hints, and subject to the pins of `mcp.lock`. */
export function promptGetter({ name, server }: ActToolOptions): DecidedTool {
  return {
    name,
    server,
    tool: 'prompts',
    act: 'prompts',
    title: 'Get a prompt',
    hints: NOTHING_SAID,
    marks: { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: false },
    isOurs: false,
    load: 'deferred',
    definition: async () => undefined,
    traitsOf: ({ prompt }) => ({ prompt: textOf(prompt) }),
  };
}

/** Refuses a call whose `server` a hook has changed: another server would need another decision. */
export function ofServer({ name, server }: ActToolOptions, call: Tool['call']): Tool['call'] {
  return (input, context) => {
    if (input['server'] === server) return call(input, context);
    const elsewhere = `A call of ${name} asks nothing of another server than "${server}"`;
    const hint = 'Let the hook that changes the input leave the server as it is';
    return Promise.resolve(toFailure(name, new HostError('denied', elsewhere, { hint })));
  };
}

/** A hook may write any value; one that is no string is refused like an empty one. */
export function textOf(value: ToolInput[string]): string {
  return typeof value === 'string' ? value : '';
}

/** Like a tool without hints: a URI or a prompt's arguments are the caller's text, which the server receives. */
export const NOTHING_SAID: Tool['hints'] = { readOnly: false, destructive: false, idempotent: true, openWorld: true };
const UNLISTED = 'its server has not listed this address';
