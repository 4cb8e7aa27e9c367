import { randomUUID } from 'node:crypto';
import type { ModelPort, SessionEvent } from '../../session/index.js';
import { samplingText } from '../session/display/notice-lines.js';
import { PartialMessage } from './partial-message.js';
import { toBlock, toResultBlocks, toUsage } from './stream-blocks.js';

export interface StreamLinesOptions {
  readonly model: () => ModelPort | undefined;
  readonly sessionId: () => string;
  /** Whether text is written while the model streams it. */
  readonly isPartial: boolean;
  /** `isSpare`: the line may be dropped when the reader is behind. Contract: must not throw. */
  readonly write: (line: object, isDroppable: boolean) => void;
}

/** Writes session events as stream-json lines; those of a sub-agent carry the id of the call that started it. */
export class StreamLines {
  readonly #options: StreamLinesOptions;
  /** By the call that started a sub-agent; null for the conversation itself. */
  readonly #threads = new Map<string | null, Thread>();

  constructor(options: StreamLinesOptions) {
    this.#options = options;
  }

  event(event: SessionEvent, parent: string | null = null): void {
    if (event.kind === 'agent') return this.event(event.event, event.callId);
    const thread = this.#threads.get(parent) ?? { partial: undefined, failed: new Set() };
    this.#threads.set(parent, thread);
    if (this.#options.isPartial) this.#writePartial(event, thread, parent);
    if (event.kind === 'message') this.#writeMessage(event, thread, parent);
    if (event.kind === 'results') this.#writeResults(event.results, thread, parent);
    if (event.kind === 'result') {
      const { callId, outcome } = event.result;
      if (outcome !== 'ok') thread.failed.add(callId);
      // A sub-agent emits nothing after its result.
      this.#threads.delete(callId);
    }
    const asked = event.kind === 'sampling' ? samplingText(event) : undefined;
    if (asked !== undefined) this.write({ type: 'system', subtype: 'informational', content: asked, level: 'info' });
    if (event.kind === 'news') {
      this.write({ type: 'system', subtype: 'servers_changed', text: event.text, parent_tool_use_id: parent });
    }
    if (event.kind === 'retry') {
      const { attempt, afterMs, reason } = event;
      this.write({ type: 'system', subtype: 'api_retry', attempt, retry_delay_ms: afterMs, error: reason });
    }
  }

  write(line: object, isSpare = false): void {
    this.#options.write({ ...line, session_id: this.#options.sessionId(), uuid: randomUUID() }, isSpare);
  }

  #writeMessage(event: Extract<SessionEvent, { kind: 'message' }>, thread: Thread, parent: string | null): void {
    const { partial } = thread;
    thread.partial = undefined;
    if (event.parts.length === 0) return;
    const model = this.#options.model();
    const message = {
      id: partial?.id ?? messageId(),
      type: 'message',
      role: 'assistant',
      model: model?.name ?? '',
      content: event.parts.map((part) => toBlock(part, model?.profile === 'anthropic')),
      usage: toUsage(event.usage),
    };
    this.write({ type: 'assistant', message, parent_tool_use_id: parent });
  }

  #writeResults(results: readonly object[], { failed }: Thread, parent: string | null): void {
    const content = toResultBlocks(results, failed);
    failed.clear();
    this.write({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: parent });
  }

  #writePartial(event: SessionEvent, thread: Thread, parent: string | null): void {
    if (event.kind === 'progress') {
      const { id, name, progress } = event;
      const line = { type: 'system', subtype: 'tool_progress', tool_use_id: id, tool_name: name, progress };
      return this.write({ ...line, parent_tool_use_id: parent }, true);
    }
    // After a retry the answer starts from the beginning.
    if (event.kind === 'retry') thread.partial = undefined;
    thread.partial ??= new PartialMessage(messageId(), this.#options.model()?.name ?? '');
    for (const streamed of thread.partial.take(event)) {
      this.write({ type: 'stream_event', event: streamed, parent_tool_use_id: parent }, true);
    }
  }
}

interface Thread {
  partial: PartialMessage | undefined;
  /** Ids of the last message's calls that did not end as `ok`. */
  readonly failed: Set<string>;
}

function messageId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`;
}
