// A scripted model on loopback (https://platform.claude.com/docs/en/api/messages-streaming): it answers a user's
// message with a tool call, and a tool result with text, some of it Markdown. The first line on stdout is its URL; it
// exits when stdin ends.
import { createServer } from 'node:http';

const WORDS = 'The echo **came back** as it was said.\n\n- one\n- two\n\n```js\nconst echo = 1;\n```\n';
const ROUNDS = 20; // about 2 KB in pieces of a few letters, like an answer that takes a few seconds
const THE_END = 'That is turn-is-over.'; // what the bench waits for: only a turn without an error ends with it
let count = 0;

const server = createServer((request, response) => {
  // It lists no models.
  if (request.method === 'POST') void answer(request, response);
  else response.writeHead(404).end();
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
process.stdin.resume().on('end', () => process.exit(0));

async function answer(request, response) {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { messages, tools = [], model, tool_choice: choice } = JSON.parse(body);
  count++;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const results = [messages.at(-1).content].flat().filter(({ type }) => type === 'tool_result');
  const tool = tools.find(({ name }) => name?.endsWith('__echo'));
  const isSummary = choice?.type === 'none';
  const isCall = results.length === 0 && tool !== undefined && !isSummary;
  send({
    type: 'message_start',
    message: {
      id: `msg_${count}`,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: body.length >> 2, output_tokens: 1 },
    },
  });
  if (isCall) sendCall(send, tool.name);
  else if (isSummary) sendWords(send, 'The user wants everything said again.');
  else if (results.length > 0 && !results.some(({ is_error }) => is_error))
    sendWords(send, WORDS.repeat(ROUNDS) + THE_END);
  else sendWords(send, `That did not work: ${JSON.stringify(results)}`);
  const stop_reason = isCall ? 'tool_use' : 'end_turn';
  send({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 400 } });
  send({ type: 'message_stop' });
  response.end();
}

function sendWords(send, text) {
  send({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  for (const piece of text.match(/[\s\S]{1,7}/gu)) {
    send({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } });
  }
  send({ type: 'content_block_stop', index: 0 });
}

function sendCall(send, name) {
  send({
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: `toolu_${count}`, name, input: {} },
  });
  for (const partial_json of ['{"text":', '"hello"}']) {
    send({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } });
  }
  send({ type: 'content_block_stop', index: 0 });
}
