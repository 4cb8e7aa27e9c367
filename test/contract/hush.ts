import { EventEmitter } from 'node:events';
import { afterAll, beforeAll, type MockInstance, vi } from 'vitest';

/** Keeps an SDK that talks to itself quiet, for the length of a file: the console is also that of others. */
export function hush(level: 'debug' | 'warn'): void {
  let spy: MockInstance;
  beforeAll(() => {
    spy = vi.spyOn(console, level).mockImplementation(() => {});
  });
  afterAll(() => spy.mockRestore());
}

/** For the length of a file node does not complain of many listeners: the official client adds one for each call to one signal. */
export function allowListeners(): void {
  const usual = EventEmitter.defaultMaxListeners;
  beforeAll(() => {
    EventEmitter.defaultMaxListeners = 0;
  });
  afterAll(() => {
    EventEmitter.defaultMaxListeners = usual;
  });
}
