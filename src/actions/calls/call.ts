import { resolve } from 'node:path';
import type { HostError } from '../../base/errors.js';
import type { HostConfig } from '../../config/load.js';
import type { Host } from '../../host/host.js';
import type { CallResult } from '../../host/host-options.js';
import { inside } from '../../host/inside.js';
import { stderrOf } from '../../model/text/error-stderr.js';
import { failureKindOf } from '../../model/retries.js';
import { showLine } from '../../model/show.js';
import type { ContentBlock } from '../../model/tool.js';
import { type Action, defineAction } from '../action.js';
import { configOf, type HostPlace, hostOf } from '../action-place.js';
import type { ArgsOf } from '../arguments.js';
import { barredServer, findTool, type FoundTool, mayHave, serversForTool } from './find-tool.js';
import { chooseServers } from '../choose-servers.js';
import { startIdle } from '../running-server.js';
import { refuseServerName } from './server-as-tool.js';

const args = {
  tool: { kind: 'word', noun: 'the name of a tool' },
  words: { kind: 'words' },
  args: { kind: 'text', value: 'JSON', summary: 'all arguments as one JSON object, or @file' },
  full: { kind: 'flag', summary: 'the whole result as the server sent it: nothing is cut, shrunk or put into a file' },
} as const;

interface Called {
  readonly tool: FoundTool;
  readonly result: CallResult;
  /** The result as text for a person. */
  readonly text: string;
  /** Why there is no result although the call was sent. */
  readonly error: HostError | undefined;
  /** The content that a tool returned with structured content that breaks its output schema. */
  readonly beside: readonly ContentBlock[];
}

export const call: Action<typeof args, Called> = defineAction({
  name: 'call',
  label: 'call',
  doing: 'calling',
  summary: 'Call a tool and show its result',
  args,
  needs: 'host',
  // Lazy: only the server of the tool is started, and others where no known tool has the name.
  opening: {
    servers: serversOfTool,
    mayStart: (server, { tool }) => mayHave(tool, server),
    isLazy: true,
    mayAsk: true,
  },
  async run(on, given, context) {
    const { signal, shows = 'screen', note, watchCall, explain = (error: HostError) => error } = context;
    const place = hostOf(on);
    const { host } = place;
    if (place.adHoc === undefined) refuseServer(given, host);
    const tool = await findTool({ word: given.tool, isAdHoc: place.adHoc !== undefined }, place, context);
    const input = await toInput(tool, given, { place, note });
    const running = host[inside].server(tool.server);
    startIdle(running);
    await context.wait?.(running?.decided() ?? Promise.resolve());
    // Output to a file or another program is complete; output for people and for readers of JSON is shortened.
    const isWhole = given.full || shows === 'pipe';
    const progress = watchCall?.(tool.tool);
    const result = await host
      .call({
        name: tool.name,
        input,
        signal,
        onProgress: progress && ((now) => progress.show(now)),
        isTyped: true,
        shape: isWhole ? 'raw' : 'model',
      })
      .finally(() => progress?.clear());
    const error = result.error && explain(result.error);
    // A call that never ran has no result to show.
    if (result.error && (result.attempts === 0 || failureKindOf(result.error) === 'unauthorized')) throw error;
    const { showable } = await import('./call-parts.js');
    const { contentText } = await import('./content-text.js');
    const { structuredContentBeyondText } = await import('../../host/calls/structured-content.js');
    // The first block repeats the error message; the tool's own content follows.
    const beside = result.error?.code === 'bad-answer' ? result.content.slice(1) : [];
    const blocks = error ? beside : [...result.content, ...(result.forUser ?? [])];
    // A result shaped for a model already has its structured content among the texts.
    const unstated = isWhole && !error ? await structuredContentBeyondText(result) : undefined;
    const { state } = configOf(on).places;
    const text = contentText(await showable(blocks, shows === 'screen' ? state : undefined), unstated);
    return { tool, result, text, error, beside };
  },
  json: ({ tool: { name }, result, error, beside }) =>
    error ? toFailure(name, { result, error, beside }) : toJson(name, result),
  tell: ({ tool: { tool }, result, text, error, beside }) => {
    if (error) {
      const parts = beside.length > 0 ? [{ kind: 'text', text } as const] : [];
      return { tone: 'failed', parts, code: error.code, error };
    }
    const { outcome, saved, notes, ms } = result;
    const isFailure = outcome === 'error';
    return {
      tone: isFailure ? 'failed' : 'note',
      parts: [
        ...(isFailure ? [{ kind: 'aside', text: `${showLine(tool)} reports an error:`, isFailure } as const] : []),
        { kind: 'text', text },
        { kind: 'aside', text: `${Math.round(ms)} ms` },
      ],
      notes: [
        ...saved.map(({ path, bytes }) => showLine(`saved ${bytes} bytes to ${path}`)),
        ...notes.map((one) => `note ${showLine(one)}`),
      ],
      ...(isFailure && { code: 'server-error' }),
    };
  },
});

