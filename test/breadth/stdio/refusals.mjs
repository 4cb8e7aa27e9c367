// Servers until 2025-11-25 that get an unknown method as their first message.
import { closeSync } from 'node:fs';

const refuseWith = (code, message, data) => ({
  unknown: ({ id }, server) => server.refuse(id, code, message, data),
});

/** Exits when its first message is not `initialize`; `lastWords` goes to stderr, for people. */
const endsUnlessGreeted = (lastWords, end) => ({
  unknown(_message, server) {
    if (server.state !== 'new') return;
    process.stderr.write(lastWords, end);
  },
});

export const refusals = {
  'method-not-found': refuseWith(-32_601, 'Method not found'),
  'invalid-parameters': { revision: '2025-06-18', ...refuseWith(-32_602, 'Invalid request parameters', '') },
  'invalid-request': refuseWith(-32_600, 'Invalid Request'),
  'own-code': refuseWith(-32_000, 'Bad Request: Server not initialized'),
  'not-initialized': refuseWith(-32_002, 'Server not initialized'),
  'internal-error': refuseWith(-32_603, "TypeError: Cannot read properties of undefined (reading 'call')"),
  'parse-error': refuseWith(-32_700, 'Parse error'),
  'positive-code': refuseWith(404, 'no such method'),
  'header-mismatch': refuseWith(-32_020, 'is only a number here'),
  'error-as-text': { unknown: ({ id }, server) => server.say({ jsonrpc: '2.0', id, error: 'unknown method' }) },
  'error-without-id': { unknown: (_message, server) => server.refuse(null, -32_600, 'Invalid request') },
  'unknown-without-id': { unknown: (_message, server) => server.refuse(null, -32_601, 'Method not found') },
  'error-in-result': {
    unknown: ({ id }, server) => server.answer(id, { content: [{ type: 'text', text: 'Unknown' }], isError: true }),
  },
  'empty-result': { unknown: ({ id }, server) => server.answer(id, {}) },
  'null-result': { unknown: ({ id }, server) => server.answer(id, null) },
  'refuses-in-a-batch': {
    revision: '2025-03-26',
    unknown: ({ id }, server) =>
      server.say([{ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } }]),
  },
  'refuses-with-a-text-id': {
    unknown: ({ id }, server) => server.refuse(String(id), -32_601, 'Method not found'),
  },
  silent: { unknown: () => {} },
  'exits-like-rust': {
    revision: '2025-06-18',
    ...endsUnlessGreeted('Error: ExpectedInitializeRequest(Some(Request(CustomRequest)))\n', () => process.exit(1)),
  },
  'dies-like-python': endsUnlessGreeted(
    'Traceback (most recent call last):\nRuntimeError: Received request before initialization was complete\n',
    () => process.exit(1),
  ),
  'panics-like-go': endsUnlessGreeted('panic: runtime error: invalid memory address\n', () => process.exit(2)),
  'leaves-without-a-word': endsUnlessGreeted('', () => process.exit(0)),
  'closes-its-stdout': endsUnlessGreeted('', () => closeSync(1)),
};
