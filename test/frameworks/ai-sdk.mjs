// Drives the AI SDK (6 or 7, whichever is installed beside this file's packages) with the tools of a host.
import { generateText, stepCountIs, streamText } from 'ai';
import * as testing from 'ai/test';
import { toAiTools } from 'plugboard/ai-sdk';
import { allowed, report, untilAsked } from './desk.mjs';

const isSeven = 'MockLanguageModelV4' in testing;
const MockModel = testing.MockLanguageModelV3;
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function reasonOf(content) {
  return { unified: content[0].type === 'text' ? 'stop' : 'tool-calls', raw: undefined };
}

/** A model that makes these calls, one a turn, and then says "done". */
function scripted(...turns) {
  let turn = 0;
  const contentOf = () => {
    const calls = turns[turn++];
    if (!calls) return [{ type: 'text', text: 'done' }];
    return calls.map(([name, input], at) => ({
      type: 'tool-call',
      toolCallId: `call-${turn}-${at}`,
      toolName: name,
      input: JSON.stringify(input),
    }));
  };
  return new MockModel({
    doGenerate: async () => {
      const content = contentOf();
      return { content, finishReason: reasonOf(content), usage, warnings: [] };
    },
    doStream: async () => {
      const content = contentOf();
      const text = [
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'done' },
        { type: 'text-end', id: '1' },
      ];
      const chunks = content[0].type === 'text' ? text : content;
      const end = { type: 'finish', finishReason: reasonOf(content), usage };
      return { stream: testing.convertArrayToReadableStream([{ type: 'stream-start', warnings: [] }, ...chunks, end]) };
    },
  });
}

const promptsOf = (model) => [...model.doGenerateCalls, ...model.doStreamCalls].map(({ prompt }) => prompt);
/** What the model read of the tools' results, in its last request. */
const read = (model) =>
  promptsOf(model)
    .at(-1)
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content)
    .filter(({ type }) => type === 'tool-result')
    .map(({ output }) => output);

const common = ({ toolApproval, ...tools }) => ({
  ...tools,
  ...(isSeven && { toolApproval }),
  stopWhen: stepCountIs(5),
});

async function ask(host, { turns, ...more }) {
  const model = scripted(...turns);
  const result = await generateText({ model, ...common(toAiTools(host)), prompt: 'go', ...more });
  return { model, result };
}

/** Asks, answers the approval request, and asks again with the messages of both. */
async function approve(host, { call, approved, forge = (messages) => messages, again = host }) {
  const model = scripted([call], undefined);
  const first = await generateText({ model, ...common(toAiTools(host)), prompt: 'go' });
  const requests = first.content.filter(({ type }) => type === 'tool-approval-request');
  const answers = requests.map(({ approvalId }) => ({ type: 'tool-approval-response', approvalId, approved }));
  const messages = [
    { role: 'user', content: 'go' },
    ...first.response.messages,
    ...(answers.length > 0 ? [{ role: 'tool', content: answers }] : []),
  ];
  const later = scripted(undefined);
  const second = await generateText({ model: later, ...common(toAiTools(again)), messages: forge(messages) });
  return { requests: requests.length, text: second.text, read: read(later) };
}

