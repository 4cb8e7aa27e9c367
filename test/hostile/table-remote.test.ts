import { describe } from 'vitest';
import { testTable } from './table.js';

// In its own file, so that it runs beside the stdio table: both spend most of their time waiting.
describe('over HTTP', () => {
  testTable('http');
});
describe('over HTTP+SSE', () => {
  testTable('sse');
});
describe('over WebSocket', () => {
  testTable('ws');
});
