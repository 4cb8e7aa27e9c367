import { called, type CallOutcome } from '../expectation.js';
import { httpAttack, type Mode, sseAttack, stdioAttack, wsAttack } from '../mode.js';
import type { Bytes } from '../write.js';

export interface WrongAnswerOptions {
  /** The outcome over HTTP, where a host knows more: a body ends, and it belongs to one request. */
  readonly overHttp?: CallOutcome;
  /** Makes modes for stdio and HTTP only: one reader parses large messages of all channels. */
  readonly isLarge?: boolean;
}

/**
 * One mode per channel whose answer to `attack` is wrong, or only looks wrong: a line, a body, an event, a frame. Over
 * stdio the mode is called `name`, elsewhere a prefix names the channel.
 */
export function wrong(
  name: string,
  summary: string,
  call: CallOutcome,
  text: (id: unknown) => Bytes,
  { overHttp = call, isLarge = false }: WrongAnswerOptions = {},
): readonly Mode[] {
  const all = [
    stdioAttack(name, summary, called(call), async ({ id, send }) => (await send(text(id))) && send('\n')),
    httpAttack(`http-${name}`, summary, called(overHttp), ({ id, json }) => json(text(id))),
    sseAttack(`sse-legacy-${name}`, summary, called(call), ({ id, events }) => events.text(toData(text(id)))),
    wsAttack(`ws-${name}`, summary, called(call), ({ id, frame }) => frame(text(id))),
  ];
  return isLarge ? all.slice(0, 2) : all;
}

/** An event with these bytes as its data. A CR would end the line, so a blank replaces it. */
function toData(text: Bytes): Buffer {
  const body = typeof text === 'string' ? text.replaceAll('\r', ' ') : text;
  return Buffer.concat([Buffer.from('data: '), Buffer.from(body), Buffer.from('\n\n')]);
}
