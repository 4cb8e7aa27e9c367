import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/host/host.js';
import type { PermissionMode } from '../../src/model/permissions/settings.js';
import type { ContentBlock } from '../../src/model/content/content-block.js';
import { complete, offering, openOffering } from './offering-scene.js';
import { ASKING, ONCE, openWalk, person, SESSION } from './walk-scene.js';

// Prompts, skills and subscriptions pass the steps of tool calls: policy, rules, modes, hooks, ledger.

const NAME = 'mcp__docs__prompts';
const READS = 'mcp__docs__resources';
const LISTED = 'note://listed';
const OTHER = 'note://q/AKIA-secret';
const DENIED = { ok: false, error: { code: 'denied' } };

/** Gets a prompt as a program does (`isTyped: false`), or as if the user had typed its command. */
function get(host: Host, what = 'x', isTyped = false): ReturnType<Host['getPrompt']> {
  return host.getPrompt({ server: 'docs', prompt: 'say', arguments: { what }, ...(!isTyped && { isTyped }) });
}

describe('getting a prompt', () => {
  test.each<[PermissionMode, boolean]>([
    ['default', false],
    ['auto-read', false],
    ['plan', false],
    ['dont-ask', false],
    ['bypass', true],
  ])('that nobody typed, in mode %s with nobody to ask: %s', async (mode, isGot) => {
    await using scene = await openOffering({ permissions: { mode } });
    expect(await get(scene.host)).toMatchObject(isGot ? { ok: true } : DENIED);
    const command = await scene.host.runPrompt('/mcp__docs__say y', { isTyped: false });
    expect(command).toMatchObject(isGot ? { ok: true } : DENIED);
    expect(scene.journalLines()).toEqual(isGot ? ['get say {"what":"x"}', 'get say {"what":"y"}'] : []);
  });

  test('that nobody typed is asked about with its name and arguments, and a yes holds for the session', async () => {
    const { asked, ask } = person(SESSION);
    await using scene = await openOffering({ permissions: ASKING, ports: { ask } });
    expect(await get(scene.host)).toMatchObject({ ok: true });
    expect(await get(scene.host, 'y')).toMatchObject({ ok: true });
    const input = { server: 'docs', prompt: 'say', arguments: { what: 'x' } };
    expect(asked).toMatchObject([{ name: NAME, server: 'docs', title: 'Get a prompt', input, rule: NAME }]);
    expect(await scene.ledgerOf(scene.host)).toMatchObject([
      { tool: NAME, server: 'docs', prompt: 'say', decision: 'ask-allow', rule: 'person', outcome: 'ok', attempts: 1 },
      { tool: NAME, prompt: 'say', decision: 'allow', rule: 'session' },
    ]);
    expect(scene.ledgerText()).not.toContain('"what"');
  });

  test('that a person typed asks nobody in any mode, and leaves a line with its name', async () => {
    const { asked, ask } = person(ONCE);
    await using scene = await openOffering({ permissions: { mode: 'plan', ask: ['mcp__docs'] }, ports: { ask } });
    const messages = [
      { role: 'user', content: { type: 'text', text: 'say AKIA-1' } },
      { role: 'assistant', content: { type: 'text', text: 'yes' } },
    ];
    const answer = { ok: true, description: '', messages, saved: [], notes: [] };
    expect(await get(scene.host, 'AKIA-1', true)).toEqual(answer);
    expect(await scene.host.runPrompt('/mcp__docs__say AKIA-1')).toEqual(answer);
    expect(await scene.host.getPrompt({ name: '/mcp__docs__plain' })).toMatchObject({ ok: true });
    expect(asked).toEqual([]);
    expect(await scene.ledgerOf(scene.host)).toMatchObject([
      { tool: NAME, prompt: 'say', decision: 'allow', rule: 'typed' },
      { tool: NAME, prompt: 'say', rule: 'typed' },
      { tool: NAME, prompt: 'plain', rule: 'typed' },
    ]);
    expect(scene.ledgerText()).not.toContain('AKIA');
  });

  test.each([
    [{ allow: [NAME] }, true],
    [{ allow: ['mcp__docs'] }, true],
    [{ allow: ['mcp__docs__prom*'] }, true],
    [{ allow: [READS] }, false],
    [{ allow: ['ReadMcpResource'] }, false],
    [{ ask: [NAME], allow: ['mcp__docs'] }, false],
    [{ deny: [NAME], allow: ['mcp__docs'] }, false],
  ])('is decided by rules: %j, %s', async (rules, isGot) => {
    await using scene = await openOffering({ permissions: { mode: 'dont-ask', ...rules } });
    expect(await get(scene.host)).toMatchObject(isGot ? { ok: true } : DENIED);
    expect(scene.journalLines()).toHaveLength(isGot ? 1 : 0);
  });

  test.each([[NAME], ['mcp__docs__prom*'], ['mcp__docs'], ['mcp__*']])(
    'is denied by the rule %s, typed or not, and that is written down',
    async (rule) => {
      await using scene = await openOffering({ permissions: { mode: 'bypass', deny: [rule] } });
      for (const isTyped of [true, false]) expect(await get(scene.host, 'x', isTyped)).toMatchObject(DENIED);
      const line = { tool: NAME, server: 'docs', prompt: 'say', decision: 'deny', code: 'denied', attempts: 0 };
      expect(await scene.ledgerOf(scene.host)).toMatchObject([line, line]);
      expect(scene.journalLines()).toEqual([]);
    },
  );

  test('names a rule that would help where one would', async () => {
    await using scene = await openOffering({ permissions: { mode: 'dont-ask' } });
    const hint = expect.stringContaining(`permissions: { allow: ["${NAME}"] }`) as string;
    expect(await get(scene.host)).toMatchObject({ error: { code: 'denied', hint } });
  });

  test('says what is missing, or that there is none, before anybody is asked', async () => {
    const { asked, ask } = person(ONCE);
    await using scene = await openOffering({ permissions: ASKING, ports: { ask } });
    const request = { server: 'docs', isTyped: false };
    expect(await scene.host.getPrompt({ ...request, prompt: 'say' })).toMatchObject({ error: { code: 'bad-input' } });
    expect(await scene.host.getPrompt({ ...request, prompt: 'sya' })).toMatchObject({
      error: { code: 'unknown-resource', hint: 'Did you mean "say"?' },
    });
    expect(asked).toEqual([]);
  });

  test('of a server that rests starts it, unless a rule denies that', async () => {
    await using scene = openWalk();
    scene.configure({ docs: offering(scene, { start: 'lazy' }), shut: offering(scene, { start: 'lazy' }) });
    const deny = ['mcp__shut__prompts'];
    const { host } = await scene.open({ watch: false, permissions: { mode: 'bypass', deny } });
    expect(await host.runPrompt('/mcp__shut__plain')).toMatchObject(DENIED);
    expect(await host.getPrompt({ server: 'shut', prompt: 'plain' })).toMatchObject(DENIED);
    expect(host.server('shut')?.status).toBe('idle');
    expect(await host.runPrompt('/mcp__docs__plain')).toMatchObject({ ok: true });
  });

  test('of a server that is disabled is refused, and that is written down', async () => {
    await using scene = await openOffering();
    scene.host.disable('docs');
    expect(await get(scene.host, 'x', true)).toMatchObject({ ok: false, error: { code: 'disabled' } });
    expect(await complete(scene.host)).toMatchObject({ ok: false, error: { code: 'disabled' } });
    const line = { tool: NAME, prompt: 'say', decision: 'deny', rule: 'disabled' };
    expect(await scene.ledgerOf(scene.host)).toMatchObject([line, { ...line, completes: 'what' }]);
  });

  test('in a sub-agent is for whoever was given it', async () => {
    await using scene = await openOffering({ permissions: { mode: 'bypass' } });
    await using without = scene.host.fork({ tools: ['mcp__docs__one', READS] });
    await using given = scene.host.fork({ tools: [NAME] });
    expect(await get(without)).toMatchObject(DENIED);
    expect(await complete(without)).toMatchObject(DENIED);
    expect(await get(given)).toMatchObject({ ok: true });
    expect(await complete(given)).toMatchObject({ ok: true });
    expect(await given.readSkill({ server: 'docs', skill: 'known' })).toMatchObject(DENIED);
    expect(scene.journalLines()).toEqual(['get say {"what":"x"}', 'complete say a']);
  });

  test('means no tool that calls itself "prompts"', async () => {
    await using scene = openWalk();
    scene.configure({ docs: offering(scene, {}, ['prompts']) });
    const host = await scene.settle({ permissions: { mode: 'dont-ask', allow: [NAME] } });
    const [tool] = host.tools();
    expect(tool!.name).toMatch(/^mcp__docs__prompts_\w+$/u);
    expect(await host.call({ name: tool!.name })).toMatchObject({ error: { code: 'denied' } });
    expect(await get(host)).toMatchObject({ ok: true });
  });

  test('is nothing that a model can call', async () => {
    await using scene = await openOffering({ permissions: { mode: 'bypass' } });
    const input = { server: 'docs', prompt: 'say', arguments: { what: 'x' } };
    expect(await scene.host.call({ name: NAME, input })).toMatchObject({ error: { code: 'unknown-tool' } });
  });
});

