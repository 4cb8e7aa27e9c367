import { describe, test } from 'vitest';
import { withstand } from './scene.js';
import { sessionClients } from './session-clients.js';

describe('a healthy client is answered beside one that', () => {
  test.each(sessionClients)('$does', (row) => withstand(row));
});
