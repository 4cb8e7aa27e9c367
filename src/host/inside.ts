/**
 * The key to what a Host shows only to the rooms `actions` and `gateway`: `host[inside]`. A symbol, so that no program
 * comes to depend on it; the package's declarations omit it, because Host marks it as internal. Imports nothing, so that
 * importing the key loads no host.
 */
export const inside: unique symbol = Symbol('inside');