function text(words: string): ContentBlock {
  return { type: 'text', text: words };
}

describe('hooks', () => {
  test.each([NAME, 'mcp__docs', 'mcp__.*__prompts'])('for %s block a prompt, a typed one too', async (matcher) => {
    const preToolUse = [{ matcher, run: () => ({ decision: 'deny' as const, reason: 'not now' }) }];
    await using scene = await openOffering({ permissions: { mode: 'bypass' }, hooks: { preToolUse } });
    for (const isTyped of [true, false]) expect(await get(scene.host, 'x', isTyped)).toMatchObject(DENIED);
    expect(scene.journalLines()).toEqual([]);
    expect(await scene.ledgerOf(scene.host)).toMatchObject([{ rule: 'hook' }, { rule: 'hook' }]);
  });

  test('see its name and arguments, and may give it others', async () => {
    const seen: unknown[] = [];
    const run = ({ name, input }: { name: string; input: object }): object => {
      seen.push(name, input);
      return { input: { ...input, prompt: 'plain', arguments: {} } };
    };
    await using scene = await openOffering({ hooks: { preToolUse: [{ matcher: NAME, run }] } });
    expect(await get(scene.host, 'x', true)).toMatchObject({ messages: [{ content: { text: 'plain' } }, {}] });
    expect(seen).toEqual([NAME, { server: 'docs', prompt: 'say', arguments: { what: 'x' } }]);
    expect(await scene.ledgerOf(scene.host)).toMatchObject([{ prompt: 'plain' }]);
  });

  test.each([{ server: 'other' }, { prompt: 7 }, { arguments: 'x' }])(
    'that make %j of it make nothing of it',
    async (more) => {
      const preToolUse = [{ run: ({ input }: { input: object }) => ({ input: { ...input, ...more } }) }];
      await using scene = await openOffering({ hooks: { preToolUse } });
      expect(await get(scene.host, 'x', true)).toMatchObject({ ok: false });
      expect(scene.journalLines()).toEqual([]);
    },
  );

  test('change what a prompt says, or add to it', async () => {
    const change = { run: () => ({ output: { content: [text('censored')] } }) };
    const add = { run: () => ({ context: 'be careful' }) };
    await using scene = await openOffering({ hooks: { postToolUse: [{ matcher: NAME, ...change }] } });
    expect(await get(scene.host, 'x', true)).toMatchObject({
      messages: [{ role: 'user', content: { text: 'censored' } }],
    });
    await using other = await openOffering({ hooks: { postToolUse: [{ matcher: NAME, ...add }] } });
    expect(await get(other.host, 'x', true)).toMatchObject({
      messages: [
        { role: 'user', content: text('say x') },
        { role: 'assistant', content: text('yes') },
        { role: 'user', content: text('[PostToolUse hook] be careful') },
      ],
    });
  });

  test('withhold a prompt, and end a watch', async () => {
    const postToolUse = [{ run: () => ({ block: 'not for you' }) }];
    await using scene = await openOffering({ hooks: { postToolUse } });
    expect(await get(scene.host, 'x', true)).toMatchObject(DENIED);
    expect(await scene.host.watchResource({ server: 'docs', uri: LISTED }, () => {})).toMatchObject(DENIED);
    expect(scene.journalLines()).toEqual(['get say {"what":"x"}', `watch ${LISTED}`, `leave ${LISTED}`]);
  });
});

