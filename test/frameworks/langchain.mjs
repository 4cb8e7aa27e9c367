// Drives LangChain's createAgent with the tools of a host.
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
import { Command, MemorySaver } from '@langchain/langgraph';
import { createAgent, humanInTheLoopMiddleware } from 'langchain';
import { toLangChainTools } from 'plugboard/langchain';
import { allowed, report, untilAsked } from './desk.mjs';

/** A model that makes these calls, one a turn, and then says "done". */
class Scripted extends BaseChatModel {
  requests = [];
  bound = [];

  constructor(turns) {
    super({});
    this.turns = turns;
  }

  _llmType() {
    return 'scripted';
  }

  bindTools(tools) {
    this.bound = tools;
    return this;
  }

  async _generate(messages) {
    this.requests.push(messages);
    const turn = messages.filter((message) => AIMessage.isInstance(message)).length;
    const calls = this.turns[turn];
    const message = calls
      ? new AIMessage({
          content: '',
          tool_calls: calls.map(([name, args], at) => ({ name, args, id: `call-${turn}-${at}`, type: 'tool_call' })),
        })
      : new AIMessage('done');
    return { generations: [{ message, text: message.text }] };
  }
}

function agentOf(host, turns, { approves = true, checkpointer = new MemorySaver() } = {}) {
  const { tools, system, interruptOn, middleware } = toLangChainTools(host);
  const model = new Scripted(turns);
  const asks = approves ? [humanInTheLoopMiddleware({ interruptOn })] : [];
  const agent = createAgent({ model, tools, systemPrompt: system, middleware: [middleware, ...asks], checkpointer });
  return { agent, model, tools };
}

const thread = { configurable: { thread_id: '1' } };
const go = { messages: [{ role: 'user', content: 'go' }] };
const read = ({ messages }) =>
  messages
    .filter(({ type }) => type === 'tool')
    .map(({ content, status, artifact }) => ({ content, status, outcome: artifact?.outcome }));

async function ask(host, turns, config = {}) {
  const { agent, model } = agentOf(host, turns, config);
  const result = await agent.invoke(go, { ...thread, ...config });
  return { result, model };
}

async function decide(host, { call, decision, again = host }) {
  const checkpointer = new MemorySaver();
  const { agent } = agentOf(host, [[call]], { checkpointer });
  const first = await agent.invoke(go, thread);
  const requests = (first['__interrupt__'] ?? []).flatMap(({ value }) => value.actionRequests).length;
  if (requests === 0) return { requests, read: read(first) };
  const { agent: resumed } = agentOf(again, [[call]], { checkpointer });
  const second = await resumed.invoke(new Command({ resume: { decisions: [{ type: decision }] } }), thread);
  return { requests, text: second.messages.at(-1).text, read: read(second) };
}

const send = ['mcp__desk__send', { to: 'Ann' }];

await report({
  text: async ({ open, journal }) => {
    const { result, model } = await ask(await open(allowed), [[['mcp__desk__look-up', { word: 'bee' }]]]);
    const system = model.requests[0][0].text.includes('Be brief.');
    return { text: result.messages.at(-1).text, system, read: read(result), journal: journal() };
  },
  names: async ({ open }) => {
    const { tools } = toLangChainTools(await open(allowed));
    return tools.map(({ name }) => name).filter((name) => name.startsWith('mcp'));
  },
  artifact: async ({ open }) => {
    const { tools } = toLangChainTools(await open(allowed));
    const tool = tools.find(({ name }) => name === 'mcp__desk__look-up');
    const message = await tool.invoke({ name: tool.name, args: { word: 'bee' }, id: 'x', type: 'tool_call' });
    const { outcome, structuredContent, server } = message.artifact;
    return { content: message.content, outcome, structuredContent, server, alone: await tool.invoke({ word: 'cow' }) };
  },
  image: async ({ open }) => read((await ask(await open(allowed), [[['mcp__desk__picture', {}]]])).result),
  error: async ({ open }) => read((await ask(await open(allowed), [[['mcp__desk__fail', {}]]])).result),
  'wrong input': async ({ open, journal }) => {
    const { result } = await ask(await open(allowed), [[['mcp__desk__look-up', {}]]]);
    return { read: read(result), journal: journal() };
  },
  'a pattern that would stall': async ({ open, journal }) => {
    const word = `${'a'.repeat(40)}!`;
    const { result } = await ask(await open(allowed), [[['mcp__desk__look-up', { word }]]]);
    return { read: read(result).map(({ status }) => status), journal: journal() };
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
    const { result } = await ask(await open(), [[send]], { approves: false });
    return { read: read(result), journal: journal() };
  },
  approved: async ({ open, journal }) => ({
    ...(await decide(await open(), { call: send, decision: 'approve' })),
    journal: journal(),
  }),
  'approved in another process': async ({ open, journal }) => ({
    ...(await decide(await open(), { call: send, decision: 'approve', again: await open() })),
    journal: journal(),
  }),
  rejected: async ({ open, journal }) => ({
    ...(await decide(await open(), { call: send, decision: 'reject' })),
    journal: journal(),
  }),
  'approved against a rule that denies': async ({ open, journal }) => {
    const call = ['CallMcpTool', { name: 'mcp__desk__send', arguments: { to: 'Ann' } }];
    const again = await open({ permissions: { deny: ['mcp__desk__send'] } });
    return { ...(await decide(await open(), { call, decision: 'approve', again })), journal: journal() };
  },
  'asked again for the next call': async ({ open, journal }) => {
    const host = await open();
    await decide(host, { call: send, decision: 'approve' });
    const { requests } = await decide(host, { call: ['mcp__desk__send', { to: 'Bob' }], decision: 'reject' });
    return { requests, journal: journal() };
  },
  'a rule allows, nobody is asked': async ({ open, journal }) => {
    const { requests } = await decide(await open(allowed), { call: send, decision: 'reject' });
    return { requests, journal: journal() };
  },
  news: async ({ open }) => {
    const host = await open(allowed);
    const { tools, middleware } = toLangChainTools(host);
    const look = ['mcp__desk__look-up', { word: 'dog' }];
    const model = new Scripted([[look], [look]]);
    let step = 0;
    const trap = {
      name: 'trap',
      beforeModel: () => {
        if (step++ === 1) host.disable('desk');
      },
    };
    const agent = createAgent({ model, tools, middleware: [trap, middleware] });
    await agent.invoke(go);
    return model.requests.map((messages) =>
      messages.flatMap((message, at) =>
        message.type === 'human' && at > 0 ? [[at, message.text.includes('desk')]] : [],
      ),
    );
  },
});
