/**
 * The key to what a Host shows to the room `actions` and to nobody else: `host[inside]`. A symbol and not a name, so that no program comes
 * to depend on it; no declaration of the package has it, because Host marks it as internal. Imports nothing: whoever asks for the key loads no host.
 */
export const inside: unique symbol = Symbol('inside');
