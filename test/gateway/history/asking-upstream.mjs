// A server on stdio, of one era (`node asking-upstream.mjs legacy|modern`), whose tool `work {nonce}` asks at random: nothing,
// one thing, two things one after the other, or three at once. What it asks names the nonce of the call, and the result
// gives it back with all answers, so that whatever reaches somebody else can be seen.
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';

const [era] = process.argv.slice(2);
const VERSION = { legacy: '2025-11-25', modern: '2026-07-28' }[era];
const answers = new Map();
const cancelled = new Set();
let last = 0;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const give = (id, value) =>
  send({
    id,
    result: {
      ...(era === 'modern' && { resultType: 'complete' }),
      content: [{ type: 'text', text: JSON.stringify(value) }],
    },
  });

const form = (nonce) => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: nonce,
    requestedSchema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
  },
});
const sampling = (nonce) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: nonce } }], maxTokens: 10 },
});

/** What is asked for a nonce: rounds of questions that are asked together. The same for the same nonce. */
function roundsFor(nonce) {
  const dice = createHash('sha256').update(nonce).digest()[0];
  if (dice < 120) return [];
  if (dice < 170) return [[form(nonce)]];
  if (dice < 200) return [[sampling(nonce)]];
  if (dice < 230) return [[form(nonce)], [sampling(nonce)]];
  return [[form(nonce), sampling(nonce), form(nonce)]];
}

function ask(question) {
  const id = `s${++last}`;
  send({ id, ...question });
  return new Promise((resolve) => answers.set(id, resolve));
}

/** What somebody answered, whatever it was asked by. */
function wordOf(answer) {
  if (answer?.error !== undefined) return `refused: ${answer.error.message}`;
  return answer?.content?.answer ?? answer?.content?.text ?? JSON.stringify(answer);
}

async function workLegacy(id, { nonce }) {
  const said = [];
  for (const round of roundsFor(nonce)) {
    // Others are served meanwhile, so that many calls are open at once.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
    said.push(...(await Promise.all(round.map(ask))).map(wordOf));
  }
  if (!cancelled.delete(id)) give(id, { nonce, said });
}

async function workModern(id, { arguments: { nonce }, inputResponses = {}, requestState }) {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
  const rounds = roundsFor(nonce);
  const state = requestState === undefined ? { nonce, round: 0, said: [] } : JSON.parse(requestState);
  if (state.nonce !== nonce) return send({ id, error: { code: -32602, message: 'The state is that of another call' } });
  const said = requestState === undefined ? [] : [...state.said, ...Object.values(inputResponses).map(wordOf)];
  const next = rounds[state.round];
  if (next === undefined) return give(id, { nonce, said });
  const inputRequests = Object.fromEntries(next.map((question, index) => [`q${index}`, question]));
  const kept = JSON.stringify({ nonce, round: state.round + 1, said });
  return send({ id, result: { resultType: 'input_required', inputRequests, requestState: kept } });
}

const capabilities = { tools: {} };
const serverInfo = { name: 'asking', version: '1' };
const fresh = era === 'modern' ? { resultType: 'complete', ttlMs: 60_000, cacheScope: 'public' } : {};
const methods = {
  ...(era === 'legacy' && {
    initialize: () => ({ protocolVersion: VERSION, capabilities, serverInfo }),
    ping: () => ({}),
  }),
  ...(era === 'modern' && {
    'server/discover': () => ({
      supportedVersions: [VERSION],
      capabilities,
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
      ...fresh,
    }),
  }),
  'tools/list': () => ({
    tools: [
      { name: 'work', inputSchema: { type: 'object', properties: { nonce: { type: 'string' } }, required: ['nonce'] } },
    ],
    ...fresh,
  }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === 'tools/call') void (era === 'legacy' ? workLegacy(id, params.arguments) : workModern(id, params));
  else if (method === 'notifications/cancelled') cancelled.add(params.requestId);
  else if (methods[method] !== undefined) send({ id, result: methods[method](params) });
  else if (method === undefined) answers.get(id)?.(result ?? { error });
  else if (id !== undefined) send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
});
