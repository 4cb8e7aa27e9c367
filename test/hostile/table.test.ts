import { describe } from 'vitest';
import { testTable } from './table.js';

// One by one, so that the cost of a mode is not attributed to the next.
describe('over stdio', () => {
  testTable('stdio');
});
