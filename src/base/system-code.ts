import { HostError } from './errors.js';

/** The system's code of an error, however deeply wrapped. Errors of undici's parser have a name instead of a code. */
export function systemCode(error: Error): string | undefined {
  const cause = systemError(error);
  if (!cause) return undefined;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}

/** The first cause that is not a HostError; undefined when there is none. */
export function systemError(error: Error): Error | undefined {
  let cause: unknown = error;
  for (let depth = 0; depth < DEEPEST && cause instanceof HostError; depth++) cause = cause.cause;
  return cause instanceof Error && !(cause instanceof HostError) ? cause : undefined;
}

const DEEPEST = 10;
