// A server of 2025-11-25 on stdio that offers resources, prompts and skills, some of them odd.
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';

const subscribed = new Set();
const asked = [];
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const updated = (uri) => write({ method: 'notifications/resources/updated', params: { uri } });
const fail = (code, message) => Object.assign(new Error(message), { code });

const SKILL = '---\nname: pdf\ndescription: Fills in forms\n---\n\nDo as \u202eit says.\n';
const FORM = 'a form';
const entry = (uri, text, more = {}) => ({
  uri,
  digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
  size: Buffer.byteLength(text),
  ...more,
});
const skill = (name, resources) => ({
  uri: `skill://${name}/SKILL.md`,
  frontmatter: { name, description: 'Fills in forms' },
  resources,
});
const skills = {
  pdf: skill('pdf', [entry('skill://pdf/SKILL.md', SKILL), entry('skill://pdf/FORM.md', FORM)]),
  large: skill('large', [entry('skill://large/SKILL.md', SKILL, { size: 17 * 1024 * 1024 })]),
  astray: skill('astray', [entry('skill://astray/SKILL.md', SKILL), entry('skill://astray/../pdf/FORM.md', FORM)]),
  empty: skill('empty', []),
  crowded: skill(
    'crowded',
    Array.from({ length: 513 }, (_, at) => entry(`skill://crowded/${at}`, '')),
  ),
};
const unlisted = skill('unlisted', 'dynamic');

const reads = {
  'odd://text': () => [{ uri: 'odd://text', mimeType: 'text/plain', text: 'plain \u202ehidden\u001b[31m\r\nend' }],
  'odd://several': () => [
    { uri: 'odd://several/1', text: 'one' },
    { uri: 'odd://several/2', mimeType: 'image/png', blob: 'AAAA' },
    null,
    { uri: 'odd://several/3' },
    { text: 'without an address' },
  ],
  'odd://nothing': () => [],
  'odd://no-list': () => 'nothing',
  'odd://large': () => [{ uri: 'odd://large', text: 'x'.repeat(20_000_000) }],
  'odd://subscriptions': () => [{ uri: 'odd://subscriptions', text: JSON.stringify([...subscribed]) }],
  'odd://asked': () => [{ uri: 'odd://asked', text: JSON.stringify(asked) }],
  'odd://touch': () => {
    for (let time = 0; time < 5; time++) updated('odd://watched');
    updated('odd://watched/part');
    updated('odd://never-asked-for');
    updated(17);
    return [{ uri: 'odd://touch', text: 'done' }];
  },
  'skill://pdf/SKILL.md': () => [{ uri: 'skill://pdf/SKILL.md', text: SKILL }],
  'skill://pdf/FORM.md': () => [{ uri: 'skill://pdf/FORM.md', blob: Buffer.from(FORM).toString('base64') }],
  'skill://plain/SKILL.md': () => [{ uri: 'skill://plain/SKILL.md', text: '---\nname: plain\n---\nHello' }],
  'skill://unlisted/SKILL.md': () => [
    { uri: 'skill://unlisted/SKILL.md', text: SKILL.replace('pdf', 'unlisted').replace('Fills', 'Fakes') },
  ],
};

const handlers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    serverInfo: { name: 'odd', version: '1' },
    capabilities: {
      resources: { subscribe: true },
      prompts: {},
      completions: {},
      extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
    },
  }),
  'resources/list': () => ({
    resources: [
      ...Object.keys(reads).map((uri) => ({ uri, name: uri.slice(6), description: 'd'.repeat(500), size: 3 })),
      ...Array.from({ length: 300 }, (_, at) => ({ uri: `odd://page/${at}`, name: `page ${at}` })),
    ],
  }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'odd://page/{number}', name: 'a page' }] }),
  'resources/read'({ uri }) {
    if (!reads[uri]) throw fail(-32002, 'Resource not found');
    return { contents: reads[uri]() };
  },
  'resources/subscribe': ({ uri }) => (subscribed.add(uri), {}),
  'resources/unsubscribe': ({ uri }) => (subscribed.delete(uri), {}),
  'prompts/list': () => ({
    prompts: [
      { name: 'clear', description: 'Not what you think' },
      { name: 'clear\n' },
      { name: 'say', arguments: [{ name: 'what', required: true }, { name: 'how' }] },
    ],
  }),
  'prompts/get'({ name, arguments: given = {} }) {
    if (name === 'say' && given.what === 'nothing') throw fail(-32602, 'Say something');
    return {
      description: 'A talk',
      messages: [
        { role: 'user', content: { type: 'text', text: `${name} \u202e${JSON.stringify(given)}` } },
        { role: 'assistant', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
        { role: 'system', content: { type: 'text', text: 'obey' } },
        { role: 'user', content: { type: 'text' } },
        { role: 'user' },
        null,
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        { role: 'user', content: { type: 'resource', resource: { uri: 'odd://text', text: 'x' } } },
      ],
    };
  },
  'completion/complete'({ argument, context }) {
    asked.push(argument.value);
    if (argument.value === 'bad') return { completion: { values: 'none' } };
    const values = [`${argument.value}\u001b[31m!`, 17, context?.arguments?.what ?? ''];
    return { completion: { values: [...values, ...Array.from({ length: 200 }, (_, at) => String(at))], total: 203 } };
  },
  'skills/list': ({ cursor }) =>
    cursor === undefined
      ? { skills: [skills.pdf, { uri: 'skill://nameless/SKILL.md' }, 'none'], nextCursor: '2' }
      : { skills: [skills.large, skills.astray, skills.empty, skills.crowded] },
  'skills/get'({ uri }) {
    if (uri !== unlisted.uri) throw fail(-32602, 'No such skill');
    return { skill: unlisted };
  },
  'resources/directory/read': ({ uri, cursor }) =>
    cursor === undefined
      ? { resources: [{ uri: `${uri}/a`, name: 'a' }, null], nextCursor: '2' }
      : { resources: [{ uri: `${uri}/b`, name: 'b' }] },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  try {
    if (!handlers[method]) throw fail(-32601, 'Method not found');
    write({ id, result: handlers[method](params) });
  } catch ({ code = -32603, message }) {
    write({ id, error: { code, message } });
  }
});
