import { describe, expect, test } from 'vitest';
import { seenBy } from './scene.js';
import { endpointClients } from './endpoint-clients.js';

describe('a healthy client is answered beside one whose server', () => {
  test.each(endpointClients)('$does', async (row) => expect(await seenBy(row)).toEqual(row.sees));
});
