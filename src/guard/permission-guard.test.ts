import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type PermissionMode,
  type PermissionSettings,
  toPermissions,
  type WrittenRule,
} from '../model/permissions/settings.js';
import type { PermissionSubject } from '../model/permissions/subject.js';
import type { ToolInput } from '../model/tool.js';
import { definitionHash } from './definition-hash.js';
import { AllowedDefinitions } from './allowed-definitions.js';
import { PermissionGuard, type PermissionGuardOptions } from './permission-guard.js';
import type { PermissionAnswer, PermissionQuestion } from './permission-question.js';
import type { PermissionOutcome } from './permission-outcome.js';

const settingsOf = (
  lists: Partial<Record<'allow' | 'ask' | 'deny', readonly string[]>> = {},
  mode: PermissionMode = 'default',
): PermissionSettings =>
  toPermissions({
    rules: (['allow', 'ask', 'deny'] as const).flatMap((list) =>
      (lists[list] ?? []).map((text): WrittenRule => ({ text, list, source: 'user', file: '/f.json', line: 3 })),
    ),
    modes: [{ mode, source: 'user', file: '/f.json' }],
    doubts: [],
  });

const subject: PermissionSubject = {
  name: 'mcp__s__t',
  server: 's',
  tool: 't',
  author: 'user',
  isTrusted: false,
  isTyped: false,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  marks: { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: false },
};
const destroying = { ...subject, marks: { ...subject.marks, saysDestructive: true } };
const confirming = { ...subject, marks: { ...subject.marks, needsUser: true } };

const definition = (description: string): string =>
  definitionHash({
    name: 't',
    title: undefined,
    description,
    inputSchema: { type: 'object' },
    outputSchema: undefined,
    hints: subject.hints,
    marks: subject.marks,
    meta: { searchHint: undefined, maxResultChars: undefined },
  });

interface Given {
  readonly subject?: PermissionSubject;
  readonly input?: ToolInput;
  readonly signal?: AbortSignal;
  readonly serverHash?: string;
  readonly ask?: Ask;
}

interface Scene {
  readonly guard: PermissionGuard;
  readonly questions: PermissionQuestion[];
  /** What a test changes while the guard exists. */
  readonly now: { says: string; settings: PermissionSettings };
  call(given?: Given): PermissionOutcome | Promise<PermissionOutcome>;
}

type Ask = NonNullable<PermissionGuardOptions['ask']>;

function openScene(
  reply: PermissionAnswer | Ask | undefined,
  {
    settings = settingsOf(),
    ...options
  }: Pick<PermissionGuardOptions, 'grants' | 'remember'> & { settings?: PermissionSettings } = {},
): Scene {
  const questions: PermissionQuestion[] = [];
  const now = { says: 'Reads', settings };
  const ask: Ask = async (question, signal) => {
    questions.push(question);
    return typeof reply === 'function' ? reply(question, signal) : reply!;
  };
  const listedHash = async (): Promise<string> => definition(now.says);
  const guard = new PermissionGuard({ settings: () => now.settings, ask: reply && ask, ...options });
  return {
    guard,
    questions,
    now,
    call: ({ subject: who = subject, input = {}, signal, serverHash = 'hash-of-s', ask: own } = {}) =>
      guard.check(who, { input, callId: 'c', signal, serverHash, ask: own, definitionHash: listedHash }),
  };
}

const once: PermissionAnswer = { kind: 'allow', remember: 'once' };
const session: PermissionAnswer = { kind: 'allow', remember: 'session' };
const always: PermissionAnswer = { kind: 'allow', remember: 'always' };

/** `expected`: for instance `allowed rule`, or `denied mode: denied`. */
async function check(scene: Scene, expected: string, given?: Given): Promise<void> {
  const verdict = await scene.call(given);
  const { by } = verdict.decision;
  expect(verdict.kind === 'allowed' ? `allowed ${by.kind}` : `denied ${by.kind}: ${verdict.error.code}`).toBe(expected);
}

