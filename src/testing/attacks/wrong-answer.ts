import { called, type CallOutcome } from '../expectation.js';
import { httpAttack, type Mode, sseAttack, stdioAttack, wsAttack } from '../mode.js';
import type { Bytes } from '../write.js';

export interface WrongAnswerOptions {
  /** Where HTTP lets a host know more: the body ends, and it belongs to one request. */
  readonly overHttp?: CallOutcome;
  /** Large, and read by the same reader whatever brought it: two channels are enough. */
  readonly isLarge?: boolean;
}

/**
 * An answer to `attack` that is wrong, or only looks it, as one mode on each channel: a line, a body, an event, a frame. Over stdio
 * it has its bare name, elsewhere one that begins with the channel's.
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

/** An event of these bytes, whatever they are. CR would end the line, so that another blank stands for it. */
function toData(text: Bytes): Buffer {
  const body = typeof text === 'string' ? text.replaceAll('\r', ' ') : text;
  return Buffer.concat([Buffer.from('data: '), Buffer.from(body), Buffer.from('\n\n')]);
}
