import { setFlagsFromString } from 'node:v8';

/**
 * Node parses HTTP with one huge WebAssembly function. After a page of a response V8 would compile it again: 25 MB and
 * 60 ms of CPU, and no request gets cheaper. The flags affect the whole process, so they are for the program, not for
 * the library, and must be set before the first request.
 */
export function keepHttpParserSmall(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}

const FLAGS = ['--no-wasm-dynamic-tiering', '--no-wasm-tier-up'] as const;
