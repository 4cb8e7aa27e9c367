import { describe, test } from 'vitest';
import { withstand } from './scene.js';
import { stateClients } from './state-clients.js';

describe('a healthy client is answered beside one that', () => {
  test.each(stateClients)('$does', (row) => withstand(row));
});
