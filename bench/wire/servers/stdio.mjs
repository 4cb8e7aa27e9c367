// An echo server over stdio. One write per answer, as servers do; gone when its input ends.
import { makeAnswerer } from './answer.mjs';

const answer = makeAnswerer(process.argv.slice(2).map(Number));
let pieces = [];

process.stdin.on('data', (chunk) => {
  let start = 0;
  for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
    pieces.push(chunk.subarray(start, end));
    take(JSON.parse(pieces.length === 1 ? pieces[0].toString() : Buffer.concat(pieces).toString()));
    pieces = [];
    start = end + 1;
  }
  if (start < chunk.length) pieces.push(chunk.subarray(start));
});
process.stdin.on('end', () => process.exit(0));

function take(message) {
  const parts = answer(message);
  if (parts === undefined) return;
  const [first, rest] = parts;
  if (rest === undefined) {
    process.stdout.write(`${first}\n`);
    return;
  }
  process.stdout.write(first);
  process.stdout.write(`${rest}\n`);
}
