// RFC 6749, section 5: the response to a code
import { EVIL, exactly, most, signInEnds, signInFails, signsIn } from '../expectation.js';
import type { HttpMode } from '../mode.js';
import { ORDERLY, wants } from './mode.js';
import { toJson } from './pages.js';
import { refuse } from './refusal.js';
import { always, changed, hugeText, never, type OAuthPage } from './sign-in-server.js';

const TOKEN = /token/iu;
const REFRESH = 'token refresh_token';
const ONE_CODE = exactly('token authorization_code', 1);
const NO_REUSE = exactly('reused refresh token', 0);
const UNUSED = exactly('with a bad token', 0);

/** Token endpoints, and faults of the tokens that they issue. */
export const oauthTokens: readonly HttpMode[] = [
  wants(
    'oauth-as-token-http',
    'has its tokens fetched where everybody on the way can read them',
    signInFails(/token_endpoint|token endpoint|https|insecure/iu),
    { issuer: () => ({ token_endpoint: 'http://evil.test/token' }) },
  ),
  wants('oauth-as-token-file', 'has its tokens fetched from a file', signInFails(/token|scheme|file|http/iu), {
    issuer: () => ({ token_endpoint: 'file:///etc/passwd' }),
  }),
  gives(
    'oauth-token-redirect',
    'sends the code elsewhere',
    /redirect|30[1278]|origin/iu,
    always(({ trap }) => ({
      status: 307,
      headers: { Location: trap },
    })),
  ),
  gives(
    'oauth-token-html',
    'gives a web page instead of tokens',
    /JSON|token|content/iu,
    always(() => ({
      status: 200,
      headers: { 'Content-Type': 'text/html' },
      body: `<!doctype html>${EVIL.repeat(1000)}`,
    })),
  ),
  gives(
    'oauth-token-empty',
    'gives an empty object instead of tokens',
    TOKEN,
    always(() => toJson({})),
  ),
  gives(
    'oauth-token-200-denied',
    'says 200 and that the code is wrong',
    /invalid_grant|invalid_code|token|code/iu,
    always(() => toJson({ ok: false, error: 'invalid_code' })),
  ),
  gives(
    'oauth-token-evil',
    'repeats what it was sent, in 600 KB of escape sequences',
    /invalid_grant|token|code/iu,
    (turn) => turn.reply(toJson(refuse('invalid_grant', `${turn.incoming.body} ${EVIL.repeat(15_000)}`), 400)),
  ),
  gives(
    'oauth-token-huge',
    'gives a token of 20 MB',
    /large|limit|MB|bytes|long|token/iu,
    hugeText('{"token_type":"Bearer","access_token":"'),
  ),
  gives('oauth-token-number', 'gives a number as its token', TOKEN, changed({ access_token: 42 })),
  gives('oauth-token-crlf', 'gives a token that ends the header', TOKEN, changed({ access_token: 'x\r\nX-Evil: 1' })),
  gives(
    'oauth-token-space',
    'gives a token with a blank and a letter that is no header',
    TOKEN,
    changed({
      access_token: 'x y\u0100',
    }),
  ),
  gives(
    'oauth-token-bad-type',
    'gives a token of a type that nobody knows',
    /type|mac\b/iu,
    changed({
      token_type: 'mac',
    }),
  ),
  wants(
    'oauth-token-negative',
    'gives a token that expired before it was given',
    signInEnds(/expire|token/iu, [ONE_CODE, most(REFRESH, 3), NO_REUSE]),
    { pages: { token: changed({ expires_in: -5 }) } },
  ),
  wants('oauth-token-endless', 'gives a token that holds for 10^308 s (legal)', signsIn({ counts: ORDERLY }), {
    pages: { token: changed({ expires_in: 1e308 }) },
  }),
  wants('oauth-token-texts', 'gives its numbers as texts (legal here and there)', signsIn({ counts: ORDERLY }), {
    pages: { token: changed({ expires_in: '3600' }) },
  }),
  wants('oauth-token-wider', 'gives more rights than anybody asked for', signsIn({ counts: ORDERLY }), {
    pages: { token: changed({ scope: 'read write admin delete:everything' }) },
  }),
  wants(
    'oauth-token-silent',
    'never answers whoever brings a code',
    signInFails(/within|timed? ?out|answer|cancel|abort/iu, {
      page: 'seen',
      when: 'by the deadline',
      counts: [ONE_CODE],
    }),
    { pages: { token: never } },
  ),
];

/** The token endpoint answers a code with `token`, and the sign-in fails. */
function gives(name: string, summary: string, text: RegExp, token: OAuthPage): HttpMode {
  const expect = signInFails(text, { page: 'seen', counts: [ONE_CODE, UNUSED] });
  return wants(name, summary, expect, { pages: { token } });
}
