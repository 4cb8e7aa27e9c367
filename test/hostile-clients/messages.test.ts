import { describe, expect, test } from 'vitest';
import { messageClients } from './message-clients.js';
import { withstand } from './scene.js';

describe('a healthy client is answered beside one that', () => {
  test.each(messageClients)('$does', async (row) => {
    await withstand(row);
    expect(({} as { polluted?: unknown }).polluted).toBe(undefined);
  });
});
