// A server with many tools over stdio. Arguments: its name, how many, and `output` if they say what they answer with. It is
// gone when its input ends.
import { cutLines } from '../../wire/lines.mjs';
import { makeAnswerer, makeTools } from './tools.mjs';

const [name, count, output] = process.argv.slice(2);
const tools = makeTools(Number(count), { hasOutput: output === 'output' });
const answer = makeAnswerer(name, () => tools);

process.stdin.on(
  'data',
  cutLines((line) => {
    const said = answer(JSON.parse(line));
    if (said !== undefined) process.stdout.write(`${said}\n`);
  }),
);
process.stdin.on('end', () => process.exit(0));
