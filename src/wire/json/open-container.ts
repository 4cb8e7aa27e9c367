/** A container that is being built. */
export interface OpenContainer {
  readonly isArray: boolean;
  value: object;
  key: string;
}

/** Adds values that were parsed together. */
export function addAll({ isArray, value }: OpenContainer, more: object): void {
  if (isArray) for (const one of more as unknown[]) (value as unknown[]).push(one);
  else for (const [key, one] of Object.entries(more)) setOwn(value, key, one);
}

/** Takes back the value that was added last. */
export function removeLast({ isArray, value, key }: OpenContainer): void {
  if (isArray) (value as unknown[]).pop();
  else Reflect.deleteProperty(value, key);
}

/** Sets an own property for any key, as JSON.parse does. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key !== '__proto__') (target as Record<string, unknown>)[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
