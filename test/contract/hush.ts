import { EventEmitter } from 'node:events';
import { afterAll, beforeAll, type MockInstance, vi } from 'vitest';

/** Silences a console method for one test file: the SDK logs to it. */
export function hush(level: 'debug' | 'warn'): void {
  let spy: MockInstance;
  beforeAll(() => {
    spy = vi.spyOn(console, level).mockImplementation(() => {});
  });
  afterAll(() => spy.mockRestore());
}

/** Turns off Node's warning about many listeners for one file: the SDK's client adds one to a signal for each call. */
export function allowListeners(): void {
  const usual = EventEmitter.defaultMaxListeners;
  beforeAll(() => {
    EventEmitter.defaultMaxListeners = 0;
  });
  afterAll(() => {
    EventEmitter.defaultMaxListeners = usual;
  });
}
