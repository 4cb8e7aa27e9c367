import { expect, test } from 'vitest';
import { PermissionGuard } from '../../guard/permission-guard.js';
import type { PermissionAnswer, PermissionQuestion } from '../../guard/permission-question.js';
import { assignNames } from '../../model/view/names.js';
import { settingsOf } from '../../model/permissions/subject-fixtures.js';
import type { SamplingRequest } from '../../model/sampling.js';
import { samplingPermit, samplingSubject } from './sampling-permission.js';

const request: SamplingRequest = {
  server: 'db',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  maxTokens: 10,
};

interface Given {
  readonly settings?: Parameters<typeof settingsOf>[0];
  readonly answer?: PermissionAnswer;
  readonly trust?: boolean;
}

function permitting({ settings = {}, answer, trust = false }: Given): {
  readonly questions: PermissionQuestion[];
  readonly ask: (hash?: string) => Promise<'allow' | 'deny'>;
} {
  const questions: PermissionQuestion[] = [];
  const written = settingsOf(settings);
  const guard = new PermissionGuard({
    settings: () => written,
    ...(answer && {
      ask: (question) => {
        questions.push(question);
        return Promise.resolve(answer);
      },
    }),
  });
  const entry = { author: 'user', origin: 'f', config: { trust } } as const;
  let serverHash = 'h';
  const permit = samplingPermit({
    guard,
    subject: () => samplingSubject({ server: 'db', entry, servers: ['db'] }),
    serverHash: () => serverHash,
  });
  return {
    questions,
    ask: (hash = 'h') => {
      serverHash = hash;
      return permit(request, new AbortController().signal);
    },
  };
}

const yes: PermissionAnswer = { kind: 'allow', remember: 'session' };

test('the user is asked once for each server and session, and sees what the model will', async () => {
  const { ask, questions } = permitting({ answer: yes });
  expect(await ask()).toBe('allow');
  expect(await ask()).toBe('allow');
  expect(questions).toHaveLength(1);
  expect(questions[0]).toMatchObject({ name: 'mcp__db__sampling', server: 'db', rule: 'mcp__db__sampling' });
  expect(questions[0]?.shown).toContain('"Hi"');
  // The same name with another config is another server.
  expect(await ask('other')).toBe('allow');
  expect(questions).toHaveLength(2);
});

test.each([
  ['nobody is there to ask', {}, 'deny'],
  ['the user says no', { answer: { kind: 'deny' } }, 'deny'],
  ['a rule allows it', { settings: { allow: ['mcp__db__sampling'] } }, 'allow'],
  ['a rule allows the server', { settings: { allow: ['mcp__db'] } }, 'deny'],
  ['a rule allows all tools of the server', { settings: { allow: ['mcp__db__*'] } }, 'deny'],
  ['a rule allows every server', { settings: { allow: ['mcp__*'] } }, 'deny'],
  ['a rule names it with a star', { settings: { allow: ['mcp__*__sampling', 'mcp__db__samp*'] } }, 'deny'],
  ['a rule allows the server, and the user says yes', { settings: { allow: ['mcp__db'] }, answer: yes }, 'allow'],
  [
    'a rule allows the server, and the mode asks nobody',
    { settings: { allow: ['mcp__db'], mode: 'dont-ask' } },
    'deny',
  ],
  ['a rule allows it where nobody is asked', { settings: { allow: ['mcp__db__sampling'], mode: 'dont-ask' } }, 'allow'],
  ['a rule denies it', { settings: { allow: ['mcp__db'], deny: ['mcp__db__sampling'] }, answer: yes }, 'deny'],
  ['a rule denies the server', { settings: { deny: ['mcp__db'] }, answer: yes }, 'deny'],
  ['the mode is plan', { settings: { mode: 'plan' }, answer: yes }, 'deny'],
  ['the mode is dont-ask', { settings: { mode: 'dont-ask' }, answer: yes }, 'deny'],
  ['the mode is auto-read', { settings: { mode: 'auto-read' } }, 'deny'],
  ['the mode is bypass', { settings: { mode: 'bypass' } }, 'allow'],
  ['only its tools are trusted', { trust: true }, 'deny'],
] as const)('where %s', async (_, given, decision) => {
  expect(await permitting(given).ask()).toBe(decision);
});

test('no tool has its name once that is reserved, and servers that look alike have different ones', () => {
  const servers = ['db', 'a b', 'a_b', 'My Drive'];
  const names = servers.map(
    (server) => samplingSubject({ server, servers, entry: undefined, isConnector: server === 'My Drive' }).name,
  );
  expect(names).toEqual(['mcp__db__sampling', 'mcp__a b__sampling', 'mcp__a_b__sampling', 'mcp__My_Drive__sampling']);
  const tools = servers.map((server) => ({ server, tool: 'sampling' }));
  const table = assignNames([...tools, { server: 'a', tool: 'b__sampling' }], { reserved: names });
  expect([...table.entries()].filter(([name]) => names.includes(name))).toEqual([]);
});
