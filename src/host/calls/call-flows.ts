import { resolve } from 'node:path';
import type { FlowGuard, FlowLook } from '../../guard/flow-guard.js';
import type { CallFlow, PermissionGuard } from '../../guard/permission-guard.js';
import type { ContentBlock } from '../../model/content/content-block.js';
import type { FlowOrigin, FlowSink } from '../../model/flow/conversation-flow.js';
import { FILE_TOOL, type FlowFinding } from '../../model/flow/flow-finding.js';
import { modeFor } from '../../model/permissions/settings.js';
import { isOwn, type PermissionSubject } from '../../model/permissions/subject.js';
import { thrownText } from '../../base/thrown-text.js';
import type { Tool, ToolInput, ToolResult } from '../../model/tool.js';
import type { PermissionSubjects } from './permission-subjects.js';
import type { ToolCall } from './pipeline.js';

export interface CallFlowsOptions {
  readonly flow: FlowGuard;
  readonly guard: PermissionGuard;
  readonly subjects: PermissionSubjects;
  /** Whether the embedder has a port for questions. */
  readonly canAsk: boolean;
  /** The folder that relative paths of files begin at. */
  readonly cwd: string;
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

  /** What the guard says about the input of a call, as often as it is asked; remembered in the call's trace. */
  lookOnce({ trace, ...call }: ToolCall): FlowLook | undefined {
    if (trace.flow?.input !== call.input) trace.flow = { input: call.input, look: this.look(call) };
    return trace.flow.look;
  }

  /** `isForeseen`: the program asks its user itself where a question is needed. */
  look({ tool, input, context, isTyped, ask }: LookedCall, isForeseen = false): FlowLook | undefined {
    if (isTyped) return undefined;
    const { flow, guard, subjects, canAsk } = this.#options;
    const { conversation = '' } = context;
    const isAskable = canAsk || ask !== undefined || isForeseen;
    if (isAskable && !canAsk) flow.expectQuestions(conversation);
    if (!flow.isMarked(conversation)) return undefined;
    const sink = this.#toSink(tool, input);
    if (!sink) return undefined;
    const isAsked = isAskable && modeFor(guard.settings, subjects.of(tool))?.mode !== 'dont-ask';
    return flow.look(conversation, sink, input, isAsked);
  }

  /** What the guard asks and is told while a person is asked; undefined where it has nothing to say. */
  of(call: ToolCall): CallFlow | undefined {
    if (!call.trace.flow?.look) return undefined;
    const { flow, remember } = this.#options;
    const { conversation = '' } = call.context;
    return {
      look: () => this.look(call),
      allow: ({ rules }) => flow.allow(conversation, rules),
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

  /** Takes over the result of a call that was made. */
  read(call: ToolCall, result: ToolResult): void {
    const { conversation = '', isUnread } = call.context;
    if (result.attempts === 0 || isUnread === true) return;
    try {
      this.#read(call, result, conversation);
    } catch (cause) {
      // What was not taken over cannot be compared with what is sent.
      this.#options.flow.fail(conversation, `a result could not be read: ${thrownText(cause)}`);
    }
  }

  #read({ tool, input, trace, isRaw }: ToolCall, result: ToolResult, conversation: string): void {
    const { flow } = this.#options;
    const sent = trace.input ?? input;
    if (!flow.isWatched(conversation) && flow.isMarked(conversation)) return;
    const origin = this.#originOf(tool, sent, conversation);
    if (!origin) return;
    if (!flow.isWatched(conversation)) return origin.isOutside ? flow.mark(conversation) : undefined;
    const isUnseen = trace.flow?.look === undefined && this.#toSink(tool, sent) !== undefined;
    const texts = result.content.flatMap(textsOf);
    const saved = result.saved.map(({ path }) => path);
    flow.read(conversation, { ...origin, texts, saved }, isUnseen ? sent : undefined);
    // A model reads structured content among the texts, unless it gets the result as the server sent it.
    if (isRaw && result.structuredContent !== undefined) flow.readValue(conversation, origin, result.structuredContent);
  }

  /** Undefined for a call that can send nothing out. */
  #toSink(tool: Tool, input: ToolInput): FlowSink | undefined {
    if (this.#isPlugboards(tool) || tool.traitsOf?.(input)?.isHarmless === true) return undefined;
    const { server, hints } = tool;
    const isForeign = !this.#isBelieved(tool);
    const isClosed = !hints.openWorld && !isForeign;
    return isClosed && hints.readOnly ? undefined : { server, tool: tool.tool, isClosed, isForeign };
  }

  /** Where the text of a result is from; undefined for words of Plugboard, or of a sub-agent. */
  #originOf(tool: Tool, { path }: ToolInput, conversation: string): FlowOrigin | undefined {
    if (tool.isOurs && tool.server === undefined && tool.name === FILE_TOOL) {
      const { flow, cwd } = this.#options;
      const saved = typeof path === 'string' ? flow.savedIn(conversation, resolve(cwd, path)) : undefined;
      return saved ?? { source: { tool: FILE_TOOL }, isOutside: false, isForeign: false };
    }
    if (this.#isPlugboards(tool)) return undefined;
    const { server, hints } = tool;
    const isForeign = !this.#isBelieved(tool);
    return { source: { server, tool: tool.tool }, isOutside: hints.openWorld || isForeign, isForeign };
  }

  #isPlugboards({ isOurs, act, server, name }: Tool): boolean {
    return (isOurs && act === undefined) || (server === undefined && this.#options.agents.has(name));
  }

  /** Whether what a tool states counts: its server is the user's, or it is a tool of the embedding program. */
  #isBelieved(tool: Tool): boolean {
    const { author }: PermissionSubject = this.#options.subjects.of(tool);
    return isOwn(author) || author === 'built-in';
  }
}

/** What a model reads of a block as text. */
function textsOf(block: ContentBlock): readonly string[] {
  const { text, resource, name, title, description, uri } = block as Readonly<Record<string, unknown>>;
  const inner = (resource ?? {}) as { readonly text?: unknown; readonly uri?: unknown };
  return [text, inner.text, inner.uri, name, title, description, uri].filter((one) => typeof one === 'string');
}
