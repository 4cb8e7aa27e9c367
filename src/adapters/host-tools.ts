import { isObject } from '../base/json.js';
import type { CallResult, ForModelOptions, Host, JsonSchema } from '../index.js';
import { type ResultPart, joinResultTexts, toResultParts } from '../model/profiles/result-parts.js';
import type { AdapterOptions, ToolOutput } from './adapter-types.js';

/** A tool as a framework needs it. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** A call that a framework's model has asked for. */
export interface FrameworkCall {
  readonly name: string;
  readonly input: unknown;
  readonly callId: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A person has approved exactly this call by the framework's own means. */
  readonly isApproved: boolean;
}

/** One conversation of a framework's model with the tools of a host. Opens and closes nothing. */
export class HostTools {
  readonly tools: readonly OfferedTool[];
  readonly system: string;
  readonly #host: Host;
  readonly #options: ForModelOptions;
  readonly #conversation: string | undefined;
  #order: ReturnType<Host['inOrder']> | undefined;
  #inFlight = 0;

  constructor(host: Host, options: AdapterOptions = {}) {
    this.#host = host;
    // A framework makes its tools anew for each request: without a name, all requests are one conversation of the guard.
    this.#conversation = options.conversation ?? options.session;
    const { session = crypto.randomUUID() } = options;
    this.#options = { ...options, session, conversation: this.#conversation };
    // This profile fits every framework: plain JSON Schema, and tools that come late are called by name.
    const { tools, system } = host.forModel('openai', this.#options);
    this.tools = tools.map(toOffered);
    this.system = system;
  }

  /** What is new since the last turn, to be told to the model once. */
  news(): string | undefined {
    return this.#host.forModel('openai', this.#options).news;
  }

  /** Whether a person would have to be asked about this call, and only the framework can ask. Never rejects. */
  async needsApproval(name: string, input: unknown): Promise<boolean> {
    if (this.#host.canAsk || !isObject(input)) return false;
    return (await this.#host.foresee(name, input, { conversation: this.#conversation }))?.behavior === 'ask';
  }

  /** Makes the call. Rejects only with the reason of the signal, so that a cancelled run ends as cancelled. */
  async call({ name, input, callId, signal, isApproved }: FrameworkCall): Promise<CallResult> {
    signal?.throwIfAborted();
    // A framework starts all calls of a turn at once; a call that changes something waits for those before it.
    this.#order ??= this.#host.inOrder();
    this.#inFlight++;
    try {
      const result = await this.#order.call({
        name,
        input,
        ...(callId !== undefined && { callId }),
        conversation: this.#conversation,
        ...(isApproved && { ask: () => Promise.resolve({ kind: 'allow', remember: 'once' } as const) }),
        signal,
      });
      if (result.error?.code === 'cancelled') signal?.throwIfAborted();
      return result;
    } finally {
      if (--this.#inFlight === 0) this.#order = undefined;
    }
  }
}

/** A result as plain JSON. */
export function toOutput(result: CallResult): ToolOutput {
  const { outcome, content, structuredContent, saved, server, tool, ms, error } = result;
  return {
    outcome,
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    saved,
    ...(server !== undefined && { server }),
    ...(tool !== undefined && { tool }),
    ms,
    ...(error && {
      error: { code: error.code, message: error.message, ...(error.hint !== undefined && { hint: error.hint }) },
    }),
  };
}

/** What a model reads of a result: texts and images. Never empty. */
export function toParts(
  name: string,
  { outcome, content }: Pick<ToolOutput, 'outcome' | 'content'>,
): readonly ResultPart[] {
  return toResultParts({ callId: '', name, outcome, content }, IMAGES);
}

/** The texts that a model reads of a result. */
export function toText(name: string, output: Pick<ToolOutput, 'outcome' | 'content'>): string {
  return joinResultTexts(toParts(name, output));
}

function toOffered(tool: object): OfferedTool {
  const { name, description, parameters } = (tool as { readonly function: OpenAiFunction }).function;
  return { name, description, inputSchema: parameters };
}

interface OpenAiFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