/** Throws `usage` where the first word is a server. */
function refuseServer({ tool, words }: Pick<ArgsOf<typeof args>, 'tool' | 'words'>, host: Host): void {
  const servers = host[inside].entries().map(({ name }) => name);
  refuseServerName({ word: tool, words }, { servers, tools: host.tools() });
}

async function serversOfTool(
  loaded: HostConfig,
  { tool: word }: { readonly tool: string },
  { adHoc }: { readonly adHoc: string | undefined },
): Promise<readonly string[]> {
  const named = adHoc ?? serverNamed(word, loaded.servers) ?? barredServer(word, loaded.servers);
  const spoken = { word, isAdHoc: adHoc !== undefined };
  return (await serversForTool(spoken, chooseServers(loaded, named), loaded)).map(({ name }) => name);
}

/** The server in `server.tool`: if it may not run, the error says why, not "there is no such tool". */
function serverNamed(word: string, servers: readonly { readonly name: string }[]): string | undefined {
  return servers.filter(({ name }) => word.startsWith(`${name}.`)).toSorted((a, b) => b.name.length - a.name.length)[0]
    ?.name;
}

interface InputOptions {
  readonly place: HostPlace;
  readonly note: ((text: string) => void) | undefined;
}

async function toInput(
  { name, tool }: FoundTool,
  { words, args: json }: Pick<ArgsOf<typeof args>, 'words' | 'args'>,
  { place, note }: InputOptions,
): Promise<{ [name: string]: unknown }> {
  const { readArgument } = await import('./call-parts.js');
  const { toArguments } = await import('./tool-arguments.js');
  const { host } = place;
  const { cwd } = configOf(place);
  const { inputSchema = {} } = (await host.tool(name)) ?? {};
  const readText = (path: string): Promise<string> => readArgument(resolve(cwd, path));
  const whole = json?.startsWith('@') === true ? await readText(json.slice(1)) : json;
  const input = await toArguments({ words, json: whole, readText }, inputSchema);
  const fit = await host[inside].schemas.check(inputSchema, input);
  if (fit.kind === 'invalid') {
    // Only a warning: the server decides, and its schema may be narrower than its code.
    const issues = fit.issues.map(({ path, message }) => `${path} ${message}`.trim());
    note?.(showLine(`warning the arguments do not match the input schema of "${tool}": ${issues.join('; ')}`));
  }
  return input;
}

function toJson(name: string, result: CallResult): object {
  const { outcome, content, structuredContent, forUser = [], saved, ms, attempts } = result;
  return {
    name,
    outcome,
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(forUser.length > 0 && { forUser }),
    ...(saved.length > 0 && { saved }),
    ms,
    attempts,
  };
}

type Failed = Pick<Called, 'result' | 'beside'> & { readonly error: HostError };

function toFailure(name: string, { result: { outcome, ms, attempts }, error, beside }: Failed): object {
  const stderr = stderrOf(error);
  const content = [{ type: 'text', text: error.message }, ...beside];
  return { name, outcome, content, error: { ...error.toJSON(), ...(stderr !== '' && { stderr }) }, ms, attempts };
}
