// Drives the OpenAI Agents SDK with the tools of a host.
import { Agent, RunState, run, setTracingDisabled, Usage } from '@openai/agents';
import { toAgentTools } from 'plugboard/openai-agents';
import { allowed, report, untilAsked } from './desk.mjs';

setTracingDisabled(true);

/** A model that makes these calls, one a turn, and then says "done". */
class Scripted {
  requests = [];

  constructor(turns) {
    this.turns = turns;
  }

  async getResponse({ input, systemInstructions, tools }) {
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
    this.requests.push({ items, systemInstructions, tools });
    const made = new Set(
      items.filter(({ type }) => type === 'function_call').map(({ callId }) => callId.split('-')[1]),
    );
    const turn = made.size;
    const calls = this.turns[turn];
    const output = calls
      ? calls.map(([name, args], at) => ({
          type: 'function_call',
          callId: `call-${turn}-${at}`,
          name,
          arguments: JSON.stringify(args),
          status: 'completed',
        }))
      : [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] }];
    return { usage: new Usage(), output };
  }

  // oxlint-disable-next-line require-yield -- the SDK's interface has it; these checks do not stream
  async *getStreamedResponse() {
    throw new Error('not used');
  }
}

function agentOf(host, turns) {
  const { tools, system, callModelInputFilter } = toAgentTools(host);
  const model = new Scripted(turns);
  const agent = new Agent({ name: 'desk agent', instructions: system, model, tools });
  return { agent, model, tools, options: { callModelInputFilter } };
}

const read = (model) =>
  model.requests
    .at(-1)
    .items.filter(({ type }) => type === 'function_call_result')
    .map(({ output }) => (output.type === 'text' ? output.text : output));

async function ask(host, turns, more = {}) {
  const { agent, model, options } = agentOf(host, turns);
  const result = await run(agent, 'go', { ...options, ...more });
  return { result, model };
}

async function decide(host, { call, decide: answer, again = host }) {
  const { agent, options } = agentOf(host, [[call]]);
  const first = await run(agent, 'go', options);
  const requests = first.interruptions.length;
  if (requests === 0) return { requests, text: first.finalOutput };
  const { agent: resumed, model, options: others } = agentOf(again, [[call]]);
  const state = await RunState.fromString(resumed, first.state.toString());
  for (const item of state.getInterruptions()) answer(state, item);
  const second = await run(resumed, state, others);
  return { requests, text: second.finalOutput, read: read(model) };
}

const send = ['mcp__desk__send', { to: 'Ann' }];
const yes = (state, item) => state.approve(item);

await report({
  text: async ({ open, journal }) => {
    const { result, model } = await ask(await open(allowed), [[['mcp__desk__look_up', { word: 'bee' }]]]);
    const system = model.requests[0].systemInstructions.includes('Be brief.');
    return { text: result.finalOutput, system, read: read(model), journal: journal() };
  },
  names: async ({ open, journal }) => {
    const { tools } = toAgentTools(await open(allowed));
    const { model } = await ask(await open(allowed), [[['mcp__desk__look_up_2', {}]]]);
    const names = tools.map(({ name }) => name).filter((name) => name.startsWith('mcp'));
    return { names, read: read(model), journal: journal() };
  },
  image: async ({ open }) => read((await ask(await open(allowed), [[['mcp__desk__picture', {}]]])).model),
  error: async ({ open }) => read((await ask(await open(allowed), [[['mcp__desk__fail', {}]]])).model),
  'wrong input': async ({ open, journal }) => {
    const { model } = await ask(await open(allowed), [[['mcp__desk__look_up', {}]]]);
    return { read: read(model), journal: journal() };
  },
  cancelled: async ({ open, journal }) => {
    const controller = new AbortController();
    void untilAsked(journal).then(() => controller.abort());
    const host = await open(allowed);
    let isThrown = false;
    try {
      await ask(host, [[['mcp__desk__wait', {}]]], { signal: controller.signal });
    } catch {
      isThrown = true;
    }
    await host.close();
    return { isThrown, journal: journal() };
  },
  'no approval, nobody asked': async ({ open, journal }) => {
    const { tools } = toAgentTools(await open());
    const tool = tools.find(({ name }) => name === 'mcp__desk__send');
    const context = { isToolApproved: () => undefined };
    const result = await tool.invoke(context, JSON.stringify({ to: 'Ann' }), { toolCall: { callId: 'x' } });
    return { result, journal: journal() };
  },
  approved: async ({ open, journal }) => ({
    ...(await decide(await open(), { call: send, decide: yes })),
    journal: journal(),
  }),
  'approved in another process': async ({ open, journal }) => ({
    ...(await decide(await open(), { call: send, decide: yes, again: await open() })),
    journal: journal(),
  }),
  rejected: async ({ open, journal }) => ({
    ...(await decide(await open(), { call: send, decide: (state, item) => state.reject(item) })),
    journal: journal(),
  }),
  'approved for ever': async ({ open, journal }) => ({
    ...(await decide(await open(), {
      call: send,
      decide: (state, item) => state.approve(item, { alwaysApprove: true }),
    })),
    journal: journal(),
  }),
  'approved against a rule that denies': async ({ open, journal }) => {
    const call = ['CallMcpTool', { name: 'mcp__desk__send', arguments: { to: 'Ann' } }];
    const again = await open({ permissions: { deny: ['mcp__desk__send'] } });
    return { ...(await decide(await open(), { call, decide: yes, again })), journal: journal() };
  },
  'asked again for the next call': async ({ open, journal }) => {
    const host = await open();
    await decide(host, { call: send, decide: yes });
    const other = ['mcp__desk__send', { to: 'Bob' }];
    const { requests } = await decide(host, { call: other, decide: (state, item) => state.reject(item) });
    return { requests, journal: journal() };
  },
  news: async ({ open }) => {
    const host = await open(allowed);
    const look = ['mcp__desk__look_up', { word: 'dog' }];
    const { agent, model, options } = agentOf(host, [[look], [look]]);
    let step = 0;
    const callModelInputFilter = (given) => {
      if (step++ === 1) host.disable('desk');
      return options.callModelInputFilter(given);
    };
    await run(agent, 'go', { callModelInputFilter });
    return model.requests.map(({ items }) =>
      items.flatMap(({ role, content }, at) => (role === 'user' && at > 0 ? [[at, content.includes('desk')]] : [])),
    );
  },
});
