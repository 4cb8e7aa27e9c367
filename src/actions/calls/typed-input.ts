import { resolve } from 'node:path';
import { HostError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { inside } from '../../host/inside.js';
import { showLine } from '../../model/show.js';
import { parseCallExpression } from '../../model/source/call-expression.js';
import { toolSignature } from '../../model/source/signature.js';
import { type ActionContext, waitFor } from '../action-context.js';
import { configOf, type HostPlace } from '../action-place.js';
import { startIdle } from '../running-server.js';
import { usageError } from '../usage-error.js';
import type { FoundTool } from './find-tool.js';
import { FORCE_HINT } from './force-hint.js';

/** The arguments of a call as a user gave them. */
export interface TypedInput {
  /** `name=value`, `name:=json`, `name=@file`; `-` is a JSON object on stdin. */
  readonly words: readonly string[];
  /** The fields of `f(a: 1)`. */
  readonly begun: JsonObject;
  /** A JSON object, `@file`, or `-` for stdin. */
  readonly json: string | undefined;
  /** Arguments that do not fit are sent as they are. */
  readonly isForced: boolean;
}

/** The tool and the arguments of `f(a: 1)`; any other word is just the tool. Throws `usage`. */
export function readSpokenCall(word: string): { readonly tool: string; readonly begun: JsonObject } {
  const parsed = parseCallExpression(word);
  if (!parsed) return { tool: word, begun: {} };
  if (parsed.kind === 'call') return { tool: parsed.tool, begun: parsed.input };
  throw usageError(`the call cannot be read at character ${parsed.at}: ${parsed.message}`, {
    hint: `Write it in quotes: 'tool(name: "text", count: 2, list: ["a"])'`,
  });
}

/**
 * The input of a call. Rejects with `usage` when the arguments do not fit the tool, unless they are forced; what cannot
 * be checked is sent, with a note. A definition from an earlier run is compared with the server's own before it refuses.
 */
export async function typedInput(
  tool: FoundTool,
  typed: TypedInput,
  { place, context }: { readonly place: HostPlace; readonly context: ActionContext },
): Promise<JsonObject> {
  const read = await readTexts(typed, place, context);
  const first = await checkInput(tool, read, { place, context });
  if (first.kind === 'fits') return first.input;
  const server = place.host[inside].server(tool.server);
  if (!server || server.catalog.source === 'server') throw first.error;
  startIdle(server);
  const waited = await waitFor(server.settled(), context);
  const again = waited.kind === 'settled' ? await checkInput(tool, read, { place, context }) : first;
  if (again.kind === 'fits') return again.input;
  throw again.error;
}

interface ReadArguments extends TypedInput {
  readonly readText: (path: string) => Promise<string>;
}

/** Reads what stdin and the file of `--args` hold, once. */
async function readTexts(typed: TypedInput, place: HostPlace, context: ActionContext): Promise<ReadArguments> {
  const { words, begun, json } = typed;
  const { readArgument } = await import('./call-parts.js');
  const { parseObject } = await import('./tool-arguments.js');
  const { cwd } = configOf(place);
  const readText = (path: string): Promise<string> => readArgument(resolve(cwd, path));
  const takesInput = words.includes('-') || json === '-';
  if (takesInput && !context.readInput) {
    throw usageError('stdin cannot be read here', { hint: 'Write the arguments: name=value' });
  }
  const piped = takesInput ? parseObject(await context.readInput!(), 'stdin') : {};
  return {
    ...typed,
    words: words.filter((word) => word !== '-'),
    begun: { ...begun, ...piped },
    json: json === '-' ? undefined : json?.startsWith('@') === true ? await readText(json.slice(1)) : json,
    readText,
  };
}

type CheckedInput =
  | { readonly kind: 'fits'; readonly input: JsonObject }
  | { readonly kind: 'misfit'; readonly error: HostError };

async function checkInput(
  { name, tool }: FoundTool,
  given: ReadArguments,
  { place, context }: { readonly place: HostPlace; readonly context: ActionContext },
): Promise<CheckedInput> {
  const { toArguments } = await import('./tool-arguments.js');
  const { host } = place;
  const { inputSchema = {} } = (await host.tool(name)) ?? {};
  const { input, misfit } = await toArguments(given, inputSchema);
  if (given.isForced) return { kind: 'fits', input };
  if (misfit) return { kind: 'misfit', error: withSignature(misfit, tool, inputSchema) };
  const { sortArguments, toFit } = await import('../../model/schema/misfit.js');
  const sorted = sortArguments(inputSchema, input);
  const fit = toFit(sorted, await host[inside].schemas.check(inputSchema, sorted.listed));
  if (fit.kind === 'misfit') {
    const wrong = `${tool} does not take these arguments: ${joinIssues(fit.issues)}`;
    return { kind: 'misfit', error: withSignature(usageError(wrong), tool, inputSchema) };
  }
  if (fit.kind === 'unchecked') {
    context.note?.(showLine(`note: the arguments were not checked before the call: ${fit.reason}`));
  }
  return { kind: 'fits', input };
}

/** A refusal ends with what the tool takes, and how to send the arguments all the same. */
function withSignature({ code, message, hint }: HostError, tool: string, inputSchema: object): HostError {
  const lines = [showLine(toolSignature(tool, inputSchema)), ...(hint === undefined ? [] : [hint]), FORCE_HINT];
  return new HostError(code, message, { hint: lines.join('\n') });
}

/** Sentences that end in a question mark need no other sign between them. */
function joinIssues(issues: readonly string[]): string {
  return issues
    .map((issue, at) => (at === issues.length - 1 ? issue : issue.endsWith('?') ? `${issue} ` : `${issue}; `))
    .join('');
}
