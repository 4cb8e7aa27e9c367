import type { ModelEvent } from '../../src/session/model-port.js';
import { EventReader } from '../../src/session/models/event-reader.js';
import type { AnswerReader } from '../../src/session/models/open-model.js';

/** The events that a reader makes of a response in these chunks; what it does not understand is skipped. */
export function receivedBy(reader: AnswerReader, pieces: readonly Buffer[]): readonly ModelEvent[] {
  const events = new EventReader({ eventLimit: 1_000_000, toOverflow: () => new Error('too large') });
  const said: ModelEvent[] = [];
  for (const { data } of pieces.flatMap((piece) => events.read(piece))) {
    if (data !== '[DONE]') said.push(...(reader.read(JSON.parse(data)) ?? []));
  }
  return [...said, ...reader.end()];
}
