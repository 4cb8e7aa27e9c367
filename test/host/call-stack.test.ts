import { expect, test, vi } from 'vitest';
import { StdioPipe } from '../../src/transports/stdio-pipe.js';
import { openScene } from './scene.js';

/** How many functions a call may pass from `host.call` to the pipe, its steps counted. */
const LIMIT = 18;

test(`a call passes at most ${LIMIT} functions between host.call and the bytes on stdio`, async () => {
  await using scene = openScene();
  scene.configure({ notes: scene.journaling() });
  const { host } = await scene.open({ watch: false });
  const call = { name: 'mcp__notes__append', input: { key: 'a' } };
  await host.settled();
  // The first call loads what calls are made with, and looks at the schemas of its tool.
  expect((await host.call(call)).outcome).toBe('ok');

  let frames: readonly string[] = [];
  const original = StdioPipe.prototype.request;
  const limit = Error.stackTraceLimit;
  const spy = vi.spyOn(StdioPipe.prototype, 'request').mockImplementation(function request(this: StdioPipe, ...sent) {
    Error.stackTraceLimit = 200;
    frames = new Error('the way of a call').stack?.split('\n').slice(1) ?? [];
    Error.stackTraceLimit = limit;
    original.apply(this, sent);
  });
  try {
    const calling = host.call(call);
    const passed = functionsOf(frames);
    // Nothing of the way may wait: then the stack would begin later.
    expect(passed.at(-1), passed.join('\n')).toContain('Host.call');
    expect(passed.length, passed.join('\n')).toBeLessThanOrEqual(LIMIT);
    expect((await calling).outcome).toBe('ok');
  } finally {
    spy.mockRestore();
  }
});

/** Frames of the source, innermost first: without the arrows that put the steps together, and the executors of promises. */
function functionsOf(frames: readonly string[]): readonly string[] {
  const own = frames.filter((frame) => frame.includes('/src/') && !frame.includes('/src/host/pipeline.ts'));
  const executors = new Set(frames.filter((_, at) => frames[at + 1]?.includes('new Promise') === true));
  const passed = own
    .filter((frame) => !executors.has(frame))
    .map((frame) => frame.trim().replace(/\(.*\/src\//u, '(src/'));
  return ['StdioPipe.request', ...passed];
}
