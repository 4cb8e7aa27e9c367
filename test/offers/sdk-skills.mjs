// A server on the official SDK, of both eras, with a skill by the extension and one that is only a resource.
import { createHash } from 'node:crypto';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const uri = 'skill://brew/SKILL.md';
const text = '---\nname: brew\ndescription: Makes tea\n---\nWarm the pot.';
const plain = 'skill://pour/SKILL.md';
const entry = {
  uri,
  frontmatter: { name: 'brew', description: 'Makes tea' },
  resources: [{ uri, digest: `sha256:${createHash('sha256').update(text).digest('hex')}`, size: text.length }],
};
const fresh = { ttlMs: 60_000, cacheScope: 'private' };

function build() {
  const capabilities = { resources: { listChanged: true }, extensions: { 'io.modelcontextprotocol/skills': {} } };
  const server = new Server({ name: 'tea', version: '1.0' }, { capabilities });
  server.setRequestHandler('resources/list', () => ({
    resources: [{ uri: plain, name: 'pour', description: 'Pours tea' }],
    ...fresh,
  }));
  server.setRequestHandler('resources/read', ({ params }) => ({
    contents: [{ uri: params.uri, text: params.uri === uri ? text : '---\nname: pour\n---\nSlowly.' }],
    ...fresh,
  }));
  server.setRequestHandler('skills/list', { params: z.looseObject({}) }, () => ({ skills: [entry], ...fresh }));
  server.setRequestHandler('skills/get', { params: z.looseObject({ uri: z.string() }) }, (params) => {
    if (params.uri !== uri) throw Object.assign(new Error('No such skill'), { code: -32602 });
    return { skill: entry, ...fresh };
  });
  return server;
}

serveStdio(build);