function watch(host: Host, uri: string, isTyped = false): ReturnType<Host['watchResource']> {
  return host.watchResource({ server: 'docs', uri, isTyped }, () => {});
}

function skill(host: Host, wanted: string, isTyped = false): ReturnType<Host['readSkill']> {
  return host.readSkill({ server: 'docs', skill: wanted, isTyped });
}

describe('skills and watches are readings', () => {
  const KNOWN = 'skill://known/SKILL.md';
  const MADE_UP = 'skill://AKIA-secret/SKILL.md';

  test.each<PermissionMode>(['default', 'plan', 'dont-ask', 'auto-read'])(
    'in mode %s of what the server lists, and of nothing else that nobody typed',
    async (mode) => {
      await using scene = await openOffering({ permissions: { mode } });
      expect(await watch(scene.host, LISTED)).toMatchObject({ ok: true });
      expect(await watch(scene.host, OTHER)).toMatchObject(DENIED);
      expect(await skill(scene.host, 'known')).toMatchObject({ ok: true, uri: KNOWN, instructions: 'Do known' });
      expect(await skill(scene.host, MADE_UP)).toMatchObject(DENIED);
      const file = { server: 'docs', skill: 'known', file: 'skill://known/AKIA-secret.md' };
      expect(await scene.host.readSkillFile({ ...file, isTyped: false })).toMatchObject(DENIED);
      const sly = { server: 'docs', skill: MADE_UP, file: LISTED };
      expect(await scene.host.readSkillFile({ ...sly, isTyped: false })).toMatchObject(DENIED);
      expect(scene.journalLines()).toEqual([`watch ${LISTED}`, `promise ${KNOWN}`, `read ${KNOWN}`]);
      expect(await scene.ledgerOf(scene.host)).toMatchObject([
        { tool: READS, uri: LISTED, decision: 'allow', rule: 'built-in' },
        { tool: READS, uri: OTHER, decision: 'deny' },
        { tool: READS, uri: KNOWN, decision: 'allow', rule: 'built-in' },
        { tool: READS, uri: MADE_UP, decision: 'deny' },
        { tool: READS, uri: file.file, decision: 'deny' },
        { tool: READS, uri: LISTED, decision: 'deny' },
      ]);
    },
  );

  test('that a person typed are their own approval', async () => {
    await using scene = await openOffering({ permissions: { mode: 'dont-ask', ask: ['mcp__docs'] } });
    const { host } = scene;
    const watched = await watch(host, OTHER, true);
    expect(await skill(host, MADE_UP, true)).toMatchObject({ ok: true, instructions: 'Do AKIA-secret' });
    const file = 'skill://known/FORM.md';
    expect(await host.readSkillFile({ server: 'docs', skill: 'known', file })).toMatchObject({
      ok: true,
      content: { uri: file },
    });
    if (watched.ok) await watched.watch[Symbol.asyncDispose]();
    expect(scene.journalLines()).toEqual([
      `watch ${OTHER}`,
      `promise ${MADE_UP}`,
      `read ${MADE_UP}`,
      `promise ${KNOWN}`,
      `read ${file}`,
      `leave ${OTHER}`,
    ]);
    expect((await scene.ledgerOf(host)).map(({ uri, rule }) => `${rule} ${uri}`)).toEqual([
      `typed ${OTHER}`,
      `typed ${MADE_UP}`,
      `typed ${file}`,
    ]);
  });

  test('are denied with them', async () => {
    await using scene = await openOffering({ permissions: { mode: 'bypass', deny: [READS] } });
    const { host } = scene;
    expect(await watch(host, LISTED, true)).toMatchObject(DENIED);
    expect(await skill(host, 'known', true)).toMatchObject(DENIED);
    expect(await host.skills()).toMatchObject({ skills: [], notes: [expect.stringContaining(READS) as string] });
    expect(scene.journalLines()).toEqual([]);
  });

  test('are seen by hooks, which may change what a skill says', async () => {
    const postToolUse = [
      { matcher: READS, run: () => ({ output: { content: [{ type: 'text', text: 'censored' }] } }) },
    ];
    await using scene = await openOffering({ hooks: { postToolUse } });
    expect(await skill(scene.host, 'known')).toMatchObject({ ok: true, instructions: 'censored' });
    const file = { server: 'docs', skill: 'known', file: 'skill://known/FORM.md' };
    expect(await scene.host.readSkillFile(file)).toMatchObject({ content: { uri: file.file, text: 'censored' } });
  });
});
