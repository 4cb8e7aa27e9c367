import { resolve, sep } from 'node:path';
import type { ErrorCode } from '../../base/error-codes.js';
import { thrownText } from '../../base/thrown-text.js';
import type { FlowGuard, FlowLook } from '../../guard/flow-guard.js';
import type { CallFlow } from '../../guard/permission-guard.js';
import type { ContentBlock } from '../../model/content/content-block.js';
import type { FlowOrigin, FlowSink } from '../../model/flow/conversation-flow.js';
import { FILE_TOOL, type FlowFinding } from '../../model/flow/flow-finding.js';
import { isOwn } from '../../model/permissions/subject.js';
import type { Tool, ToolInput, ToolResult } from '../../model/tool.js';
import type { Servers } from '../servers/servers.js';
import type { ToolCall } from './pipeline.js';

export interface CallFlowsOptions {
  readonly flow: FlowGuard;
  readonly servers: Servers;
  /** Whether the embedder has a port for questions. */
  readonly canAsk: boolean;
  /** The folder that relative paths of files begin at. */
  readonly cwd: string;
  /** The folder of results that were saved, also those of other conversations. */
  readonly results: string | undefined;
  /** The embedder's tools that are sub-agents, whose own calls are watched. */
  readonly agents: ReadonlySet<string>;
  /** Writes rules to the user's settings. */
  readonly remember: (finding: FlowFinding) => Promise<unknown>;
}

type LookedCall = Pick<ToolCall, 'tool' | 'input' | 'context' | 'isTyped' | 'ask'>;

/** Calls as the flow guard sees them: which can send data out, and which bring text from where. */
export class CallFlows {
  readonly #options: CallFlowsOptions;

  constructor(options: CallFlowsOptions) {
    this.#options = options;
  }

  /** A turn of the model begins: it is shown what the servers say about themselves. */
  shown(conversation: string): void {
    const { flow, servers } = this.#options;
    flow.nextTurn(conversation);
    if (flow.isMarked(conversation)) return;
    const foreign = servers.all().find(({ name, catalog }) => catalog.source !== 'none' && this.#isForeign(name));
    if (foreign) flow.mark(conversation, { source: { server: foreign.name, tool: '' }, ...FOREIGN });
  }

  /** What the guard says about the input of a call, as often as it is asked; remembered in the call's trace. */
  lookOnce(call: ToolCall): FlowLook | undefined {
    const { trace, input } = call;
    if (trace.flow?.input !== input) trace.flow = { input, look: this.look(call) };
    return trace.flow.look;
  }

  /** `isForeseen`: the program asks its user itself where a question is needed. */
  look({ tool, input, context, isTyped, ask }: LookedCall, isForeseen = false): FlowLook | undefined {
    if (isTyped) return undefined;
    const { flow, canAsk } = this.#options;
    const { conversation = '' } = context;
    const isAskable = canAsk || ask !== undefined || isForeseen;
    if (isAskable && !canAsk) flow.expectQuestions(conversation);
    if (!flow.mayFind(conversation, isAskable)) return undefined;
    const sink = this.#toSink(tool, input);
    return sink && flow.look(conversation, sink, input, isAskable);
  }

  /** What the guard asks and is told while a person is asked; undefined where it has nothing to say. */
  of(call: ToolCall): CallFlow | undefined {
    const first = call.trace.flow?.look;
    if (!first || first.isLet === true) return undefined;
    const { flow, remember } = this.#options;
    const { conversation = '' } = call.context;
    const identity = flow.identityOf(conversation);
    return {
      // A conversation that was cleared meanwhile knows nothing of what was read.
      look: () => {
        const now = flow.identityOf(conversation) === identity ? this.look(call) : first;
        return now?.isLet === true ? undefined : now;
      },
      allow: (finding) => flow.allow(conversation, finding),
      remember: async (finding) => {
        try {
          await remember(finding);
          return undefined;
        } catch (cause) {
          const why = cause instanceof Error ? cause.message : String(cause);
          return `"${finding.rules.join(', ')}" could not be written to flow.allow, and holds until the conversation ends: ${why}`;
        }
      },
    };
  }

  /** Takes over the result of a call. */
  read(call: ToolCall, result: ToolResult): void {
    const { conversation = '', isUnread } = call.context;
    // A call that was not made has only words of Plugboard, unless its server could not be reached, and why.
    const isOurs = result.attempts === 0 && !SERVERS_WORDS.has(result.error?.code);
    if (isOurs || isUnread === true) return;
    try {
      this.#read(call, result, conversation);
    } catch (cause) {
      // What was not taken over cannot be compared with what is sent.
      this.#options.flow.fail(conversation, `a result could not be read: ${thrownText(cause)}`);
    }
  }

  #read({ tool, input, trace, isRaw }: ToolCall, result: ToolResult, conversation: string): void {
    const { flow } = this.#options;
    if (flow.knowsEnough(conversation)) return;
    const sent = trace.input ?? input;
    const isWatched = flow.isWatched(conversation);
    const origin = this.#originOf(tool, sent, conversation);
    if (!origin) return;
    if (!isWatched) return flow.miss(conversation, origin);
    const texts = result.content.flatMap(textsOf);
    const saved = result.saved.map(({ path }) => path);
    // A server may repeat what the model wrote itself.
    flow.read(conversation, { ...origin, texts, saved }, sent);
    // A model reads structured content among the texts, unless it gets the result as the server sent it.
    if (isRaw && result.structuredContent !== undefined) flow.readValue(conversation, origin, result.structuredContent);
  }

