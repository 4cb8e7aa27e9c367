import { describe, expect, test } from 'vitest';
import { framingClients, refusedClients } from './framing-clients.js';
import { seenBy } from './scene.js';

describe('a healthy client is answered beside one that', () => {
  test.each([...refusedClients, ...framingClients])('$does', async (row) =>
    expect(await seenBy(row)).toEqual(row.sees),
  );
});
