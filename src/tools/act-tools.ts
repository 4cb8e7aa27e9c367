import { toServerError } from '../model/server-result.js';
import type { CallContext, CallTraits, Tool, ToolInput, ToolResult } from '../model/tool.js';
import { HostError } from '../base/errors.js';
import { type ReadResourceToolOptions, readResourceTool } from './read-resource.js';
import { toFailure } from './built-in.js';

/** What is decided about, whoever is to make the call. */
export type DecidedTool = Omit<Tool, 'call'>;

export interface ActToolOptions {
  /** By which rules, hooks and the ledger know it. */
  readonly name: string;
  readonly server: string;
}

export interface ResourceReaderOptions extends ActToolOptions, ReadResourceToolOptions {
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

/** With the server's own error, for whoever wants that: a tool of ours only throws it. */
function withError(result: ToolResult, { keepServerResult }: CallContext): ToolResult {
  const error = keepServerResult === true && result.error && toServerError(result.error);
  return error ? { ...result, serverResult: { error } } : result;
}

export function readingTraits(input: ToolInput, isListed: boolean): CallTraits {
  const uri = textOf(input['uri']);
  return isListed ? { uri, isHarmless: true } : { uri, circumstance: UNLISTED };
}

/** What prompts of one server are got as: the same, and a prompt is the server's own, so that `mcp.lock` holds for it. */
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

/** A hook may change the input; another server would have to be decided about anew. */
export function ofServer({ name, server }: ActToolOptions, call: Tool['call']): Tool['call'] {
  return (input, context) => {
    if (input['server'] === server) return call(input, context);
    const elsewhere = `A call of ${name} asks nothing of another server than "${server}"`;
    const hint = 'Let the hook that changes the input leave the server as it is';
    return Promise.resolve(toFailure(name, new HostError('denied', elsewhere, { hint })));
  };
}

/** What is no text, since a hook may write anything, is refused like an empty one. */
export function textOf(value: ToolInput[string]): string {
  return typeof value === 'string' ? value : '';
}

/** Like a tool that says nothing: an address, or the arguments of a prompt, are the words of whoever asks, and the server gets them. */
const NOTHING_SAID: Tool['hints'] = { readOnly: false, destructive: false, idempotent: true, openWorld: true };
const UNLISTED = 'its server has not listed this address';
