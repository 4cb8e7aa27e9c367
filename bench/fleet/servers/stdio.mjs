// One server of a fleet. Arguments: its name, its number of tools, and the milliseconds that it takes to boot. Exits
// when stdin ends.
import { cutLines } from '../../wire/lines.mjs';
import { makeAnswerer, makeTools } from './answer.mjs';

const [name, count, boot] = process.argv.slice(2);
const answer = makeAnswerer(name, makeTools(Number(count)));

// A slow server sleeps before it reads a byte, as it would while it waits for a package manager or a database.
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