  /** Undefined for a call that can send nothing out. */
  #toSink(tool: Tool, input: ToolInput): FlowSink | undefined {
    const { server, hints } = tool;
    if (this.#isPlugboards(tool)) return undefined;
    const isForeign = this.#isForeign(server);
    // A server that is not the user's may list addresses that spell what it wants to hear.
    if (!isForeign && tool.traitsOf?.(input)?.isHarmless === true) return undefined;
    const isClosed = !hints.openWorld && !isForeign;
    return isClosed && hints.readOnly ? undefined : { server, tool: tool.tool, isClosed, isForeign };
  }

  /** Where the text of a result is from; undefined for words of Plugboard, or of a sub-agent. */
  #originOf(tool: Tool, input: ToolInput, conversation: string): FlowOrigin | undefined {
    const { server, hints, name } = tool;
    if (!this.#isPlugboards(tool)) {
      const isForeign = this.#isForeign(server);
      return { source: { server, tool: tool.tool }, isOutside: hints.openWorld || isForeign, isForeign };
    }
    if (name === FILE_TOOL) return this.#originOfFile(input, conversation);
    // They repeat what servers say about themselves.
    const isQuoting = QUOTING_TOOLS.has(name) && this.#options.servers.all().some((one) => this.#isForeign(one.name));
    return isQuoting ? { source: { tool: name }, ...FOREIGN } : undefined;
  }

  #originOfFile({ path }: ToolInput, conversation: string): FlowOrigin {
    const { flow, cwd, results } = this.#options;
    const file = typeof path === 'string' ? resolve(cwd, path) : '';
    const saved = flow.savedIn(conversation, file);
    // Nobody knows any more whose result of another conversation it is.
    const isResult = results !== undefined && file.startsWith(results + sep);
    return saved ?? { source: { tool: FILE_TOOL }, isOutside: isResult, isForeign: false };
  }

  #isPlugboards({ isOurs, act, server, name }: Tool): boolean {
    return (isOurs && act === undefined) || (server === undefined && this.#options.agents.has(name));
  }

  /** Whether what a server states about its tools does not count. The tools of the embedding program are believed. */
  #isForeign(server: string | undefined): boolean {
    if (server === undefined) return false;
    const { author } = this.#options.servers.entry(server) ?? {};
    return author === undefined || !isOwn(author);
  }
}

/** What a model reads of a block as text. */
function textsOf(block: ContentBlock): readonly string[] {
  const { text, resource, name, title, description, uri } = block as Readonly<Record<string, unknown>>;
  const inner = (resource ?? {}) as { readonly text?: unknown; readonly uri?: unknown };
  return [text, inner.text, inner.uri, name, title, description, uri].filter((one) => typeof one === 'string');
}

const FOREIGN = { isOutside: true, isForeign: true } as const;
const QUOTING_TOOLS: ReadonlySet<string> = new Set(['ToolSearch', 'ListMcpResources']);
/** Errors that quote the server, or what its process has said. */
const SERVERS_WORDS: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode | undefined>([
  'start-failed',
  'connect-failed',
  'connect-timeout',
  'connection-closed',
  'http-failed',
  'bad-answer',
  'server-error',
]);