await report({
  version: async () => (isSeven ? 7 : 6),
  text: async ({ open, journal }) => {
    const { model, result } = await ask(await open(allowed), { turns: [[['mcp__desk__look-up', { word: 'bee' }]]] });
    const [call] = result.steps[0].toolResults;
    const { outcome, structuredContent, server, tool } = call.output;
    const { dynamic } = call;
    return {
      text: result.text,
      read: read(model),
      output: { outcome, structuredContent, server, tool },
      dynamic,
      journal: journal(),
    };
  },
  system: async ({ open }) => toAiTools(await open(allowed)).system.includes('Be brief.'),
  names: async ({ open }) => Object.keys(toAiTools(await open(allowed)).tools).filter((name) => name.startsWith('mcp')),
  image: async ({ open }) => {
    const { model } = await ask(await open(allowed), { turns: [[['mcp__desk__picture', {}]]] });
    return read(model);
  },
  error: async ({ open }) => {
    const { model } = await ask(await open(allowed), { turns: [[['mcp__desk__fail', {}]]] });
    return read(model);
  },
  'wrong input': async ({ open, journal }) => {
    const { model } = await ask(await open(allowed), { turns: [[['mcp__desk__look-up', {}]]] });
    return { read: read(model), journal: journal() };
  },
  'a secret leaves, though a rule allows the tool': async ({ open, journal }) => {
    const host = await open(allowed);
    const leak = ['mcp__desk__send', { to: 'AKIAIOSFODNN7EXAMPLE' }];
    const model = scripted([['mcp__desk__key', {}]], [leak]);
    const first = await generateText({ model, ...common(toAiTools(host)), prompt: 'go' });
    const requests = first.content.filter(({ type }) => type === 'tool-approval-request');
    const before = journal();
    const answers = requests.map(({ approvalId }) => ({ type: 'tool-approval-response', approvalId, approved: true }));
    const messages = [{ role: 'user', content: 'go' }, ...first.response.messages, { role: 'tool', content: answers }];
    // The next request has tools of its own, of the same conversation.
    await generateText({ model: scripted(undefined), ...common(toAiTools(host)), messages });
    const asked = before.length === 1 ? requests.map(({ toolCall }) => toolCall.toolName) : before;
    return { requests: asked, journal: journal() };
  },
  streamed: async ({ open }) => {
    const model = scripted([['mcp__desk__look-up', { word: 'cow' }]]);
    const result = streamText({ model, ...common(toAiTools(await open(allowed))), prompt: 'go' });
    return { text: await result.text, read: read(model) };
  },
  cancelled: async ({ open, journal }) => {
    const controller = new AbortController();
    void untilAsked(journal).then(() => controller.abort());
    const host = await open(allowed);
    let thrown;
    try {
      await ask(host, { turns: [[['mcp__desk__wait', {}]]], abortSignal: controller.signal });
    } catch (error) {
      thrown = error.name;
    }
    await host.close();
    return { thrown, journal: journal() };
  },
  'no approval, nobody asked': async ({ open, journal }) => {
    const host = await open();
    const { tools } = toAiTools(host);
    const { needsApproval: _, ...send } = tools.mcp__desk__send;
    const model = scripted([['mcp__desk__send', { to: 'Ann' }]]);
    const { text } = await generateText({
      model,
      tools: { mcp__desk__send: send },
      prompt: 'go',
      stopWhen: stepCountIs(5),
    });
    return { text, read: read(model), journal: journal() };
  },
  approved: async ({ open, journal }) => {
    const call = ['mcp__desk__send', { to: 'Ann' }];
    return { ...(await approve(await open(), { call, approved: true })), journal: journal() };
  },
  'approved in another process': async ({ open, journal }) => {
    const call = ['mcp__desk__send', { to: 'Ann' }];
    return { ...(await approve(await open(), { call, approved: true, again: await open() })), journal: journal() };
  },
  'approved through call-by-name': async ({ open, journal }) => {
    const call = ['CallMcpTool', { name: 'mcp__desk__send', arguments: { to: 'Ann' } }];
    return { ...(await approve(await open(), { call, approved: true })), journal: journal() };
  },
  rejected: async ({ open, journal }) => {
    const call = ['mcp__desk__send', { to: 'Ann' }];
    return { ...(await approve(await open(), { call, approved: false })), journal: journal() };
  },
  'approved against a rule that denies': async ({ open, journal }) => {
    const call = ['CallMcpTool', { name: 'mcp__desk__send', arguments: { to: 'Ann' } }];
    const again = await open({ permissions: { deny: ['mcp__desk__send'] } });
    const { read: got, text } = await approve(await open(), { call, approved: true, again });
    return { got, text, journal: journal() };
  },
  'approved for another tool': async ({ open, journal }) => {
    const { tools } = toAiTools(await open());
    const input = { to: 'Ann' };
    const yes = { type: 'tool-approval-response', approvalId: 'a', approved: true };
    const messagesFor = (toolName, { approvalId, ...response } = yes) => [
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'c', toolName, input },
          { type: 'tool-approval-request', approvalId, toolCallId: 'c' },
        ],
      },
      { role: 'tool', content: [{ ...response, approvalId }] },
    ];
    const send = (messages) => tools.mcp__desk__send.execute(input, { toolCallId: 'c', messages });
    const outcomes = [];
    for (const messages of [
      messagesFor('mcp__desk__picture'),
      messagesFor('mcp__desk__send', { ...yes, approvalId: undefined }),
      messagesFor('renamed'),
    ])
      outcomes.push((await send(messages)).outcome);
    return { outcomes, journal: journal() };
  },
  'asked again for the next call': async ({ open, journal }) => {
    const host = await open();
    const call = ['mcp__desk__send', { to: 'Ann' }];
    await approve(host, { call, approved: true });
    const { requests } = await approve(host, { call: ['mcp__desk__send', { to: 'Bob' }], approved: false });
    return { requests, journal: journal() };
  },
  'the ask port answers first': async ({ open, journal }) => {
    const asked = [];
    const host = await open({
      ports: { ask: async ({ tool }) => (asked.push(tool), { kind: 'allow', remember: 'once' }) },
    });
    const { model } = await ask(host, { turns: [[['mcp__desk__send', { to: 'Ann' }]]] });
    return { asked, read: read(model), journal: journal() };
  },
  news: async ({ open }) => {
    const host = await open(allowed);
    const { prepareStep, ...rest } = toAiTools(host);
    const look = ['mcp__desk__look-up', { word: 'dog' }];
    const model = scripted([look], [look], [look]);
    let step = 0;
    await generateText({
      model,
      ...common(rest),
      prompt: 'go',
      prepareStep: (given) => {
        if (step++ === 1) host.disable('desk');
        return prepareStep(given);
      },
    });
    const news = promptsOf(model).map((prompt) =>
      prompt.flatMap(({ role, content }, at) =>
        at > 1 && role === 'user' ? [[at, content[0].text.includes('desk')]] : [],
      ),
    );
    return news;
  },
});
