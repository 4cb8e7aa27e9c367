import { answer } from './healthy.js';
import type { HeardMessage } from './hearing.js';
import type { StdioTurn } from './stdio-turn.js';

/** Asks the host, and answers the call with what it said. */
export async function tellAnswer({ id, say, hear }: StdioTurn, asked: string, under: unknown = 'r'): Promise<void> {
  const heard = hear((message) => message.id === under && message.method === undefined);
  await say(asked);
  await say(answer(id, toText(await heard)));
}

/** What the host said to a request of ours, in a line. */
export function toText({ result, error }: HeardMessage = {}): string {
  return error === undefined
    ? `answer ${JSON.stringify(result)}`
    : `error ${String((error as { code?: unknown }).code)}`;
}
