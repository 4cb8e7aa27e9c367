// An echo server over stdio. One write per response, as servers do; exits when stdin ends.
import { cutLines } from '../lines.mjs';
import { makeAnswerer } from './answer.mjs';

const answer = makeAnswerer(process.argv.slice(2));

process.stdin.on(
  'data',
  cutLines((line) => {
    const said = answer(JSON.parse(line));
    if (said === undefined) return;
    if (said.ready) process.stdout.write(said.ready);
    process.stdout.write(`${said.text}\n`);
  }),
);
process.stdin.on('end', () => process.exit(0));
