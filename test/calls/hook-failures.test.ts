import { describe, expect, test } from 'vitest';
import type { HookEvent } from '../../src/model/hooks/hook-settings.js';
import { say } from '../hook-scene.js';
import { type HookedScene, type HookKind, KINDS, openHooked, own, type WantedHook } from './hooked-scene.js';
import { ASKING, ONCE, person, textOf } from './walk-scene.js';

// A hook that fails blocks the call, its result or the prompt, by name; `onFailure: "continue"` lets it pass, and tells.

type Failing = Pick<WantedHook, 'answer' | 'command' | 'ask' | 'timeoutMs'>;

const never = new Promise<never>(() => {});
/** In test:full every failure is tried at every event; else each at one or two, so that each event sees a third of them. */
const isFull = process.env['PLUGBOARD_FULL'] !== undefined;
const isTried = (failure: number, event: number): boolean => isFull || (failure + event) % 3 === 0;

/** How a hook fails, what a command and a callback do for that, and what is said of them. */
const FAILURES: readonly (readonly [
  string,
  { readonly [Kind in HookKind]: readonly [Failing, string] | undefined },
])[] = [
  [
    'throws',
    {
      command: [{ command: 'echo boom >&2; exit 3' }, 'exited with code 3: boom'],
      callback: [{ ask: () => Promise.reject(new Error('boom')) }, 'failed: boom'],
    },
  ],
  [
    'takes too long',
    {
      command: [{ command: 'sleep 600', timeoutMs: 200 }, 'did not answer within 0.2 s'],
      callback: [{ ask: () => never, timeoutMs: 200 }, 'did not answer within 200 ms'],
    },
  ],
  [
    'begins JSON and does not end it',
    { command: [{ command: `printf '{"broken'` }, 'printed JSON that cannot be parsed'], callback: undefined },
  ],
  ['answers with a list', sameFor({ answer: [1] }, 'answers with a list')],
  ['answers with a text', sameFor({ answer: 'deny' }, 'answers with "deny"')],
  ['answers nothing', { command: undefined, callback: [{ ask: async () => undefined }, 'answers with undefined'] }],
  ['answers null', { command: undefined, callback: [{ ask: async () => null }, 'answers with null'] }],
  [
    'answers with something that is no JSON',
    {
      command: undefined,
      callback: [{ ask: async () => ({ continue: 1n }) }, 'answers with something that is no JSON'],
    },
  ],
  ['answers to another event', sameFor({ answer: own('SessionEnd', {}) }, 'answers to "SessionEnd"')],
  ['answers with a field that there is not', sameFor({ answer: { deny: true } }, 'answers with the field "deny"')],
  [
    'decides in the wrong place',
    sameFor({ answer: { permissionDecision: 'deny' } }, 'says permissionDecision outside hookSpecificOutput'),
  ],
  ['says no in a wrong type', sameFor({ answer: { continue: 'no' } }, 'says "no" for continue')],
];

function sameFor(
  failing: { readonly answer: unknown },
  message: string,
): { readonly [Kind in HookKind]: readonly [Failing, string] } {
  return { command: [{ command: say(failing.answer) }, message], callback: [failing, message] };
}

interface Checked {
  readonly event: HookEvent;
  /** What becomes of it: the text that says no, or undefined where things went on. */
  readonly run: (hooked: HookedScene) => Promise<string | undefined>;
  /** What was done although the hook failed, where it blocks. */
  readonly ran: readonly string[];
  /** The reason is for the user alone: what a hook for results says may quote the result. */
  readonly isSilent?: boolean;
}

const callOf = async ({ host }: HookedScene, tool: string, usual: string): Promise<string | undefined> => {
  const text = textOf(await host.call({ name: `mcp__a__${tool}`, input: { key: 'k' } }));
  return text === usual ? undefined : text;
};

const EVENTS: readonly Checked[] = [
  { event: 'PreToolUse', run: (hooked) => callOf(hooked, 'one', 'one {"key":"k"}'), ran: [] },
  { event: 'PermissionRequest', run: (hooked) => callOf(hooked, 'one', 'one {"key":"k"}'), ran: [] },
  {
    event: 'PostToolUse',
    run: (hooked) => callOf(hooked, 'one', 'one {"key":"k"}'),
    ran: ['begin one k', 'end one k'],
    isSilent: true,
  },
  {
    event: 'PostToolUseFailure',
    run: (hooked) => callOf(hooked, 'fail', 'no k today'),
    ran: ['begin fail k', 'end fail k'],
    isSilent: true,
  },
  {
    event: 'UserPromptSubmit',
    run: async ({ host }) => {
      const said = await host.sessionHooks.promptSubmitted('hi');
      return said.kind === 'block' ? said.reason : undefined;
    },
    ran: [],
  },
];

