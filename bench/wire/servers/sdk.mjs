// A program that embeds a host and serves its tools by control envelopes. Here the host starts the program, and not the
// other way round: the lines and the pipes are the same.
import { cutLines } from '../lines.mjs';
import { makeAnswerer } from './answer.mjs';

const answer = makeAnswerer(process.argv.slice(2));

process.stdin.on(
  'data',
  cutLines((line) => {
    const { request_id: key, request } = JSON.parse(line);
    const head = `{"type":"control_response","response":{"subtype":"success","request_id":${JSON.stringify(key)},"response":{"mcp_response":`;
    const { ready, text } = answer(request.message) ?? { text: '{"jsonrpc":"2.0","result":{},"id":0}' };
    if (ready) {
      process.stdout.write(head);
      process.stdout.write(ready);
    }
    process.stdout.write(`${ready ? '' : head}${text}}}}\n`);
  }),
);
process.stdin.on('end', () => process.exit(0));
