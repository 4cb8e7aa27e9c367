import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/host/host.js';
import type { CallResult, HostOptions } from '../../src/host/host-options.js';
import type { Ports } from '../../src/host/ports.js';
import type { AnsweredElicitation, Elicitation, ElicitationReply } from '../../src/model/hooks/hook-call.js';
import { openScene } from '../host/scene.js';

const ERAS = ['legacy', 'modern'] as const;
type Era = (typeof ERAS)[number];

interface Asking {
  readonly era?: Era;
  readonly options?: HostOptions;
  readonly settings?: object;
}

interface Talk extends AsyncDisposable {
  readonly host: Host;
  readonly asked: Elicitation[];
  readonly problems: string[];
  /** Creates the file DONE that the server waits for. */
  readonly done: () => void;
  /** Removes the file DONE. */
  readonly notYet: () => void;
  /** Whether the file DONE exists. */
  readonly isDone: () => boolean;
  readonly call: (tool: string, input: object) => Promise<CallResult>;
  /** Has the server send this elicitation, and returns the result that the server got. */
  readonly answer: (question: object) => Promise<unknown>;
}

/** A host with a server that sends elicitations; `reply` answers for the user. */
async function openTalk(
  reply: ((question: Elicitation, signal: AbortSignal, agreed: () => void) => Promise<ElicitationReply>) | undefined,
  { era = 'legacy', options = {}, settings }: Asking = {},
): Promise<Talk> {
  const scene = openScene();
  const done = join(scene.home, 'done');
  const args = [resolve(import.meta.dirname, 'question-server.mjs')];
  scene.configure({ asker: { command: process.execPath, args, env: { ERA: era, DONE: done } } }, settings);
  const asked: Elicitation[] = [];
  const elicit: NonNullable<Ports['elicit']> = async (question, signal, agreed) => {
    asked.push(question);
    return reply!(question, signal!, agreed);
  };
  const { host } = await scene.open({ ...options, ports: { ...(reply && { elicit }), ...options.ports } });
  const problems: string[] = [];
  host.on('problem', ({ message }) => problems.push(message));
  await host.settled();
  const call: Talk['call'] = (tool, input) => host.call({ name: `mcp__asker__${tool}`, input: { ...input } });
  return {
    host,
    asked,
    problems,
    done: () => writeFileSync(done, ''),
    notYet: () => rmSync(done),
    isDone: () => existsSync(done),
    call,
    answer: async (question) => {
      const { content, error } = await call('ask', { question });
      return error ? error.message : (JSON.parse(String(content[0]!['text'])) as unknown);
    },
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

const COLOUR = {
  type: 'object',
  properties: { colour: { type: 'string', enum: ['red', 'green'] } },
  required: ['colour'],
};
const PASSWORD = { type: 'object', properties: { password: { type: 'string' } } };
const accept = (content?: ElicitationReply['content']) => async (): Promise<ElicitationReply> => ({
  action: 'accept',
  content,
});

const hook = (reply: ElicitationReply): HostOptions => ({ hooks: { elicitation: [{ run: () => reply }] } });
/** Replies that an embedder's code could give, and the action that the server gets. */
const LIES: readonly (readonly [answer: () => unknown, action: string])[] = [
  [() => ({ action: 'accept', content: { colour: 'red', more: { of: [1] }, big: 1n } }), 'accept'],
  [() => ({ action: 'accept', content: inCircles() }), 'accept'],
  [() => ({ action: 'accept', content: { colour: 'red', toJSON: () => ({ colour: 'blue' }) } }), 'accept'],
  [() => ({ action: 'accept', content: null }), 'cancel'],
  [() => ({ action: 'accept', content: 'red' }), 'cancel'],
  [() => ({ action: 'accept', content: Object.defineProperty({}, 'colour', { get: unreadable }) }), 'cancel'],
  [() => ({ action: 'cancel', reason: 1n }), 'cancel'],
  [() => ({ action: 'decline', reason: 1n }), 'decline'],
];

function inCircles(): object {
  const content: Record<string, unknown> = { colour: 'red' };
  content['self'] = content;
  return content;
}

function unreadable(): never {
  throw new Error('not for you');
}

function checkLie(told: unknown, action: string): void {
  const { requestState: _, ...answer } = told as Record<string, unknown>;
  expect(answer).toEqual(action === 'accept' ? { action, content: { colour: 'red' } } : { action });
}

const REFUSED: readonly (readonly [question: object, reason: RegExp])[] = [
  [{ message: 'm' }, /no requestedSchema/u],
  [{ message: 'm', requestedSchema: { type: 'object', properties: { a: { type: 'object' } } } }, /is none of text/u],
  [
    { message: 'm', requestedSchema: { type: 'object', properties: { a: { enum: Array(10_000).fill('choice') } } } },
    /64000/u,
  ],
  [{ mode: 'url', message: 'm', url: 'javascript:alert(1)' }, /URL is refused/u],
  [{ mode: 'url', message: 'm', url: 'https://github.com@evil.test/' }, /user name/u],
  [{ mode: 'url', message: 'm', url: 'http://example.com/' }, /encryption/u],
  [{ mode: 'url', message: 'm' }, /no URL/u],
  [{ mode: 'voice', message: 'm' }, /form or url/u],
];

describe.for(ERAS)('in the %s era', (era) => {
  test('a form is shown to whoever can answer, and what fits is sent', async () => {
    await using talk = await openTalk(accept({ colour: 'red' }), { era });
    expect(await talk.answer({ message: 'Which\u001b[2J colour?', requestedSchema: COLOUR })).toMatchObject({
      action: 'accept',
      content: { colour: 'red' },
    });
    expect(talk.asked).toMatchObject([{ server: 'asker', mode: 'form', message: 'Which colour?' }]);
    expect(talk.asked[0]!.warnings).toEqual([expect.stringContaining('hidden')]);
  });

  test('an answer that does not fit is none, and whoever gave it hears why', async () => {
    await using talk = await openTalk(accept({ colour: 'blue' }), { era });
    expect(await talk.answer({ message: 'Which?', requestedSchema: COLOUR })).toMatchObject({ action: 'cancel' });
    expect(talk.problems).toEqual([
      expect.stringMatching(/"asker" does not fit its form: colour: Choose one of the list/u),
    ]);
  });

  test('only what was asked for is sent, and an answer that cannot be sent or read harms nobody', async () => {
    const answers = [...LIES];
    const next = (): ElicitationReply => answers.shift()![0]() as ElicitationReply;
    const question = { message: 'Which?', requestedSchema: COLOUR };
    await using port = await openTalk(async () => next(), { era });
    for (const [, action] of LIES) checkLie(await port.answer(question), action);
    answers.push(...LIES);
    await using hooked = await openTalk(undefined, { era, options: { hooks: { elicitation: [{ run: next }] } } });
    for (const [, action] of LIES) checkLie(await hooked.answer(question), action);
  });

  test('a page is shown with its whole address, and nothing is opened', async () => {
    await using talk = await openTalk(accept(), { era });
    const url = 'https://xn--pypal-4ve.example/sign?a=1&b=2';
    const elicitationId = era === 'legacy' ? { elicitationId: 'e1' } : {};
    expect(await talk.answer({ mode: 'url', message: 'Sign', url, ...elicitationId })).toMatchObject({
      action: 'accept',
    });
    const wants = era === 'legacy' ? 'consent' : 'completion';
    expect(talk.asked).toMatchObject([
      { mode: 'url', url, wants, warnings: [expect.stringContaining('look like others')] },
    ]);
  });

  test('what nobody could fill in or should open is refused, and nobody is asked', async () => {
    await using talk = await openTalk(accept({}), { era });
    for (const [question, reason] of REFUSED) expect(JSON.stringify(await talk.answer(question))).toMatch(reason);
    expect(talk.asked).toEqual([]);
  });

  test('a form that asks for secrets is declined with the reason, unless whoever asks can warn', async () => {
    const question = { message: 'Sign in', requestedSchema: PASSWORD };
    await using careless = await openTalk(accept({ password: 'x' }), { era });
    expect(await careless.answer(question)).toMatchObject({
      action: 'decline',
      _meta: { 'plugboard/reason': expect.stringMatching(/may not ask for secrets \("password"\)/u) },
    });
    expect(careless.asked).toEqual([]);
    expect(careless.problems).toEqual([expect.stringMatching(/"asker" asked for secrets in a form \("password"\)/u)]);
    await using careful = await openTalk(accept({ password: 'x' }), {
      era,
      options: { ports: { takesSecrets: true } },
    });
    expect(await careful.answer(question)).toMatchObject({ action: 'accept', content: { password: 'x' } });
    expect(careful.asked).toMatchObject([
      { secretFields: ['password'], warnings: [expect.stringContaining('"password"')] },
    ]);
  });

  test('no hook fills in a secret, and one that says no is heard', async () => {
    const question = { message: 'Sign in', requestedSchema: PASSWORD };
    await using filling = await openTalk(undefined, {
      era,
      options: hook({ action: 'accept', content: { password: 'x' } }),
    });
    expect(await filling.answer(question)).toMatchObject({ action: 'decline' });
    await using denying = await openTalk(accept({}), { era, options: hook({ action: 'cancel' }) });
    expect(await denying.answer(question)).toMatchObject({ action: 'cancel' });
    expect(denying.asked).toEqual([]);
  });

  test('no hook sees or replaces a secret that the user typed, and one that says no is heard', async () => {
    const question = { message: 'Sign in', requestedSchema: PASSWORD };
    const typed = accept({ password: 'x' });
    for (const [action, told] of [
      ['accept', { action: 'accept', content: { password: 'x' } }],
      ['decline', { action: 'decline' }],
    ] as const) {
      const seen: AnsweredElicitation[] = [];
      const run = (answered: AnsweredElicitation): ElicitationReply => {
        seen.push(answered);
        return { action, content: { password: 'y' } };
      };
      const options = { ports: { takesSecrets: true }, hooks: { elicitationResult: [{ run }] } };
      await using talk = await openTalk(typed, { era, options });
      expect(await talk.answer(question)).toMatchObject(told);
      expect(seen.map(({ reply }) => reply)).toEqual([{ action: 'accept' }]);
    }
  });

  test('no hook makes a yes of a no to a page', async () => {
    const question = { mode: 'url', message: 'Sign', url: 'https://example.com/sign', elicitationId: 'e1' };
    const elicitationResult = [{ run: () => ({ action: 'accept' }) as const }];
    const options = { hooks: { elicitationResult } };
    await using no = await openTalk(async () => ({ action: 'decline' }), { era, options });
    expect(await no.answer(question)).toMatchObject({ action: 'decline' });
    await using yes = await openTalk(accept(), { era, options });
    expect(await yes.answer(question)).toMatchObject({ action: 'accept' });
  });
});

test('of many questions at once one is shown at a time, and from the twenty-first on they are declined', async () => {
  let open = 0;
  let most = 0;
  await using talk: Talk = await openTalk(async () => {
    most = Math.max(most, ++open);
    // No question is answered before the 40 that do not fit into the queue have been declined.
    while (!talk.isDone()) await pause(1);
    open--;
    return { action: 'accept', content: { colour: 'red' } };
  });
  const question = { message: 'And?', requestedSchema: COLOUR };
  const { content } = await talk.call('flood', { question, count: 60, early: 40 });
  expect(JSON.parse(String(content[0]!['text']))).toEqual({ accept: 20, decline: 40 });
  expect(most).toBe(1);
});

/** A user who answers only after the question has been withdrawn. */
function slow(talk: () => Talk): (question: Elicitation, signal: AbortSignal) => Promise<ElicitationReply> {
  return (_question, signal) =>
    new Promise((done) => {
      signal.addEventListener('abort', () => done({ action: 'accept', content: { colour: 'red' } }));
      talk().done();
    });
}

test('a question is withdrawn when the server takes it back, when it dies, and when the call is given up', async () => {
  const question = { message: 'Which?', requestedSchema: COLOUR };
  await using talk: Talk = await openTalk(slow(() => talk));
  const { content } = await talk.call('takeBack', { question });
  expect(content[0]!['text']).toBe('"taken back"');
  talk.notYet();
  expect((await talk.call('die', { question })).outcome).toBe('unknown');
  expect(talk.asked).toHaveLength(2);

  await using modern: Talk = await openTalk((_question, signal) => slow(() => modern)(_question, signal), {
    era: 'modern',
  });
  const giveUp = new AbortController();
  const call = modern.host.call({ name: 'mcp__asker__ask', input: { question }, signal: giveUp.signal });
  while (modern.asked.length === 0) await pause(5);
  giveUp.abort();
  expect((await call).error?.code).toBe('cancelled');
});

describe('a call that needs a page visited first', () => {
  const url = 'https://example.com/sign';

  test('goes on when the server says that it is done, and the question is taken away', async () => {
    const withdrawn: unknown[] = [];
    await using talk: Talk = await openTalk(
      (question, signal, agreed) =>
        new Promise(() => {
          signal.addEventListener('abort', () => withdrawn.push([question.wants, signal.reason]));
          agreed();
          talk.done();
        }),
    );
    const result = await talk.call('page', { url });
    expect(result).toMatchObject({ outcome: 'ok', attempts: 2 });
    expect(withdrawn).toEqual([['completion', 'completed']]);
    expect(talk.asked).toMatchObject([{ mode: 'url', url, elicitationId: 'e1' }]);
  });

  test.for(ERAS)('is not made again because a server of the %s era says that it is done', async (era) => {
    let isWithdrawn = false;
    await using talk: Talk = await openTalk(
      (_question, signal) =>
        new Promise((answer) => {
          signal.addEventListener('abort', () => (isWithdrawn = true));
          // Each response is followed by another claim that the page was visited.
          void talk.call('ping', {}).then(() => talk.call('ping', {}).then(() => answer({ action: 'decline' })));
        }),
      { era },
    );
    const { error, attempts } = await talk.call('page', { url, forged: true });
    expect([error?.message, attempts, isWithdrawn]).toEqual([expect.stringMatching(/was declined$/u), 1, false]);
    expect(await talk.call('page', { url, forged: true })).toMatchObject({ content: [{ text: '"called again"' }] });
  });

  test('goes on when the user says so, whatever the server says', async () => {
    await using talk: Talk = await openTalk(async () => {
      talk.done();
      return { action: 'accept' };
    });
    expect(await talk.call('page', { url, silent: true })).toMatchObject({ outcome: 'ok', attempts: 2 });
  });

  test('says what became of it when the user does not want that, and where nobody can be asked', async () => {
    await using cancelled = await openTalk(async () => ({ action: 'cancel' }));
    expect((await cancelled.call('page', { url })).error?.message).toMatch(/and that was cancelled$/u);
    await using nobody = await openTalk(undefined);
    expect((await nobody.call('page', { url })).error?.message).toMatch(/was declined: nobody is there to ask$/u);
  });

  test('may be sent to a page of this machine by a server that runs on it', async () => {
    await using talk: Talk = await openTalk(async () => {
      talk.done();
      return { action: 'accept' };
    });
    expect(await talk.call('page', { url: 'http://localhost:8123/x' })).toMatchObject({ outcome: 'ok' });
    expect(talk.asked).toMatchObject([{ url: 'http://localhost:8123/x' }]);
  });
});

test('an answer of an embedder that is none cancels', async () => {
  await using talk = await openTalk(async () => 'yes' as unknown as ElicitationReply);
  expect(await talk.answer({ message: 'Which?', requestedSchema: COLOUR })).toEqual({ action: 'cancel' });
});
