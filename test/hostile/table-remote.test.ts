import { describe } from 'vitest';
import { testTable } from './table.js';

// Beside the table of stdio and not behind it: most of what either does is to wait.
describe('over HTTP', () => {
  testTable('http');
});
describe('over HTTP+SSE', () => {
  testTable('sse');
});
describe('over WebSocket', () => {
  testTable('ws');
});
