import { describe } from 'vitest';
import { testTable } from './table.js';

// One after another: what one mode costs is not to be blamed on the next.
describe('over stdio', () => {
  testTable('stdio');
});
