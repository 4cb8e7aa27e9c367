// A server on stdio with prompts, completions, skills and resources with subscriptions. Writes every request but those
// for lists to a journal, with its parameters.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { JOURNAL, TOOLS = '[]' } = process.env;
const note = (line) => appendFileSync(JOURNAL, `${line}\n`);
const noted = (line, answer = {}) => {
  note(line);
  return answer;
};
const skill = (name) => ({
  uri: `skill://${name}/SKILL.md`,
  frontmatter: { name, description: 'A skill' },
  resources: 'dynamic',
});
const answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: {
      tools: {},
      prompts: {},
      completions: {},
      resources: { subscribe: true },
      extensions: { 'io.modelcontextprotocol/skills': {} },
    },
    serverInfo: { name: 'offering', version: '1' },
  }),
  'tools/list': () => ({ tools: JSON.parse(TOOLS).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'prompts/list': () => ({
    prompts: [{ name: 'say', arguments: [{ name: 'what', required: true }] }, { name: 'plain' }],
  }),
  'resources/list': () => ({ resources: [{ uri: 'note://listed', name: 'listed' }] }),
  'skills/list': () => ({ skills: [skill('known')] }),
  'prompts/get': ({ name, arguments: given = {} }) => {
    note(`get ${name} ${JSON.stringify(given)}`);
    return {
      messages: [
        { role: 'user', content: { type: 'text', text: `${name} ${given.what ?? ''}`.trim() } },
        { role: 'assistant', content: { type: 'text', text: 'yes' } },
      ],
    };
  },
  'completion/complete': ({ ref, argument: { value } }) => {
    note(`complete ${ref.name ?? ref.uri} ${value}`);
    return { completion: { values: [`${value}!`] } };
  },
  'resources/subscribe': ({ uri }) => noted(`watch ${uri}`),
  'resources/unsubscribe': ({ uri }) => noted(`leave ${uri}`),
  'skills/get': ({ uri }) => noted(`promise ${uri}`, { skill: skill(uri.split('/')[2]) }),
  'resources/read': ({ uri }) => {
    note(`read ${uri}`);
    const [, , name] = uri.split('/');
    return { contents: [{ uri, text: `---\nname: ${name}\ndescription: A skill\n---\nDo ${name}` }] };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const body = answer ? { result: answer(params) } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
});