describe('what is written decides without anybody being asked', () => {
  test('an allowed call is let through at once, from the second time on without another look', async () => {
    const scene = openScene(undefined, { settings: settingsOf({ allow: ['mcp__s'] }) });
    await check(scene, 'allowed rule');
    const again = scene.call();
    expect('then' in again).toBe(false);
    expect(scene.call()).toBe(again);
    expect(scene.call({ subject: { ...subject } })).toBe(again);
  });

  test('a denied one says which rule in which file, and how to look further', async () => {
    const scene = openScene(once, { settings: settingsOf({ deny: ['mcp__s'] }) });
    const verdict = await scene.call();
    expect(verdict).toMatchObject({
      kind: 'denied',
      decision: { behavior: 'deny', by: { kind: 'rule', rule: 'mcp__s', list: 'deny', file: '/f.json', line: 3 } },
      error: { code: 'denied', hint: expect.stringContaining('plugboard permissions mcp__s__t') },
    });
    expect(verdict.kind === 'denied' && verdict.error.message).toContain('rule "mcp__s" in deny of /f.json:3');
    expect(scene.questions).toEqual([]);
  });

  test('other settings count from the next call on', async () => {
    const scene = openScene(undefined, { settings: settingsOf({ allow: ['mcp__s'] }) });
    await check(scene, 'allowed rule');
    scene.now.settings = settingsOf({ deny: ['mcp__s'] });
    await check(scene, 'denied rule: denied');
  });

  test('a tool that changes what it says of itself is decided about anew', async () => {
    const scene = openScene(undefined, { settings: settingsOf({ allow: ['mcp__s__*'] }) });
    await check(scene, 'allowed rule');
    await check(scene, 'denied hint: denied', { subject: destroying });
    await check(scene, 'denied needs-user: denied', { subject: confirming });
    await check(scene, 'allowed typed', { subject: { ...confirming, isTyped: true } });
    await check(scene, 'denied hook: denied', { subject: { ...subject, isAskedByHook: true } });
  });

  test('where nobody can be asked it is denied, and the rule to add is named', async () => {
    const verdict = await openScene(undefined).call();
    expect(verdict).toMatchObject({
      kind: 'denied',
      error: { code: 'denied', hint: expect.stringContaining('--allow mcp__s__t') },
    });
    expect(verdict.kind === 'denied' && verdict.error.message).toContain('nobody can be asked');
  });
});

