import { parseJson } from '../base/json.js';
import type { JsonRpcMessage } from '../wire/message.js';
import type { FakeEnd, FakeServer } from './fake-server.js';
import { LineSplitter } from './line-splitter.js';
import type { StdioStreams } from './stdio-turn.js';
import { writeBytes } from './write.js';

/**
 * Serves a fake server over stdio, for hosts that start their servers as processes: `streams` is `process`. Resolves when
 * the host has closed stdin.
 */
export function serveFakeServer(server: FakeServer, { stdin, stdout }: Omit<StdioStreams, 'stderr'>): Promise<void> {
  let written: Promise<unknown> = Promise.resolve();
  const end: FakeEnd = {
    async send(message) {
      written = written.then(() => writeBytes(stdout, `${JSON.stringify(message)}\n`));
      await written;
    },
  };
  server.connect(end);
  const lines = new LineSplitter((line) => {
    const message = parseJson(line);
    if (message !== undefined) end.onmessage?.(message as JsonRpcMessage);
  });
  return new Promise((resolve) => {
    stdin.on('data', (chunk: Buffer) => lines.push(chunk));
    for (const event of ['end', 'close']) stdin.once(event, () => void written.then(() => resolve()));
  });
}
