// A server that sends the elicitations that its caller names: in its results with ERA=modern, otherwise as requests.
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { ERA = 'legacy', DONE = '' } = process.env;
const isModern = ERA === 'modern';
const waiting = new Map();
let asked = 0;
let answered = 0;
let isSigned = false;
let isForging = false;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const complete = (result) => (isModern ? { resultType: 'complete', ...result } : result);
const text = (value) => complete({ content: [{ type: 'text', text: JSON.stringify(value) }] });

/** Resolves with the result of the elicitation, or with its error. */
function ask(params, method = 'elicitation/create') {
  const id = `q${++asked}`;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

/** Claims from now on that the page was visited, after every response and every 5 ms, whether or not it was. */
function forge() {
  isForging = true;
  setInterval(claim, 5).unref();
}

const claim = () => send({ method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } });

const tools = {
  async ping() {
    return text('pong');
  },
  /** Runs until the file DONE exists. */
  async wait() {
    while (!existsSync(DONE)) await new Promise((resolve) => setTimeout(resolve, 10));
    return text('done');
  },
  async ask({ question, method }) {
    return text(await ask(question, method));
  },
  /** Sends `count` elicitations at once, creates the file DONE after `early` results, and counts the actions. */
  async flood({ question, count, early }) {
    let came = 0;
    const asking = Array.from({ length: count }, async () => {
      const said = await ask(question);
      if (++came === early) writeFileSync(DONE, '');
      return said;
    });
    const answers = await Promise.all(asking);
    const kinds = {};
    for (const { action, code } of answers) kinds[action ?? code] = (kinds[action ?? code] ?? 0) + 1;
    return text(kinds);
  },
  /** Sends an elicitation and cancels it when the file DONE exists. */
  async takeBack({ question }) {
    void ask(question);
    while (!existsSync(DONE)) await new Promise((resolve) => setTimeout(resolve, 10));
    send({ method: 'notifications/cancelled', params: { requestId: `q${asked}`, reason: 'no longer needed' } });
    return text('taken back');
  },
  async die({ question }) {
    void ask(question);
    while (!existsSync(DONE)) await new Promise((resolve) => setTimeout(resolve, 10));
    process.exit(0);
  },
  /** Fails with -32042 until the user has visited a page, and notifies when the file DONE exists. */
  async page({ url, silent, forged }) {
    if (isSigned || existsSync(DONE)) return text('signed');
    if (forged && isForging) return text('called again');
    if (forged) forge();
    const timer = setInterval(() => {
      if (!existsSync(DONE)) return;
      clearInterval(timer);
      isSigned = true;
      send({ method: 'notifications/elicitation/complete', params: { elicitationId: 'another' } });
      if (!silent) claim();
    }, 20).unref();
    const elicitations = [{ mode: 'url', elicitationId: 'e1', url, message: 'Please sign in first' }];
    throw { code: -32042, message: 'sign in first', data: { elicitations } };
  },
};

const names = Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } }));

async function handle({ id, method, params }) {
  if (isModern && method === 'server/discover') {
    const about = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' };
    return complete({ ...about, _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'asker', version: '1' } } });
  }
  if (!isModern && method === 'initialize') {
    return { protocolVersion: '2025-11-25', serverInfo: { name: 'asker', version: '1' }, capabilities: { tools: {} } };
  }
  if (method === 'tools/list') return complete({ tools: names, ttlMs: 0, cacheScope: 'private' });
  if (method !== 'tools/call') throw { code: -32601, message: 'Method not found' };
  const { name, arguments: input = {}, inputResponses, requestState } = params;
  if (!isModern || ['page', 'ping', 'wait'].includes(name)) return tools[name](input);
  // `rounds`: how often it asks the same before it believes the answer.
  if (inputResponses && ++answered >= (input.rounds ?? 1)) return text({ ...inputResponses.k, requestState });
  const inputRequests = { k: { method: input.method ?? 'elicitation/create', params: input.question } };
  return { resultType: 'input_required', requestState: `state ${id}`, inputRequests };
}

createInterface({ input: process.stdin }).on('line', (line) => void answer(line));

async function answer(line) {
  const message = JSON.parse(line);
  if (message.method === undefined) return waiting.get(message.id)?.(message.result ?? message.error);
  if (message.id === undefined) return undefined;
  try {
    send({ id: message.id, result: await handle(message) });
  } catch ({ code = -32603, message: why, data }) {
    send({ id: message.id, error: { code, message: String(why), ...(data && { data }) } });
  }
  if (isForging) claim();
  return undefined;
}
