import { describe, expect, test } from 'vitest';
import { callingClients, messageClients } from './message-clients.js';
import { seenBy } from './scene.js';

describe('a healthy client is answered beside one that', () => {
  test.each([...messageClients, ...callingClients])('$does', async (row) => {
    expect(await seenBy(row)).toEqual(row.sees);
    expect(({} as { polluted?: unknown }).polluted).toBe(undefined);
  });
});
