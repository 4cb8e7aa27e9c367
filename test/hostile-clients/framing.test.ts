import { describe, test } from 'vitest';
import { framingClients } from './framing-clients.js';
import { withstand } from './scene.js';

describe('a healthy client is answered beside one that', () => {
  test.each(framingClients)('$does', (row) => withstand(row));
});
