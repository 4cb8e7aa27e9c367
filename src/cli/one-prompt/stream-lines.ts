import { randomUUID } from 'node:crypto';
import type { CallResult } from '../../index.js';
import { isObject } from '../../base/json.js';
import type { ModelPort, SessionEvent } from '../../session/index.js';
import { samplingText } from '../session/display/notice-lines.js';
import { exitCodeOf, exitCodes } from '../io.js';
import { toCompactLines } from './lines/compact-line.js';
import { PartialMessage } from './partial-message.js';
import { toRetryLine } from './lines/retry-line.js';
import { MESSAGE_REST, toBlock, toResultBlocks, toWholeUsage } from './stream-blocks.js';

export interface StreamLinesOptions {
  readonly model: () => ModelPort | undefined;
  readonly sessionId: () => string;
  /** Whether text is written while the model streams it. */
  readonly isPartial: boolean;
  /** A monotonic clock, in ms. */
  readonly now: () => number;
  /** Whether the program on stdin was asked about this call: it knows of a denial. */
  readonly isAsked?: ((callId: string) => boolean) | undefined;
  /** `isSpare`: the line may be dropped when the reader is behind. Contract: must not throw. */
  readonly write: (line: object, isDroppable: boolean) => void;
}

/** Writes session events as stream-json lines; those of a sub-agent carry the id of the call that started it. */
export class StreamLines {
  readonly #options: StreamLinesOptions;
  /** By the call that started a sub-agent; null for the conversation itself. */
  readonly #threads = new Map<string | null, Thread>();
  /** When calls in flight began, and when their progress was last told. */
  readonly #began = new Map<string, { readonly at: number; told: number }>();

  constructor(options: StreamLinesOptions) {
    this.#options = options;
  }

  event(event: SessionEvent, parent: string | null = null): void {
    if (event.kind === 'agent') return this.event(event.event, event.callId);
    const thread = this.#threads.get(parent) ?? { partial: undefined, results: new Map() };
    this.#threads.set(parent, thread);
    if (this.#options.isPartial) this.#writePartial(event, thread, parent);
    if (event.kind === 'message') this.#writeMessage(event, thread, parent);
    if (event.kind === 'call') this.#began.set(event.id, { at: this.#options.now(), told: -Infinity });
    if (event.kind === 'progress') this.#writeProgress(event, parent);
    if (event.kind === 'result') this.#takeResult(event.result, thread);
    if (event.kind === 'results') this.#writeResults(event.results, thread, parent);
    const asked = event.kind === 'sampling' ? samplingText(event) : undefined;
    if (asked !== undefined) this.tell(asked, 'sampling');
    if (event.kind === 'news') this.tell(event.text, 'servers_changed');
    if (event.kind === 'retry') this.write(toRetryLine(event));
    if (parent === null) for (const line of toCompactLines(event)) this.write(line);
  }

  write(line: object, isSpare = false): void {
    this.#options.write({ uuid: randomUUID(), ...line, session_id: this.#options.sessionId() }, isSpare);
  }

  /** A line for people who watch; `tag`: for programs. */
  tell(content: string, tag: string, level: 'info' | 'warning' = 'info'): void {
    this.write({ type: 'system', subtype: 'informational', content, level, tag });
  }

  #writeMessage(event: Extract<SessionEvent, { kind: 'message' }>, thread: Thread, parent: string | null): void {
    const { partial } = thread;
    thread.partial = undefined;
    if (event.parts.length === 0) return;
    const model = this.#options.model();
    const isCalling = event.parts.some(({ kind }) => kind === 'call');
    const message = {
      id: partial?.id ?? messageId(),
      type: 'message',
      role: 'assistant',
      model: model?.name ?? '',
      content: event.parts.map((part) => toBlock(part, model?.profile === 'anthropic')),
      stop_reason: isCalling ? 'tool_use' : 'end_turn',
      ...MESSAGE_REST,
      usage: toWholeUsage(event.usage),
    };
    const line = { type: 'assistant', message, parent_tool_use_id: parent, timestamp: new Date().toISOString() };
    this.write({ ...line, ...(event.id !== undefined && { uuid: event.id }) });
  }

  #takeResult(result: CallResult, thread: Thread): void {
    const { callId, name, error } = result;
    thread.results.set(callId, result);
    // A sub-agent emits nothing after its result.
    this.#threads.delete(callId);
    this.#began.delete(callId);
    if (!error || exitCodeOf(error.code) !== exitCodes.denied || this.#options.isAsked?.(callId) === true) return;
    const line = { type: 'system', subtype: 'permission_denied', tool_name: name, tool_use_id: callId };
    this.write({ ...line, message: error.message, decision_reason: error.message });
  }

  /** One line for each call, with its result beside the block that the model reads. */
  #writeResults(results: readonly object[], { results: ended }: Thread, parent: string | null): void {
    const failed = new Set([...ended.values()].filter(({ outcome }) => outcome !== 'ok').map(({ callId }) => callId));
    for (const content of byCall(toResultBlocks(results, failed))) {
      const [block] = content;
      const result = isObject(block) ? ended.get(String(block['tool_use_id'])) : undefined;
      this.write({
        type: 'user',
        message: { role: 'user', content },
        parent_tool_use_id: parent,
        timestamp: new Date().toISOString(),
        ...(result && { tool_use_result: toToolUseResult(result, block) }),
      });
    }
    ended.clear();
  }

  #writeProgress({ id, name, progress }: Extract<SessionEvent, { kind: 'progress' }>, parent: string | null): void {
    const [call, now] = [this.#began.get(id), this.#options.now()];
    if (!call || now - call.told < PROGRESS_MS) return;
    call.told = now;
    const line = { type: 'tool_progress', tool_use_id: id, tool_name: name, parent_tool_use_id: parent };
    this.write({ ...line, elapsed_time_seconds: Math.round((now - call.at) / 100) / 10, progress }, true);
  }

  #writePartial(event: SessionEvent, thread: Thread, parent: string | null): void {
    if (event.kind === 'progress') return;
    // After a retry the answer starts from the beginning.
    if (event.kind === 'retry') thread.partial = undefined;
    thread.partial ??= new PartialMessage(messageId(), this.#options.model()?.name ?? '');
    for (const streamed of thread.partial.take(event)) {
      this.write({ type: 'stream_event', event: streamed, parent_tool_use_id: parent }, true);
    }
  }
}

const PROGRESS_MS = 1_000; // a server may tell its progress a thousand times a second

interface Thread {
  partial: PartialMessage | undefined;
  /** Results of the last message's calls, by their ids. */
  readonly results: Map<string, CallResult>;
}

/** Each result with the pictures that follow it. */
function byCall(blocks: readonly object[]): readonly (readonly object[])[] {
  const groups: object[][] = [];
  for (const block of blocks) {
    const last = groups.at(-1);
    if (last === undefined || (isObject(block) && block['type'] === 'tool_result')) groups.push([block]);
    else last.push(block);
  }
  return groups;
}

/** What the model reads of a result; with structured content both. */
function toToolUseResult({ structuredContent }: CallResult, block: object | undefined): unknown {
  const content = isObject(block) ? block['content'] : undefined;
  return structuredContent === undefined ? content : { content, structuredContent };
}

function messageId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`;
}
