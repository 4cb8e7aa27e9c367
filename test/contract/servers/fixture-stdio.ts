import { Fixture } from './fixture.js';
import type { FixtureOptions } from './fixture-options.js';

/** The fixture as a process, with one message on each line. */
const fixture = new Fixture(
  {
    send: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`),
    write: (pieces) => void writeAll(pieces),
    die: () => {
      process.stderr.write('out of ink\n');
      process.exit(3);
    },
  },
  JSON.parse(process.env['CONTRACT_OPTIONS'] ?? '{}') as FixtureOptions,
);

const NEWLINE = 10;
let pieces: Buffer[] = [];
// Not Node's readline, which takes U+2028 for a line end.
process.stdin.on('data', (chunk: Buffer) => {
  let from = 0;
  for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
    pieces.push(chunk.subarray(from, end));
    fixture.take(JSON.parse(Buffer.concat(pieces).toString('utf8')));
    pieces = [];
    from = end + 1;
  }
  pieces.push(chunk.subarray(from));
});

/** Waits for each write, so that the parts are not joined. */
async function writeAll(parts: readonly (string | Buffer)[]): Promise<void> {
  for (const part of parts) await new Promise((resolve) => process.stdout.write(part, resolve));
}
