import { setFlagsFromString } from 'node:v8';

/**
 * HTTP is read by WebAssembly, one huge function of it. After a page of an answer V8 would compile that once more, which takes 25 MB and 60 ms of
 * CPU and makes no request cheaper. Concerns the whole process, so it is for a program and not for a library, and before the first request.
 */
export function keepHttpParserSmall(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}

const FLAGS = ['--no-wasm-dynamic-tiering', '--no-wasm-tier-up'] as const;
