/** The end of an exhausted switch: a new case that nobody handles is a compile error here. */
export function unreachable(value: never): never {
  throw new Error(`Unreachable: ${JSON.stringify(value)}`);
}
