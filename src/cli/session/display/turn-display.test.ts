import { expect, test } from 'vitest';
import { FakeScreen } from '../../../../test/session/fake-screen.js';
import { NO_USAGE } from '../../../session/model-port.js';
import type { SessionEvent } from '../../../session/session-event.js';
import { TurnDisplay } from './turn-display.js';

const text = (words: string): SessionEvent => ({ kind: 'text', text: words });
const message: SessionEvent = { kind: 'message', parts: [], usage: NO_USAGE };
const progress = (now: number): SessionEvent => ({ kind: 'progress', id: '1', name: 'x', progress: { progress: now } });

function open(): {
  stage: TurnDisplay;
  seen: (SessionEvent | 'flush' | 'end')[];
  screen: FakeScreen;
  quiets: () => number;
} {
  const screen = new FakeScreen();
  const seen: (SessionEvent | 'flush' | 'end')[] = [];
  let quiets = 0;
  const stage = new TurnDisplay(screen, () => void quiets++);
  stage.begin({
    event: (event) => seen.push(event),
    flush: () => seen.push('flush'),
    end: () => seen.push('end'),
  });
  return { stage, seen, screen, quiets: () => quiets };
}

test('other lines wait until what the model says is complete', () => {
  const { stage, quiets } = open();
  expect(stage.isBusy).toBe(false);
  stage.event(text('In the'));
  expect(stage.isBusy).toBe(true);
  expect(quiets()).toBe(0);
  stage.event(message);
  expect(stage.isBusy).toBe(false);
  expect(quiets()).toBe(1);
});

test('nothing is shown while somebody is asked, and all of it afterwards, progress only as it is then', () => {
  const { stage, seen } = open();
  stage.pause();
  for (const event of [text('a'), text('b'), progress(1), progress(2), message]) stage.event(event);
  expect(seen).toEqual(['flush']);
  expect(stage.isBusy).toBe(true);
  stage.resume();
  expect(seen).toEqual(['flush', text('ab'), progress(2), message]);
});

test('an answer that ends while somebody is asked something else is shown whole, when they have answered', async () => {
  const { stage, seen } = open();
  stage.pause();
  stage.event(text('the answer'));
  const ending = stage.end({ kind: 'done', turns: 1, usage: NO_USAGE, text: '' });
  stage.event(message);
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toEqual(['flush']);
  stage.resume();
  await ending;
  expect(seen).toEqual(['flush', text('the answer'), message, 'end']);
});

test('what stands at the foot makes room for a question, and comes back as it is by then', () => {
  const { stage, screen } = open();
  stage.screen.show('work', ['1 s']);
  expect(screen.zones.get('work')).toEqual(['1 s']);
  stage.pause();
  expect(screen.zones.has('work')).toBe(false);
  stage.screen.show('work', ['2 s']);
  expect(screen.zones.has('work')).toBe(false);
  stage.resume();
  expect(screen.zones.get('work')).toEqual(['2 s']);
});

test('what a server asked the model is shown in its turn, and also between turns', async () => {
  const { stage, seen, screen } = open();
  const usage = { ...NO_USAGE, input: 1_204, output: 80 };
  const began: SessionEvent = { kind: 'sampling', phase: 'began', server: 'docs' };
  const ended: SessionEvent = { kind: 'sampling', phase: 'ended', server: 'docs', outcome: 'ok', usage };
  stage.event(ended);
  expect([seen, screen.text]).toEqual([[ended], '']);
  await stage.end(undefined);
  stage.event(began);
  stage.event(ended);
  expect(screen.text).toBe('· docs asked the model (1.2k tokens in, 80 out)\n');
});
