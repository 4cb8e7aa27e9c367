import { isObject, parseJson } from '../base/json.js';
import { handlerOf } from './http/handler-of.js';
import { type HostRequest, healthyAnswer, toAsk } from './healthy.js';
import { ReceivedMessages } from './received-messages.js';
import { RequestCounts } from './ledger.js';
import { LineSplitter } from './line-splitter.js';
import type { StdioMode } from './mode.js';
import { modernAnswer } from './modern/modern-healthy.js';
import { performMode } from './perform.js';
import type { StdioHandler, StdioStreams, StdioTurn } from './stdio-turn.js';
import { openTrap, type Trap } from './attacks/trap.js';
import { writeBytes } from './write.js';

/**
 * Runs the hostile server. It needs a process of its own: some modes exit, stop or start other processes. Resolves when
 * the host has closed stdin.
 */
export async function serveStdio(mode: StdioMode, streams: StdioStreams): Promise<void> {
  const { stdin, stdout, stderr } = streams;
  const handlers = mode.behave();
  const ledger = new RequestCounts();
  const leaving = new AbortController();
  const receivedMessages = new ReceivedMessages();
  const goodAnswer = mode.era === 'modern' ? modernAnswer : healthyAnswer;
  let trap: Promise<Trap> | undefined;
  let isFirst = true;

  const send: StdioTurn['send'] = async (bytes) => !leaving.signal.aborted && (await writeBytes(stdout, bytes));
  const shared: Omit<StdioTurn, keyof HostRequest> = {
    send,
    say: (...messages) => send(messages.map((message) => `${message}\n`).join('')),
    log: async (bytes) => !leaving.signal.aborted && (await writeBytes(stderr, bytes)),
    hear: (fits) => receivedMessages.hear(fits, leaving.signal),
    count: (what) => ledger.add(what),
    gone: leaving.signal,
    trap: async () => (await (trap ??= openTrap(ledger))).url,
    streams,
  };
  // stderr, because the host shows it.
  const tell = (text: string): Promise<boolean> => writeBytes(stderr, `${text}\n`);
  const run = (handler: StdioHandler, ask: HostRequest): void => void performMode(handler, { ...ask, ...shared }, tell);

  const take = (line: string): void => {
    const message = parseJson(line);
    const ask = ledger.take(message);
    receivedMessages.tell(isObject(message) ? message : {});
    if (ask === undefined) return;
    const handler = (isFirst ? handlers.first : undefined) ?? handlerOf(ask, handlers);
    isFirst = false;
    if (handler) run(handler, ask);
    else void shared.say(goodAnswer(ask, () => ledger.counts()));
  };

  for (const output of [stdout, stderr]) output.on('error', () => leaving.abort());
  if (handlers.start) await performMode(handlers.start, { ...toAsk('start'), ...shared }, tell);
  const lines = new LineSplitter(take);
  await new Promise<void>((resolve) => {
    const leave = (): void => {
      leaving.abort();
      resolve();
    };
    stdin.on('data', (chunk: Buffer) => lines.push(chunk));
    stdin.once('end', leave);
    stdin.once('error', leave);
    leaving.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  stdin.destroy();
  await (await trap)?.[Symbol.asyncDispose]();
}
