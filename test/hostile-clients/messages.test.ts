import { describe, expect, test } from 'vitest';
import { messageClients } from './message-clients.js';
import { seenBy } from './scene.js';

describe('a healthy client is answered beside one that', () => {
  test.each(messageClients)('$does', async (row) => {
    expect(await seenBy(row)).toEqual(row.sees);
    expect(({} as { polluted?: unknown }).polluted).toBe(undefined);
  });
});
