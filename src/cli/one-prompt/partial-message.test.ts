import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AssistantPart } from '../../session/message.js';
import { NO_USAGE } from '../../session/model-port.js';
import type { SessionEvent } from '../../session/session-event.js';
import { PartialMessage } from './partial-message.js';
import { toBlock } from './stream-blocks.js';

type Json = { readonly [field: string]: unknown };

const part: fc.Arbitrary<AssistantPart> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text: fc.string({ minLength: 1 }) }),
  fc.record({ kind: fc.constant('reasoning' as const), text: fc.string({ minLength: 1 }) }),
  fc.record({
    kind: fc.constant('call' as const),
    id: fc.string(),
    name: fc.constant('t'),
    input: fc.dictionary(fc.string(), fc.string()),
  }),
);

/** The parts as a model streams them: texts in two halves. */
function streamed(parts: readonly AssistantPart[]): readonly SessionEvent[] {
  return parts.flatMap((one): SessionEvent[] => {
    if (one.kind === 'text' || one.kind === 'reasoning') {
      const middle = Math.floor(one.text.length / 2);
      const halves = [one.text.slice(0, middle), one.text.slice(middle)].filter((text) => text !== '');
      return halves.map((text) => ({ kind: one.kind, text }));
    }
    return one.kind === 'call' ? [{ kind: 'writing-call', id: `other ${one.id}`, name: one.name }] : [];
  });
}

/** Assembles content blocks from the events, as a client of the stream would. */
function put(events: readonly Json[]): readonly Json[] {
  const blocks: Json[] = [];
  const json: string[] = [];
  const open = new Set<unknown>();
  for (const { type, index, content_block: block, delta } of events) {
    const at = Number(index);
    if (type === 'content_block_start') {
      open.add(index);
      blocks[at] = block as Json;
    }
    if (type === 'content_block_delta') {
      if (!open.has(index)) throw new Error(`block ${String(index)} is not open`);
      const { text, thinking, partial_json: piece } = delta as Record<string, string>;
      const before = blocks[at]!;
      if (text !== undefined) blocks[at] = { ...before, text: `${String(before['text'])}${text}` };
      if (thinking !== undefined) blocks[at] = { ...before, thinking: `${String(before['thinking'])}${thinking}` };
      if (piece !== undefined) json[at] = `${json[at] ?? ''}${piece}`;
    }
    if (type === 'content_block_stop') {
      open.delete(index);
      if (json[at] !== undefined) blocks[at] = { ...blocks[at], input: JSON.parse(json[at]) as unknown };
    }
  }
  if (open.size > 0) throw new Error(`${open.size} blocks never end`);
  return blocks;
}

test('whatever a model says, the events add up to it', () => {
  fc.assert(
    fc.property(fc.array(part), (all) => {
      // Two adjacent texts look like one in a stream.
      const parts = all.filter((one, at) => one.kind === 'call' || one.kind !== all[at - 1]?.kind);
      const message = new PartialMessage('msg_1', 'm');
      const events = [...streamed(parts), { kind: 'message', parts, usage: NO_USAGE } as const];
      const blocks = put(events.flatMap((event) => message.take(event) as Json[]));
      const wanted = parts.map((one) => toBlock(one, false));
      expect(blocks.map(({ type, text, thinking, input }) => ({ type, text, thinking, input }))).toEqual(
        wanted.map(({ type, text, thinking, input }) => ({ type, text, thinking, input })),
      );
    }),
    { numRuns: 200 },
  );
});

test('an answer that is stopped leaves no block open', () => {
  const message = new PartialMessage('msg_1', 'm');
  const events: SessionEvent[] = [
    { kind: 'text', text: 'a' },
    { kind: 'writing-call', id: 'x', name: 't' },
    { kind: 'message', parts: [{ kind: 'text', text: 'a' }], usage: NO_USAGE },
  ];
  const made = events.flatMap((event) => message.take(event) as Json[]);
  expect(put(made)).toHaveLength(2);
  expect(made.at(-1)).toEqual({ type: 'message_stop' });
});
