import { describe, expect, test } from 'vitest';
import { seenBy } from './scene.js';
import { slowClients } from './slow-clients.js';

describe('a healthy client is answered beside one that', () => {
  test.each(slowClients)('$does', async (row) => expect(await seenBy(row)).toEqual(row.sees));
});