describe('who is asked', () => {
  test('sees exactly what would be sent, and what a lasting answer would write', async () => {
    const scene = openScene(once);
    const input = { path: 'a\u200b/b', count: 3 };
    await check(scene, 'allowed person', { input });
    expect(scene.questions).toMatchObject([
      {
        kind: 'permit',
        name: 'mcp__s__t',
        server: 's',
        tool: 't',
        rule: 'mcp__s__t',
        offers: ['once', 'session', 'always'],
      },
    ]);
    expect(scene.questions[0]!.input).toBe(input);
    expect(scene.questions[0]!.shown).toContain('a\\u{200b}/b');
  });

  test('is asked again after an answer for one time, and not after one for the session', async () => {
    const often = openScene(once);
    await check(often, 'allowed person');
    await check(often, 'allowed person');
    expect(often.questions).toHaveLength(2);
    const rarely = openScene(session);
    await check(rarely, 'allowed person');
    await check(rarely, 'allowed session');
    await check(rarely, 'allowed session');
    expect('then' in rarely.call()).toBe(false);
    expect(rarely.questions).toHaveLength(1);
  });

  test.each([session, always])('answers for one call alone where the call brings the question: %j', async (answer) => {
    const written: string[] = [];
    const scene = openScene(undefined, { remember: async (rule) => written.push(rule) });
    const offers: unknown[] = [];
    const ask: Ask = async (question) => {
      offers.push(question.offers);
      return answer;
    };
    await check(scene, 'allowed person', { ask });
    await check(scene, 'allowed person', { ask });
    await check(scene, 'denied mode: denied');
    expect([offers, written]).toEqual([[['once'], ['once']], []]);
  });

  test('is asked again when another server stands behind the name', async () => {
    const scene = openScene(session);
    await check(scene, 'allowed person', { serverHash: 'one' });
    await check(scene, 'allowed person', { serverHash: 'two' });
  });

  test('may say no, and why', async () => {
    const verdict = await openScene({ kind: 'deny', reason: 'not on Fridays\u001b[2J' }).call();
    expect(verdict).toMatchObject({ kind: 'denied', decision: { by: { kind: 'person' } }, error: { code: 'denied' } });
    expect(verdict.kind === 'denied' && verdict.error.message).toBe(
      'The user denied the call of mcp__s__t: not on Fridays',
    );
  });

  test.each<[unknown]>([[undefined], [null], ['yes'], [true], [{}], [{ kind: 'yes' }], [{ remember: 'always' }]])(
    'has said nothing with %j',
    async (answer) => {
      await check(openScene((async () => answer) as unknown as Ask), 'denied person: denied');
    },
  );

  test('and cannot be reached, is no reason to let it pass', async () => {
    const scene = openScene(async () => {
      throw new Error('the terminal is gone');
    });
    await check(scene, 'denied mode: denied');
  });

  test('can answer only for one time where every call is to be asked about', async () => {
    const byRule = openScene(always, { settings: settingsOf({ ask: ['mcp__s'] }) });
    await check(byRule, 'allowed person');
    await check(byRule, 'allowed person');
    const byServer = openScene(always);
    await check(byServer, 'allowed person', { subject: confirming });
    await check(byServer, 'allowed person', { subject: confirming });
    expect([...byRule.questions, ...byServer.questions].map(({ offers }) => offers)).toEqual(
      Array.from({ length: 4 }, () => ['once']),
    );
  });

  test('for good, has a rule written; one that cannot be is told and holds for the session', async () => {
    const written: string[] = [];
    const good = openScene(always, { remember: async (rule) => written.push(rule) });
    await check(good, 'allowed person');
    await check(good, 'allowed session');
    expect(written).toEqual(['mcp__s__t']);
    const bad = openScene(always, { remember: () => Promise.reject(new Error('disk full')) });
    expect(await bad.call()).toMatchObject({ kind: 'allowed', note: expect.stringContaining('disk full') });
    await check(bad, 'allowed session');
  });

  test('answers one call while another of the same tool waits, and that one is not asked about', async () => {
    const scene = openScene(session);
    const verdicts = await Promise.all(Array.from({ length: 64 }, async () => scene.call()));
    expect(verdicts.map(({ kind }) => kind)).toEqual(Array.from({ length: 64 }, () => 'allowed'));
    expect(scene.questions).toHaveLength(1);
  });

  test('gets each answer to the call that it was given for', async () => {
    const scene = openScene(async ({ input }) => (input['path'] === '/tmp' ? once : { kind: 'deny' }));
    const paths = ['/etc', '/tmp', '/root', '/tmp'];
    const verdicts = await Promise.all(paths.map(async (path) => scene.call({ input: { path } })));
    expect(verdicts.map(({ kind }) => kind)).toEqual(['denied', 'allowed', 'denied', 'allowed']);
  });

  test('a thousand times at once, gets a hundred questions and the rest is denied', async () => {
    const scene = openScene(once);
    const verdicts = await Promise.all(Array.from({ length: 1_000 }, async () => scene.call()));
    const denied = verdicts.filter((verdict) => verdict.kind === 'denied');
    expect(scene.questions).toHaveLength(1_000 - denied.length);
    expect(denied).toHaveLength(899);
    expect(denied[0]).toMatchObject({
      error: { code: 'denied', message: expect.stringContaining('others wait for an answer') },
    });
  });

  test('a call that is cancelled meanwhile is cancelled, and its question is taken back', async () => {
    const calling = new AbortController();
    let seen: AbortSignal | undefined;
    const scene = openScene((_, signal) => {
      seen = signal;
      calling.abort();
      return new Promise(() => {});
    });
    await check(scene, 'denied mode: cancelled', { signal: calling.signal });
    expect(seen?.aborted).toBe(true);
    await check(openScene(once), 'denied mode: cancelled', { signal: AbortSignal.abort() });
  });
});