describe.each(KINDS)('a %s', (kind) => {
  const cases = FAILURES.flatMap(([title, { [kind]: failing }]) => (failing ? [[title, ...failing] as const] : []));
  const tried = cases.flatMap((one, failure) =>
    EVENTS.filter((_, event) => isTried(failure, event)).map(
      (checked) => [one[0], checked.event, one[1], one[2], checked] as const,
    ),
  );
  test.each(tried)(
    'that %s at %s blocks by name, unless it is to be ignored',
    async (_, event, failing, message, { run, ran, isSilent }) => {
      const options = { permissions: ASKING, ports: { ask: person(ONCE).ask } };
      await using blocking = await openHooked(kind, [{ event, ...failing }], options);
      const text = await run(blocking);
      expect(text).toContain(isSilent ? `${event}:mcp__a__` : message);
      expect(text).toContain(event);
      expect(isSilent && /boom|deny|SessionEnd/u.test(text!)).not.toBe(true);
      expect(text).not.toContain('key');
      expect(blocking.scene.journalLines()).toEqual(ran);
      expect(blocking.problems).toHaveLength(1);
      expect(blocking.problems[0]).toContain(`${event} hook ${message}`);
      await using open = await openHooked(kind, [{ event, ...failing, onFailure: 'continue' }], options);
      expect(await run(open)).toBeUndefined();
      expect(open.problems).toHaveLength(1);
      expect(open.problems[0]).toContain('It is ignored, as its onFailure says.');
    },
  );

  test.each(['PreToolUse', 'PermissionRequest', 'UserPromptSubmit'] as const)(
    'that answers later at %s has failed, because the decision is needed now',
    async (event) => {
      await using hooked = await openHooked(kind, [{ event, answer: { async: true } }], { permissions: ASKING });
      const { run } = EVENTS.find((one) => one.event === event)!;
      expect(await run(hooked)).toContain('answers later (async)');
    },
  );

  test.each(['PostToolUse', 'PostToolUseFailure'] as const)(
    'that answers later at %s decides nothing',
    async (event) => {
      await using hooked = await openHooked(kind, [{ event, answer: { async: true, asyncTimeout: 5 } }]);
      expect(await EVENTS.find((one) => one.event === event)!.run(hooked)).toBeUndefined();
      expect(hooked.problems).toEqual([]);
    },
  );
});

test('a callback that nobody waits for any more is told so', async () => {
  let signal: AbortSignal | undefined;
  const ask: WantedHook['ask'] = (_, about) => {
    signal = about.signal;
    return never;
  };
  await using hooked = await openHooked('callback', [{ event: 'PreToolUse', ask }]);
  const stop = new AbortController();
  const calling = hooked.host.call({ name: 'mcp__a__one', callId: 'toolu_9', signal: stop.signal });
  await expect.poll(() => signal).toBeDefined();
  expect(signal!.aborted).toBe(false);
  stop.abort();
  expect(await calling).toMatchObject({ outcome: 'error', attempts: 0 });
  expect(signal!.aborted).toBe(true);
  expect(hooked.problems).toEqual([]);
});

const meddle: WantedHook['ask'] = async (input) => {
  Object.assign((input as { tool_input: object }).tool_input, { key: 'changed' });
  return {};
};

test('a callback changes nothing by changing what it was sent', async () => {
  await using hooked = await openHooked('callback', [{ event: 'PreToolUse', ask: meddle }]);
  expect(textOf(await hooked.host.call({ name: 'mcp__a__one', input: { key: 'k' } }))).toBe('one {"key":"k"}');
});

test('an outcome that is unknown stays unknown when the hook for it fails', async () => {
  await using hooked = await openHooked('callback', [{ event: 'PostToolUseFailure', answer: [] }]);
  const { host, scene } = hooked;
  const stop = new AbortController();
  const calling = host.call({ name: 'mcp__a__one', input: { key: 'k', ms: 600_000 }, signal: stop.signal });
  await expect.poll(() => scene.journalLines()).toEqual(['begin one k']);
  stop.abort();
  expect(await calling).toMatchObject({ outcome: 'unknown', error: { code: 'denied' } });
});
