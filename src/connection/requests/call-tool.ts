// Calling a tool: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#calling-tools
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import type { Resolvers } from '../../base/resolvers.js';
import { cutBytes } from '../../model/text/cut-bytes.js';
import type { SchemaOutcome } from '../../model/schema/check.js';
import { badResponse, shownValue } from '../../wire/response.js';
import type { CallOptions } from '../../wire/peer.js';
import { HEADER_MISMATCH, isRpc } from '../../wire/rpc-codes.js';
import { Spilled, type SpillStore } from '../../model/spilled.js';
import { timeLeft } from '../../wire/eras/time-left.js';
import type { QueueWaitOptions } from '../call-queue.js';
import type { Catalog } from '../catalog/catalog.js';
import type { Connection } from '../connect.js';
import type { KeptServerResult } from '../kept-server-result.js';
import { mirror } from './mirrored-arguments.js';
import { extraOptions, isRelayed, type RequestExtras, withExtras } from './request-extras.js';
import { savedFiles } from './saved-content.js';
import type { JsonSchema, SavedFile } from '../../model/tool.js';
import type { Operation } from '../operation.js';
import { listTools } from '../catalog/tool-definition.js';
import { followTask, readTask, taskFields } from './task.js';
import type { ToolTraits } from '../catalog/tool-traits.js';

export interface ToolCallOptions extends CallOptions {
  /** Schema of `structuredContent`, and how to check it. */
  readonly output?: OutputSchema | undefined;
  /** Receives the server's own result. */
  readonly kept?: KeptServerResult | undefined;
  /** What the caller adds to the request. */
  readonly extras?: RequestExtras | undefined;
}

export interface OutputSchema {
  readonly schema: JsonSchema;
  readonly check: OutputCheck;
  /**
   * The tool's current schema, fetched when a result breaks the known one, which may be of an older version. Undefined
   * when it cannot be fetched. Never rejects.
   */
  readonly current?: (() => Promise<{ readonly schema: JsonSchema | undefined } | undefined>) | undefined;
}

/** Checks a value against a server's schema. Contract: never rejects; bounded in time. */
export type OutputCheck = (schema: JsonSchema, value: unknown) => Promise<SchemaOutcome>;

/** A tool's result. `isError` is a result like any other: the caller has to read it. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly content: readonly JsonObject[];
  readonly structuredContent: unknown;
  /** Files with what was too large for memory; a `Spilled` stands in its place in the result. */
  readonly saved: readonly SavedFile[];
  /** Remarks on the result: blocks left out, a schema that could not be checked. */
  readonly notes: readonly string[];
  /** How the result breaks the tool's output schema. The content stays. */
  readonly broken?: HostError;
}

export interface CallToolParams {
  /** The tool's name, as the server spells it. */
  readonly tool: string;
  readonly input: JsonObject;
}

/**
 * A tool call as an operation that `ServerLifecycle.ask` can retry. It is the spill store of its requests, so that most
 * results need not be searched for a `Spilled`.
 */
export class ToolOperation implements Operation<ToolAnswer>, SpillStore, Resolvers<JsonObject> {
  readonly #call: CallToolParams;
  readonly #options: Omit<ToolCallOptions, 'timeoutMs'>;
  readonly #catalog: Pick<Catalog, 'tools'> | undefined;
  #hasSpilled: boolean;
  /** The connection of an attempt that was made without a promise, and who waits for its result. */
  #connection: Connection | undefined;
  #ended: Resolvers<ToolAnswer> | undefined;

  /** `catalog`: its hints say whether the tool may be called twice; without it, never. */
  constructor(call: CallToolParams, options: Omit<ToolCallOptions, 'timeoutMs'>, catalog?: Pick<Catalog, 'tools'>) {
    this.#call = call;
    this.#options = options;
    this.#catalog = catalog;
    this.#hasSpilled = false;
    this.#connection = undefined;
    this.#ended = undefined;
  }

  /** Called for a response that is too large for memory, where the options have a store. */
  open(): ReturnType<SpillStore['open']> {
    this.#hasSpilled = true;
    return this.#options.spill!.open();
  }

  /** The server's own result, if the caller asked for it. */
  get kept(): KeptServerResult | undefined {
    return this.#options.kept;
  }

  isSafe(): boolean {
    const known = this.#catalog?.tools.find((one) => one.name === this.#call.tool);
    return known !== undefined && (known.hints.readOnly || known.hints.idempotent);
  }

