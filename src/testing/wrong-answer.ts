import { called, type CallOutcome } from './expectation.js';
import type { Mode } from './mode.js';
import type { Bytes } from './write.js';

/** An answer to `attack` that is wrong, or only looks it, on every channel: a line of stdout, the body of a response. */
export interface WrongAnswer {
  readonly name: string;
  readonly summary: string;
  readonly text: (id: unknown) => Bytes;
  readonly call: CallOutcome;
  /** Where HTTP lets a host know more: the body ends, and it belongs to one request. */
  readonly overHttp?: CallOutcome;
}

/** One mode over stdio, and one over HTTP whose name begins with `http-`. */
export function overBoth({ name, summary, text, call, overHttp }: WrongAnswer): readonly Mode[] {
  return [
    {
      name,
      channel: 'stdio',
      summary,
      expect: called(call),
      behave: () => ({
        attack: async ({ id, send }) => (await send(text(id))) && send('\n'),
      }),
    },
    {
      name: `http-${name}`,
      channel: 'http',
      summary,
      expect: called(overHttp ?? call),
      behave: () => ({ attack: ({ id, json }) => json(text(id)) }),
    },
  ];
}
