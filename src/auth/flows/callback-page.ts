import { gateLine } from '../../model/text/text-gate.js';

/** The page that the browser shows after the redirect. */
export type CallbackPage =
  | 'signed-in'
  /** The code is still being exchanged; the terminal shows how it ends. */
  | 'received'
  /** The authorization server or the user refused. */
  | 'refused'
  /** The response was right, but getting or saving the tokens failed. */
  | 'failed'
  /** Not a response to the sign-in under way. */
  | 'wrong-address'
  | 'not-found';

/** Static HTML: loads nothing from elsewhere, and repeats nothing of the request's URL. */
export function toCallbackPage(page: CallbackPage, name: string): string {
  const server = escaped(gateLine(name, { limit: NAME_LIMIT }).text);
  const { title, text } = WORDS[page];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} - Plugboard</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 32em; margin: 20vh auto 0; padding: 0 1.5em; color-scheme: light dark }
h1 { font-size: 1.4em }
</style>
</head>
<body>
<h1>${title}</h1>
<p>${text.replaceAll('SERVER', () => `<strong>${server}</strong>`)}</p>
</body>
</html>
`;
}

/** The page's URL contains the code, so it must not be cached, sent as a referrer, or read by a script. */
export const CALLBACK_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  connection: 'close',
};

const NAME_LIMIT = 100;

const WORDS: Readonly<Record<CallbackPage, { readonly title: string; readonly text: string }>> = {
  'signed-in': { title: 'You are signed in', text: 'Plugboard is signed in to SERVER. You can close this window.' },
  received: {
    title: 'Almost done',
    text: 'Plugboard has the answer for SERVER and is finishing the sign-in. You can close this window and go back to where you started.',
  },
  refused: {
    title: 'Not signed in',
    text: 'The sign-in to SERVER was refused. You can close this window; Plugboard shows why where you started.',
  },
  failed: {
    title: 'Not signed in',
    text: 'The sign-in to SERVER did not succeed. You can close this window; Plugboard shows why where you started.',
  },
  'wrong-address': {
    title: 'Not the right address',
    text: 'This address does not belong to the sign-in to SERVER that is under way. Nothing has changed: open the link that Plugboard shows.',
  },
  'not-found': { title: 'Nothing here', text: 'Plugboard waits here for a sign-in to SERVER, and for nothing else.' },
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
