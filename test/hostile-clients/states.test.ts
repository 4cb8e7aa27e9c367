import { describe, expect, test } from 'vitest';
import { seenBy } from './scene.js';
import { stateClients } from './state-clients.js';

describe('a healthy client is answered beside one that', () => {
  test.each(stateClients)('$does', async (row) => expect(await seenBy(row)).toEqual(row.sees));
});
