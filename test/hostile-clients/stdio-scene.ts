import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { systemClock } from '../../src/edge/clock.js';
import { ParkedCalls } from '../../src/serving/modern/parked-calls.js';
import { RequestStates } from '../../src/serving/modern/request-state.js';
import { Seals } from '../../src/serving/seal.js';
import { serveOverStdio, type StdioServing } from '../../src/serving/stdio/serve-over-stdio.js';
import type { Message } from '../serving/message.js';
import { HostileEndpoint } from './hostile-endpoint.js';
import { nextTurn } from './scene.js';

/** One client over stdio. */
export interface StdioScene {
  readonly endpoint: HostileEndpoint;
  readonly serving: StdioServing;
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly parked: ParkedCalls;
  readonly messages: (Message | Message[])[];
  readonly problems: string[];
  readonly send: (...messages: unknown[]) => void;
  /** The first message that is so. */
  readonly found: (is: (message: Message) => boolean) => Promise<Message>;
  /** The response to a ping that is sent now: all before has been taken. */
  readonly pinged: () => Promise<Message>;
}

export function openStdioScene(): StdioScene {
  const endpoint = new HostileEndpoint();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const states = new RequestStates(new Seals([randomBytes(32)]), Date.now);
  const parked = new ParkedCalls();
  const services = { clock: systemClock, states, parked, parks: () => true };
  const problems: string[] = [];
  const onProblem = (text: string): void => void problems.push(text);
  const serving = serveOverStdio({ input, output, endpoint, principal: 'me', services, onProblem });
  const messages: (Message | Message[])[] = [];
  let rest = '';
  output.on('data', (bytes: Buffer) => {
    const lines = (rest + bytes.toString()).split('\n');
    rest = lines.pop()!;
    for (const line of lines) messages.push(JSON.parse(line) as Message);
  });
  const send = (...sent: unknown[]): void => void input.write(sent.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const found = async (is: (message: Message) => boolean): Promise<Message> => {
    for (;;) {
      const one = messages.flat().find((message) => is(message));
      if (one) return one;
      await nextTurn();
    }
  };
  let pings = 0;
  const pinged = (): Promise<Message> => {
    const id = `ping-${pings++}`;
    send({ jsonrpc: '2.0', id, method: 'ping' });
    return found((message) => message.id === id);
  };
  return { endpoint, serving, input, output, parked, messages, problems, send, found, pinged };
}
