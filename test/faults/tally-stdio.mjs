// A stdio server that counts the calls it runs and floods the host with notifications on request.
import { createInterface } from 'node:readline';
import { openTally } from './tally.mjs';

const BATCH = 1_000;
const note = { method: 'notifications/message', params: { level: 'info', data: 'nobody has asked for this' } };
const lines = `${JSON.stringify({ jsonrpc: '2.0', ...note })}\n`.repeat(BATCH);

const answer = openTally({
  async flood(count) {
    for (let left = count; left > 0; left -= BATCH) {
      if (!process.stdout.write(lines)) await new Promise((done) => process.stdout.once('drain', done));
    }
  },
});

async function take(message) {
  if (message.id !== undefined) process.stdout.write(`${JSON.stringify(await answer(message))}\n`);
}

createInterface({ input: process.stdin }).on('line', (line) => void take(JSON.parse(line)));
process.stdin.once('end', () => process.exit(0));
