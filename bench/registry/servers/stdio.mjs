// A stdio server with many tools. Arguments: its name, the number of tools, and `output` if they have an outputSchema.
// Exits when stdin ends.
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
