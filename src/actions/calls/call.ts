import type { HostError } from '../../base/errors.js';
import type { HostConfig } from '../../config/load.js';
import type { Host } from '../../host/host.js';
import type { CallResult } from '../../host/host-options.js';
import { inside } from '../../host/inside.js';
import { stderrOf } from '../../model/text/error-stderr.js';
import { failureKindOf } from '../../model/retries.js';
import type { ScreenImage } from '../../model/screen-image.js';
import { showLine } from '../../model/show.js';
import { toolOfCall } from '../../model/source/call-expression.js';
import type { ContentBlock } from '../../model/content/content-block.js';
import { type Action, defineAction } from '../action.js';
import { hostOf } from '../action-place.js';
import type { ArgsOf } from '../arguments.js';
import { barredServer, findTool, type FoundTool, mayHave, serversForTool } from './find-tool.js';
import { chooseServers } from '../choose-servers.js';
import { startIdle } from '../running-server.js';
import { refuseServerName } from './server-as-tool.js';

const args = {
  tool: { kind: 'word', noun: 'the name of a tool' },
  words: { kind: 'words' },
  args: { kind: 'text', value: 'JSON', summary: 'all arguments as one JSON object, @file, or - for stdin' },
  jsonArgs: { kind: 'text', value: 'JSON', summary: 'the same as --args' },
  force: { kind: 'flag', summary: 'send arguments that do not fit the tool as they are' },
  full: { kind: 'flag', summary: 'the whole result: nothing is cut or shrunk, and only images are put into files' },
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
  /** For a terminal that draws them. */
  readonly images: readonly ScreenImage[];
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
    mayStart: (server, { tool }) => mayHave(toolOfCall(tool) ?? tool, server),
    isLazy: true,
    mayAsk: true,
  },
  async run(on, given, context) {
    const { signal, shows = 'screen', watchCall, explain = (error: HostError) => error } = context;
    const place = hostOf(on);
    const { host } = place;
    const { readSpokenCall, typedInput } = await import('./typed-input.js');
    const spoken = readSpokenCall(given.tool);
    if (place.adHoc === undefined) refuseServer({ tool: spoken.tool, words: given.words }, host);
    const tool = await findTool({ word: spoken.tool, isAdHoc: place.adHoc !== undefined }, place, context);
    const { words, args: json = given.jsonArgs, force: isForced } = given;
    const input = await typedInput(tool, { words, begun: spoken.begun, json, isForced }, { place, context });
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
        isUnread: true,
        isForced: given.force,
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
    const text = contentText(await showable(blocks, shows === 'data' ? undefined : host[inside].results), unstated);
    const { screenImages } = await import('./screen-images.js');
    const images = shows === 'screen' ? await screenImages(blocks) : [];
    return { tool, result, text, error, beside, images };
  },
  json: ({ tool: { name }, result, error, beside }) =>
    error ? toFailure(name, { result, error, beside }) : toJson(name, result),
  tell: ({ tool: { tool }, result, text, error, beside, images }) => {
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
        ...(images.length > 0 ? [{ kind: 'images', images } as const] : []),
        { kind: 'aside', text: `${Math.round(ms)} ms` },
      ],
      notes: [
        ...saved.map(({ path, bytes }) => showLine(`saved ${bytes} bytes to ${path}`)),
        ...notes.map((one) => `note: ${showLine(one)}`),
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
  { tool: typed }: { readonly tool: string },
  { adHoc }: { readonly adHoc: string | undefined },
): Promise<readonly string[]> {
  const { readSpokenCall } = await import('./typed-input.js');
  const { tool: word } = readSpokenCall(typed); // a mistyped call is reported before a server is started
  const named = adHoc ?? serverNamed(word, loaded.servers) ?? barredServer(word, loaded.servers);
  const spoken = { word, isAdHoc: adHoc !== undefined };
  return (await serversForTool(spoken, chooseServers(loaded, named), loaded)).map(({ name }) => name);
}

/** The server in `server.tool`: if it may not run, the error says why, not "there is no such tool". */
function serverNamed(word: string, servers: readonly { readonly name: string }[]): string | undefined {
  return servers.filter(({ name }) => word.startsWith(`${name}.`)).toSorted((a, b) => b.name.length - a.name.length)[0]
    ?.name;
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
