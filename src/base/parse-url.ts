/**
 * The URL that a text is, or undefined. Never asked of `URL.canParse`: in Node.js 20, once it has been compiled, it takes a text
 * with letters such as `ü` for none, so that what it says of `https://münchen.test/` changes after some thousand calls.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
