import { expect, test } from 'vitest';
import { openScene } from './scene.js';

/** The most functions that a call may pass from `host.call` to the pipe, both included and all steps counted. */
const LIMIT = 18;

/** An input that records the call stack when it is serialized. */
class Traced {
  readonly key = 'a';
  frames: readonly string[] = [];

  toJSON(): object {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 200;
    this.frames = new Error('the way of a call').stack?.split('\n').slice(1) ?? [];
    Error.stackTraceLimit = limit;
    return { key: this.key };
  }
}

test(`a call passes at most ${LIMIT} functions between host.call and the bytes on stdio`, async () => {
  await using scene = openScene();
  scene.configure({ notes: scene.journaling() });
  const { host } = await scene.open({ watch: false });
  await host.settled();
  const name = 'mcp__notes__append';
  // The first call loads modules and compiles the schemas of its tool.
  expect((await host.call({ name, input: { key: 'a' } })).outcome).toBe('ok');
  const input = new Traced();
  const calling = host.call({ name, input });
  const passed = functionsOf(input.frames); // synchronous: nothing has been awaited yet
  expect((await calling).outcome).toBe('ok');
  expect(passed[0]).toContain('StdioPipe.request');
  // An await on the way would cut `Host.call` off the stack.
  expect(passed.at(-1)).toContain('Host.call');
  expect(passed.slice(LIMIT)).toEqual([]);
});

/** Frames of src/ from the pipe outwards, without the arrows that chain the steps and the promise executors. */
function functionsOf(frames: readonly string[]): readonly string[] {
  const way = frames.slice(frames.findIndex((frame) => frame.includes('StdioPipe.request')));
  const executors = new Set(way.filter((_, at) => way[at + 1]?.includes('new Promise') === true));
  return way.filter(
    (frame) => frame.includes('/src/') && !frame.includes('/src/host/calls/pipeline.ts') && !executors.has(frame),
  );
}
