import { answers, called, type Connected } from './expectation.js';
import { answer } from './healthy.js';
import type { ReceivedMessage, ServedRequest } from './received-messages.js';
import { stdioAttack, type StdioMode } from './mode.js';
import type { StdioHandler } from './stdio-turn.js';

/** A turn on a channel where messages can be said one after the other. */
export interface SpokenTurn extends ServedRequest {
  readonly say: (...messages: readonly string[]) => Promise<boolean>;
}

/** Asks the host, and answers the call with what it said. */
export async function describeAnswer(
  { id, say, hear }: SpokenTurn,
  asked: string,
  under: unknown = 'r',
): Promise<void> {
  const heard = hear((message) => message.id === under && message.method === undefined);
  await say(asked);
  await say(answer(id, toText(await heard)));
}

/** What the host said to a request of ours, in a line. */
function toText({ result, error }: ReceivedMessage = {}): string {
  return error === undefined
    ? `answer ${JSON.stringify(result)}`
    : `error ${String((error as { code?: unknown }).code)}`;
}

/** Does this, and answers the call then. */
export function thenAnswer<Spoken extends SpokenTurn>(before: (turn: Spoken) => unknown): (turn: Spoken) => unknown {
  return async (turn) => {
    await before(turn);
    await turn.say(answer(turn.id));
  };
}

/** Does something before it answers that takes a while and harms nobody. */
export function stdioLate(
  name: string,
  summary: string,
  before: StdioHandler,
  rest: Partial<Connected> = {},
): StdioMode {
  return stdioAttack(name, summary, called(answers('in time'), rest), thenAnswer(before));
}
