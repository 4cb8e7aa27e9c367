import { answers, called, type Connected } from './expectation.js';
import { answer } from './healthy.js';
import type { ReceivedMessage, ServedRequest } from './received-messages.js';
import { stdioAttack, type StdioMode } from './mode.js';
import type { StdioHandler } from './stdio-turn.js';

/** A request on a channel where the server can send several messages. */
export interface SpokenTurn extends ServedRequest {
  readonly say: (...messages: readonly string[]) => Promise<boolean>;
}

/** Sends the request `asked` to the host, and answers the call with the host's response as text. */
export async function describeAnswer(
  { id, say, hear }: SpokenTurn,
  asked: string,
  under: unknown = 'r',
): Promise<void> {
  const heard = hear((message) => message.id === under && message.method === undefined);
  await say(asked);
  await say(answer(id, toText(await heard)));
}

/** The host's response in one line: `answer JSON` or `error CODE`. */
function toText({ result, error }: ReceivedMessage = {}): string {
  return error === undefined
    ? `answer ${JSON.stringify(result)}`
    : `error ${String((error as { code?: unknown }).code)}`;
}

/** Runs `before`, then answers the call. */
export function thenAnswer<Spoken extends SpokenTurn>(before: (turn: Spoken) => unknown): (turn: Spoken) => unknown {
  return async (turn) => {
    await before(turn);
    await turn.say(answer(turn.id));
  };
}

/** A mode that runs `before` and then answers. The call must still succeed, in time. */
export function stdioLate(
  name: string,
  summary: string,
  before: StdioHandler,
  rest: Partial<Connected> = {},
): StdioMode {
  return stdioAttack(name, summary, called(answers('in time'), rest), thenAnswer(before));
}
