/**
 * Parses a URL; undefined when the text is none. Does not use `URL.canParse`: in Node.js 20, once compiled, it rejects
 * texts with letters such as `ü`, so that its answer for `https://münchen.test/` changes after some thousand calls.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
