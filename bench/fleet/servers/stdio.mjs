// One server of a fleet. Arguments: its name, how many tools it has, and for how many milliseconds it boots. It is gone
// when its input ends.
import { cutLines } from '../../wire/lines.mjs';
import { makeAnswerer, makeTools } from './answer.mjs';

const [name, count, boot] = process.argv.slice(2);
const answer = makeAnswerer(name, makeTools(Number(count)));

// A slow one sleeps, as it would for a package manager or a database: it has not read a byte before.
if (Number(boot) > 0) setTimeout(serve, Number(boot));
else serve();

function serve() {
  process.stdin.on(
    'data',
    cutLines((line) => {
      const said = answer(JSON.parse(line));
      if (said !== undefined) process.stdout.write(`${said}\n`);
    }),
  );
  process.stdin.on('end', () => process.exit(0));
}
