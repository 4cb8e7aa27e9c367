import { setFlagsFromString } from 'node:v8';

/**
 * HTTP is read by WebAssembly here. After the first answers of a model V8 would spend 25 MB and 60 ms of CPU on compiling that once more,
 * for a speed that nobody notices who waits for words. Concerns the whole process, so it is for programs and not for libraries.
 */
export function keepHttpParserSmall(): void {
  setFlagsFromString(`--wasm-tiering-budget=${BUDGET}`);
}

const BUDGET = 1_000_000_000; // bytes that it executes, roughly: hundreds of megabytes of answers