  on(connection: Connection, limits: QueueWaitOptions): Promise<ToolAnswer> {
    const { tool, input } = this.#call;
    const { extras } = this.#options;
    const options = this.#toCallOptions(limits);
    const isPlain = connection.session.era === 'legacy' && !connection.traits.has(tool) && !extras?.task?.params;
    const answered = isPlain
      ? connection.session.request(
          'tools/call',
          withExtras({ name: tool, arguments: input }, extras, connection),
          options,
        )
      : callWithTraits(connection, { tool, input, extras }, options, this.kept);
    return answered.then((answer) => this.#toAnswer(connection, answer));
  }

  begin(connection: Connection, limits: QueueWaitOptions, ended: Resolvers<ToolAnswer>): boolean {
    const { session, traits } = connection;
    const { tool, input } = this.#call;
    if (!session.send || traits.has(tool) || this.#options.extras) return false;
    this.#connection = connection;
    this.#ended = ended;
    session.send('tools/call', { name: tool, arguments: input }, this.#toCallOptions(limits), this);
    return true;
  }

  /** The response to the request of `begin`. */
  resolve(response: JsonObject): void {
    const ended = this.#ended!;
    try {
      const answer = this.#toAnswer(this.#connection!, response);
      if (answer instanceof Promise) answer.then(ended.resolve.bind(ended), ended.reject.bind(ended));
      else ended.resolve(answer);
    } catch (error) {
      ended.reject(error);
    }
  }

  /** The request of `begin` has failed. */
  reject(error: unknown): void {
    this.#ended!.reject(error);
  }

  #toCallOptions({ timeoutMs }: QueueWaitOptions): CallOptions {
    const { signal, onProgress, owner, kept, spill, extras } = this.#options;
    kept?.begin();
    this.#hasSpilled = false;
    const options = { timeoutMs, signal, onProgress, owner, spill: spill && this };
    return extras ? { ...options, ...extraOptions(extras) } : options;
  }

  #toAnswer({ name: server, redact }: Connection, answer: JsonObject): ToolAnswer | Promise<ToolAnswer> {
    const { output, kept, extras } = this.#options;
    kept?.take(answer, redact);
    if (isRelayed(answer) || (extras?.task && taskFields(answer))) return RELAYED;
    const { content = NOTHING, structuredContent, isError: said = false } = answer;
    if (!Array.isArray(content)) throw badResponse({ server, method: 'tools/call' }, 'its content is no list');
    const isError = saysError(said);
    const result = {
      isError,
      content: toBlocks(content),
      structuredContent,
      saved: this.#hasSpilled ? savedFiles(answer) : NOTHING,
      notes:
        typeof said === 'boolean' && content.length <= BLOCK_LIMIT
          ? NOTHING
          : notesOf(content.length, { said, isError }),
    };
    return output && !isError ? withPromise(result, output, server) : result;
  }
}

/** One attempt to call a tool, by its server's name for it. Rejects with a HostError when no response is usable. */
export function callTool(
  connection: Connection,
  call: CallToolParams,
  { timeoutMs, ...options }: ToolCallOptions = {},
): Promise<ToolAnswer> {
  return new ToolOperation(call, options).on(connection, { timeoutMs });
}

/** Some servers write `"true"`, 1 or the error text. null, 0, '' and `"false"` mean that there was no error. */
function saysError(isError: unknown): boolean {
  if (typeof isError === 'boolean') return isError;
  const isNone = isError === undefined || isError === null || isError === 0 || isError === '';
  return !isNone && !(typeof isError === 'string' && isError.trim().toLowerCase() === 'false');
}

function notesOf(
  blocks: number,
  { said, isError }: { readonly said: unknown; readonly isError: boolean },
): readonly string[] {
  return [
    ...(blocks > BLOCK_LIMIT ? [`${blocks - BLOCK_LIMIT} more blocks of content were left out`] : []),
    ...(isError && said !== true
      ? [`isError is ${shownValue(said)} instead of true or false: it is taken for an error`]
      : []),
  ];
}

/** Checks the result against the tool's output schema, or notes why it was not checked. */
async function withPromise(result: ToolAnswer, output: OutputSchema, server: string): Promise<ToolAnswer> {
  const { structuredContent, notes } = result;
  const isSaved = structuredContent instanceof Spilled;
  const question = { server, method: 'tools/call' };
  const checked = isSaved ? TOO_LARGE : await checkPromise(structuredContent, output, question);
  if (checked instanceof HostError) return { ...result, isError: true, structuredContent: undefined, broken: checked };
  return checked === undefined ? result : { ...result, notes: [...notes, checked] };
}

/**
 * Calls a tool that needs extra headers, or may become a task. After HEADER_MISMATCH, which means that the server has
 * not run the call, lists the tools again, because their schemas define the headers, and retries once.
 */
async function callWithTraits(
  connection: Connection,
  call: ExtendedCall,
  options: CallOptions,
  kept: KeptServerResult | undefined,
): Promise<JsonObject> {
  const { peer, name: server } = connection;
  const began = peer.clock.monotonic();
  const left = (): CallOptions => timeLeft(options, peer.clock.monotonic() - began);
  const finish = (answer: JsonObject): JsonObject | Promise<JsonObject> => {
    const task = readTask(answer, { server, method: 'tools/call' });
    if (!task || call.extras?.task) return answer;
    kept?.takeTask(answer, connection.redact);
    return followTask(connection, task, { ...options, passedMs: peer.clock.monotonic() - began });
  };
  return send(connection, call, options).then(finish, async (error: unknown) => {
    if (!isRpc(error, HEADER_MISMATCH)) throw error;
    const { signal, owner } = options;
    const { timeoutMs } = left();
    await listTools(connection, { signal, owner, ...(timeoutMs !== undefined && { timeoutMs }) });
    return finish(await send(connection, call, left()));
  });
}

interface ExtendedCall extends CallToolParams {
  readonly extras: RequestExtras | undefined;
}

function send(
  connection: Connection,
  { tool, input, extras }: ExtendedCall,
  options: CallOptions,
): Promise<JsonObject> {
  const { session, traits } = connection;
  const { mirrored, needsTask } = traits.get(tool) ?? PLAIN;
  const asked = session.era === 'legacy' ? extras?.task?.params : undefined;
  const task = asked ?? (needsTask ? NO_TERMS : undefined);
  const plain = { name: tool, arguments: input, ...(task && { task }) };
  const request = withExtras(plain, extras, connection);
  const headers = mirrored.length === 0 ? undefined : mirror(mirrored, input);
  const isPlain = headers === undefined && !task;
  return session.request(
    'tools/call',
    request,
    isPlain ? options : { ...options, headers, isTask: task !== undefined },
  );
}

const PLAIN: ToolTraits = { mirrored: [], needsTask: false };
const NO_TERMS: JsonObject = {};

const NOTHING: readonly never[] = [];
/** The server asks something, or has begun a task, in its own result: there is nothing to read yet. */
const RELAYED: ToolAnswer = {
  isError: false,
  content: NOTHING,
  structuredContent: undefined,
  saved: NOTHING,
  notes: NOTHING,
};
const TOO_LARGE = 'structuredContent was not checked: it is too large';
const BLOCK_LIMIT = 1_000;

function toBlocks(content: readonly unknown[]): readonly JsonObject[] {
  if (content.length <= BLOCK_LIMIT && content.every(isBlock)) return content;
  return content.slice(0, BLOCK_LIMIT).map((block) => (isBlock(block) ? block : NO_BLOCK));
}

function isBlock(block: unknown): block is JsonObject {
  if (!isObject(block) || typeof block['type'] !== 'string') return false;
  return block['type'] !== 'text' || typeof block['text'] === 'string' || block['text'] instanceof Spilled;
}

const NO_BLOCK: JsonObject = { type: 'text', text: '[a block of content that is none was left out]' };

/** As `checkOutput`; on failure checks again, by the tool's current schema. */
async function checkPromise(
  value: unknown,
  { current, ...known }: OutputSchema,
  question: { readonly server: string; readonly method: string },
): Promise<string | HostError | undefined> {
  const checked = await checkOutput(value, known, question);
  if (!(checked instanceof HostError) || !current) return checked;
  const now = await current();
  if (!now) return 'structuredContent was not checked: what the tool promises may have changed';
  return now.schema && checkOutput(value, { ...known, schema: now.schema }, question);
}

/** An error when the value breaks the tool's schema; a string why it could not be checked. */
async function checkOutput(
  value: unknown,
  { schema, check }: OutputSchema,
  question: { readonly server: string; readonly method: string },
): Promise<string | HostError | undefined> {
  if (value === undefined) return badResponse(question, 'the tool promises structuredContent, and there is none');
  const outcome = await check(schema, value);
  if (outcome.kind === 'unchecked') return `structuredContent was not checked: ${outcome.reason}`;
  if (outcome.kind === 'valid') return undefined;
  const issues = outcome.issues.map(({ path, message }) => `${path === '' ? 'it' : path} ${message}`).join('; ');
  const error = badResponse(question, `structuredContent breaks the tool's own schema: ${issues}`);
  return new HostError('bad-answer', cutBytes(error.message, 3_800), {
    ...(error.hint !== undefined && { hint: error.hint }),
  });
}
