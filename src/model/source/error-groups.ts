import type { ErrorCode } from '../../base/error-codes.js';

/** The errors that end a program with the exit code for a denial; in emitted programs too. */
export const deniedCodes: readonly ErrorCode[] = [
  'policy-denied',
  'denied',
  'definition-changed',
  'not-approved',
  'folder-untrusted',
  'enterprise-locked',
  'needs-terminal',
];

/** The errors that end a program with the exit code for a timeout. */
export const timeoutCodes: readonly ErrorCode[] = ['lock-timeout', 'connect-timeout', 'call-timeout'];
