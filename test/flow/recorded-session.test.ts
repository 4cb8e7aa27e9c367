import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import type { PermissionQuestion, Remember } from '../../src/guard/permission-question.js';
import { type FakeServer, fakeServer } from '../../src/testing/fake-server.js';
import { openScene } from '../host/scene.js';

/** A line of the recording: a server's tools, what the user wrote, or a call with its result. */
type Line =
  | { readonly server: string; readonly tools: readonly { readonly name: string; readonly annotations?: JsonObject }[] }
  | { readonly user: string }
  | {
      readonly server: string;
      readonly tool: string;
      readonly input: JsonObject;
      readonly content: readonly JsonObject[];
      readonly isError?: boolean;
    };

const lines = readFileSync(join(import.meta.dirname, 'recorded-session.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);
const calls = lines.filter((line) => 'input' in line);

/** Has a host make the calls of the recording, whose servers answer as they did. Returns what the guard asked. */
async function replay(remember: Remember): Promise<readonly PermissionQuestion[]> {
  const scene = openScene();
  onTestFinished(() => scene[Symbol.asyncDispose]());
  const servers = new Map(
    lines.filter((line) => 'tools' in line).map((line) => [line.server, toServer(line)] as const),
  );
  const questions: PermissionQuestion[] = [];
  const { host } = await scene.open({
    embedded: servers,
    mcpServers: Object.fromEntries([...servers.keys()].map((name) => [name, { type: 'in-process', name }])),
    permissions: { mode: 'bypass' },
    ports: {
      ask: (question) => {
        if (question.flow) questions.push(question);
        return Promise.resolve({ kind: 'allow', remember: question.flow ? remember : 'session' });
      },
    },
    watch: false,
  });
  await host.settled();
  const followed = host.followConversation('hour');
  for (const line of lines) {
    if ('user' in line) followed.typed(line.user);
    if (!('input' in line)) continue;
    const { server, tool, input, isError = false } = line;
    host.forModel('anthropic', { conversation: 'hour' });
    const result = await host.call({ name: `mcp__${server}__${tool}`, input, conversation: 'hour' });
    expect([line, result.outcome]).toEqual([line, isError ? 'error' : 'ok']);
  }
  return questions;
}

/** Answers each call with the next recorded result. */
function toServer({ server, tools }: Extract<Line, { readonly tools: unknown }>): FakeServer {
  const results = calls.filter((line) => line.server === server).values();
  const run = (): JsonObject => {
    const { content, isError = false } = results.next().value!;
    return { content, isError };
  };
  return fakeServer(Object.fromEntries(tools.map(({ name, annotations = {} }) => [name, { annotations, run }])));
}

test.each(['session', 'once'] as const)(
  'an hour of ordinary work, 200 calls of five servers, asks the user at most twice: %s',
  async (remember) => {
    expect(calls.length).toBe(200);
    const asked = await replay(remember);
    expect(asked.length).toBeLessThanOrEqual(2);
    // What it asks about is a copy: the user had the settings of a page written into a file.
    expect(asked.map(({ flow }) => flow!.rules)).toEqual([['fetch -> files']]);
  },
);
