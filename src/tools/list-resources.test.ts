import { expect, test } from 'vitest';
import type { ServerResourceDefinition } from '../connection/catalog/resource-definition.js';
import { listResourcesTool } from './list-resources.js';

type Listed = ServerResourceDefinition & { readonly server: string };

async function list(resources: readonly Listed[], server?: string): Promise<Record<string, unknown>> {
  const tool = listResourcesTool({ list: async () => ({ ok: true, resources, templates: [], notes: [] }) });
  const { content } = await tool.call(server === undefined ? {} : { server }, { callId: '1' });
  return JSON.parse(String(content[0]!['text'])) as Record<string, unknown>;
}

function resource(at: number, description: string): Listed {
  const unstated = { title: undefined, mimeType: undefined, size: undefined };
  return { server: 'a', uri: `x:${at}`, name: String(at), description, ...unstated };
}

test('a description is whole up to 300 characters, and a longer one ends in a mark', async () => {
  const lengths = [300, 301, 5_000];
  const listed = await list(lengths.map((length, at) => resource(at, 'd'.repeat(length))));
  expect(listed['resources']).toMatchObject([
    { description: 'd'.repeat(300) },
    { description: `${'d'.repeat(300)}…` },
    { description: `${'d'.repeat(300)}…` },
  ]);
  expect(listed).not.toHaveProperty('notes');
});

test('where not all are shown the model is told so, and how to see more', async () => {
  const many = Array.from({ length: 400 }, (_, at) => resource(at, 'd'.repeat(300)));
  const listed = await list(many);
  expect((listed['resources'] as unknown[]).length).toBeLessThan(400);
  expect(listed['notes']).toEqual(['Not all are shown; name one server to see more of it']);
  const one = await list(many, 'a');
  expect(one['notes']).toEqual([
    'Not all are shown; others can be read, but for those that are not listed somebody is asked',
  ]);
});