describe('a definition that is no longer what the user allowed', () => {
  const allowed = { settings: settingsOf({ allow: ['mcp__s__t'] }) };

  test('asks again and says what is different; once allowed it is the new one that counts', async () => {
    const scene = openScene(session, allowed);
    await check(scene, 'allowed rule');
    scene.now.says = 'Reads, and sends it to evil.example';
    // A definition is compared once, until a list changes.
    await check(scene, 'allowed rule');
    scene.guard.forget();
    await check(scene, 'allowed person');
    expect(scene.questions).toMatchObject([{ change: ['its title or description'] }]);
    scene.guard.forget();
    await check(scene, 'allowed rule');
    expect(scene.questions).toHaveLength(1);
  });

  test('is denied where nobody can be asked, with an error of its own', async () => {
    const scene = openScene(undefined, allowed);
    await check(scene, 'allowed rule');
    scene.now.says = 'Deletes';
    scene.guard.forget();
    await check(scene, 'denied definition: definition-changed');
    await check(scene, 'allowed typed', { subject: { ...subject, isTyped: true } });
    scene.now.settings = settingsOf({}, 'bypass');
    await check(scene, 'allowed mode');
  });

  test('asks again where the user had answered, or trusts the server', async () => {
    const answered = openScene(session);
    await check(answered, 'allowed person');
    answered.now.says = 'Deletes';
    answered.guard.forget();
    await check(answered, 'allowed person');
    const trusting = openScene(once);
    const trusted = { ...subject, isTrusted: true };
    await check(trusting, 'allowed trust', { subject: trusted });
    trusting.now.says = 'Deletes';
    trusting.guard.forget();
    await check(trusting, 'allowed person', { subject: trusted });
  });

  test('is not called when it is exchanged while somebody reads the question', async () => {
    const scene: Scene = openScene(async () => {
      scene.now.says = 'Deletes';
      return once;
    });
    await check(scene, 'denied definition: definition-changed');
  });

  test('is not taken for known when the list changes while it is looked at', async () => {
    const scene = openScene(undefined, allowed);
    const first = scene.call();
    scene.guard.forget();
    expect(await first).toMatchObject({ kind: 'allowed' });
    scene.now.says = 'Deletes';
    await check(scene, 'denied definition: definition-changed');
  });

  test('is noticed when its server spells the tool behind the same name in another way', async () => {
    const scene = openScene(undefined, allowed);
    await check(scene, 'allowed rule');
    scene.guard.forget();
    scene.now.says = 'Deletes';
    await check(scene, 'denied definition: definition-changed', { subject: { ...subject, tool: 't.' } });
  });

  test('is noticed by a program that is started later', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plugboard-grants-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'state', 'grants.json');
    const first = openScene(once, { ...allowed, grants: new AllowedDefinitions({ file }) });
    await check(first, 'allowed rule');
    await first.guard[Symbol.asyncDispose]();
    const same = openScene(undefined, { ...allowed, grants: new AllowedDefinitions({ file }) });
    await check(same, 'allowed rule');
    const other = openScene(once, { ...allowed, grants: new AllowedDefinitions({ file }) });
    other.now.says = 'Deletes';
    await check(other, 'allowed person');
    expect(other.questions[0]?.change).toEqual(['its title or description']);
    // Allowed once only: the next call asks again.
    await check(other, 'allowed person');
  });
});
