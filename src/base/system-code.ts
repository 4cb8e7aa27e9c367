import { HostError } from './errors.js';

/** What the system called it, however often it was wrapped since. undici's parser has a name instead of a code. */
export function systemCode(error: Error): string | undefined {
  const cause = systemError(error);
  if (!cause) return undefined;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}

/** What came from outside Plugboard and began it all. */
export function systemError(error: Error): Error | undefined {
  let cause: unknown = error;
  for (let depth = 0; depth < DEEPEST && cause instanceof HostError; depth++) cause = cause.cause;
  return cause instanceof Error && !(cause instanceof HostError) ? cause : undefined;
}

const DEEPEST = 10;
