// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
import { answers, type Bounds, called, EVIL, most } from '../expectation.js';
import { flood } from '../attacks/flood.js';
import { failure, notification, success } from '../healthy.js';
import { acknowledgement, change, LISTEN, modernResult } from './modern-healthy.js';
import { type ModernHandler, type ModernMode, modernMode, talking, type TalkTurn } from './modern-mode.js';

const COUNT = 20_000;
/** The notifications were not requested, or the server has not acknowledged the subscription. */
const NOTHING: Bounds = { least: 0, most: 0 };
/** However often the stream ends, the host opens it only a few times in the seconds that a check takes. */
const FEW = most(LISTEN, 3);

/** Subscriptions whose stream floods, lies or never begins. The calls beside it must still be answered. */
export const subscriptions: readonly ModernMode[] = [
  listens('listen-good', 'tells of one change (legal)', { least: 1, most: 1 }, ({ id, say }) => say(change(id))),
  listens('listen-flood', 'says 20,000 times that its tools have changed', { least: 1, most: COUNT }, ({ id, say }) =>
    flood(say, COUNT, () => change(id)),
  ),
  listens(
    'listen-flood-no-id',
    'says 20,000 times on no subscription that its tools have changed',
    NOTHING,
    ({ say }) => flood(say, COUNT, () => notification('notifications/tools/list_changed')),
  ),
  listens(
    'listen-flood-other-id',
    'says 20,000 times on other subscriptions that its tools have changed',
    NOTHING,
    ({ id, say }) => flood(say, COUNT, (index) => change(index % 2 === 0 ? String(id) : Number(id) + index)),
  ),
  listens('listen-unasked', 'tells of changes that nobody asked for', NOTHING, ({ id, say }) =>
    say(
      ...['prompts/list_changed', 'resources/list_changed', 'tasks'].map((what) => change(id, `notifications/${what}`)),
      change(id, 'notifications/resources/updated', { uri: 'file:///etc/passwd' }),
      change(id, 'notifications/resources/updated', { uri: { a: 1 } }),
    ),
  ),
  listens('listen-ack-flood', 'agrees 5,000 times', NOTHING, ({ id, say }) =>
    flood(say, 5_000, () => acknowledgement(id, { toolsListChanged: true })),
  ),
  listens('listen-strange', 'tells of changes in messages of every wrong shape', NOTHING, ({ id, say }) =>
    say(
      ...[null, [], 'x', 42].map((params) =>
        JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params }),
      ),
      ...[null, [id], { id }, true].map((strange) => change(strange)),
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: id } }),
    ),
  ),
  refuses(
    'listen-ack-never',
    'never agrees, and tells of changes all the same',
    NOTHING,
    talking(({ id, say }) => flood(say, 5_000, () => change(id))),
  ),
  refuses(
    'listen-ack-other',
    'agrees to what somebody else wants',
    NOTHING,
    talking(({ id, say }) => {
      const other = Number(id) + 1;
      return say(acknowledgement(other, { toolsListChanged: true }), change(other), change(id));
    }),
  ),
  refuses('listen-silent', 'says nothing at all', NOTHING, () => undefined),
  refuses('listen-error', 'refuses in 1 MB of escape sequences', NOTHING, ({ id, tell }) =>
    tell(failure(id, -32603, EVIL.repeat(60_000))),
  ),
  refuses('listen-unknown', 'does not know what that is', NOTHING, ({ id, tell }) =>
    tell(failure(id, -32601, 'Method not found'), 404),
  ),
  refuses('listen-ended', 'ends every stream at once', NOTHING, ({ id, tell }) =>
    tell(success(id, { resultType: 'complete' })),
  ),
  refuses(
    'listen-agrees-and-ends',
    'agrees, ends the stream and tells of changes behind its end',
    NOTHING,
    talking(async ({ id, say, end }) => {
      const over = [acknowledgement(id, { toolsListChanged: true }), success(id, { resultType: 'complete' })];
      await say(...over, ...Array.from({ length: 100 }, () => change(id)));
      await end();
    }),
  ),
  refuses(
    'listen-withdrawn',
    'agrees and takes it back at once',
    NOTHING,
    talking(async ({ id, say, end }) => {
      await say(
        acknowledgement(id, { toolsListChanged: true }),
        notification('notifications/cancelled', { requestId: id }),
      );
      await end();
    }),
  ),
  refuses('listen-asks', 'asks something in return for its consent', NOTHING, ({ id, tell }) =>
    tell(success(id, { resultType: 'input_required', requestState: 'x' })),
  ),
  modernMode(
    'changes-unasked',
    'tells of 20,000 changes though nobody listens',
    called(answers('in time'), { told: NOTHING, counts: [most(LISTEN, 0)] }),
    {
      attack: talking(async ({ id, say, end }) => {
        await flood(say, COUNT, (index) => change(index % 2 === 0 ? undefined : id));
        await say(modernResult(id));
        await end();
      }),
    },
  ),
];

/** Acknowledges the subscription, as a healthy server does, then runs `tell`. The stream stays open. */
function listens(name: string, summary: string, told: Bounds, tell: (turn: TalkTurn) => unknown): ModernMode {
  const agreeing = talking(async (turn) => {
    await turn.say(acknowledgement(turn.id, turn.params['notifications']));
    await tell(turn);
  });
  return refuses(name, summary, told, agreeing);
}

function refuses(name: string, summary: string, told: Bounds, listen: ModernHandler): ModernMode {
  const expect = called(answers('in time'), { told, counts: [FEW] });
  return modernMode(name, summary, expect, { methods: { [LISTEN]: listen } }, { watches: true });
}
