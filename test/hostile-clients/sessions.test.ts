import { describe, expect, test } from 'vitest';
import { seenBy } from './scene.js';
import { sessionClients } from './session-clients.js';

describe('a healthy client is answered beside one that', () => {
  test.each(sessionClients)('$does', async (row) => expect(await seenBy(row)).toEqual(row.sees));
});
