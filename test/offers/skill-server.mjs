// A server of 2025-11-25 on stdio with the skills of a JSON file, which is read anew for every request. Its tool
// `announce` says that they have changed. JOURNAL: a file that every request but those for lists is written to.
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { SKILLS, JOURNAL, LISTS = 'extension' } = process.env;
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const fail = (code, message) => Object.assign(new Error(message), { code });
const isExtension = LISTS === 'extension';

/** `says`: what its SKILL.md has in place of what is listed. */
const skills = () =>
  JSON.parse(readFileSync(SKILLS, 'utf8')).map(
    ({ name, folder = name, description = '', body = '', says = {}, files = {}, wrong, ...more }) => {
      const uri = `skill://${folder}/SKILL.md`;
      const frontmatter = { name, description };
      const head = Object.entries({ ...frontmatter, ...says }).map(
        ([field, value]) => `${field}: ${JSON.stringify(value)}`,
      );
      const texts = { [uri]: `---\n${head.join('\n')}\n---\n${body}` };
      for (const [file, text] of Object.entries(files)) texts[`skill://${folder}/${file}`] = text;
      const resources = Object.entries(texts).map(([address, text]) => ({
        uri: address,
        digest: `sha256:${createHash('sha256')
          .update(text + (wrong === 'digest' ? '!' : ''))
          .digest('hex')}`,
        size: Buffer.byteLength(text) + (wrong === 'size' ? 1 : 0),
      }));
      return { texts, name, description, entry: { uri, frontmatter, resources, ...more } };
    },
  );

const find = (wanted) => skills().find(({ entry }) => entry.uri === wanted);
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    serverInfo: { name: 'skilled', version: '1' },
    instructions: 'Ask for forms.',
    capabilities: {
      tools: {},
      resources: { listChanged: true },
      ...(isExtension && { extensions: { 'io.modelcontextprotocol/skills': {} } }),
    },
  }),
  'tools/list': () => ({
    tools: [{ name: 'announce', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
  }),
  'tools/call': () => {
    write({ method: 'notifications/resources/list_changed' });
    return { content: [] };
  },
  'resources/list': () => ({
    resources: isExtension ? [] : skills().map(({ entry: { uri }, name, description }) => ({ uri, name, description })),
  }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'skills/list': () => ({ skills: skills().map(({ entry }) => entry) }),
  'skills/get': ({ uri }) => {
    const found = find(uri);
    if (!found) throw fail(-32602, 'No such skill');
    return { skill: found.entry };
  },
  'resources/read': ({ uri }) => {
    const text = skills().flatMap(({ texts }) => texts[uri] ?? [])[0];
    if (text === undefined) throw fail(-32002, 'Resource not found');
    return { contents: [{ uri, text }] };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  if (JOURNAL && !method.endsWith('/list')) appendFileSync(JOURNAL, `${method} ${params.uri ?? ''}\n`);
  try {
    if (!answers[method] || (method.startsWith('skills/') && !isExtension)) throw fail(-32601, 'Method not found');
    write({ id, result: answers[method](params) });
  } catch ({ code = -32603, message }) {
    write({ id, error: { code, message } });
  }
});
