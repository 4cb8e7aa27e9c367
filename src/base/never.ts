/** The end of an exhaustive switch: a case that is not handled is a compile error here. */
export function unreachable(value: never): never {
  throw new Error(`Unreachable: ${JSON.stringify(value)}`);
}
