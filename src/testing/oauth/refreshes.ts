// RFC 6749, section 6, RFC 9700, section 4.14.2: refresh tokens, and scopes that are missing
import {
  type Connected,
  type Count,
  ends,
  EVIL,
  exactly,
  fails,
  most,
  type SignInWanted,
  signsIn,
} from '../expectation.js';
import { answer } from '../healthy.js';
import { growingScopes } from '../http/http-status.js';
import type { HttpMode } from '../mode.js';
import { toHead } from '../http/response-head.js';
import { wants } from './mode.js';
import { toJson, toPage } from './pages.js';
import { refuse } from './refusal.js';
import { always, changed, type OAuthPage, type SignInWrongs, unauthorized } from './sign-in-server.js';

const SIGN_IN = /sign|log ?in|unauthor/iu;
const REFRESH = 'token refresh_token';
const ONE_CODE = exactly('token authorization_code', 1);
const NO_REUSE = exactly('reused refresh token', 0);
const UNUSED = exactly('with a bad token', 0);

/** Access tokens that expire, and faults in their refresh. */
export const oauthRefreshes: readonly HttpMode[] = [
  refreshes('oauth-expired', 'has its token expire (legal)', signsIn({ counts: [exactly(REFRESH, 1), NO_REUSE] })),
  refreshes(
    'oauth-refresh-same',
    'lets its refresh token be used again (legal)',
    signsIn({ counts: [exactly(REFRESH, 1), NO_REUSE] }),
    { pages: { token: atRefresh(changed({ refresh_token: undefined })) } },
  ),
  refreshes(
    'oauth-as-token-other-origin',
    'has refresh tokens brought to another origin than the codes',
    // The stored token endpoint still works; a host that reads the metadata again refuses the new one.
    signsIn({ call: ends(/origin|issuer|token|sign/iu, 'in time'), counts: [most(REFRESH, 1), NO_REUSE] }),
    () => {
      let isGiven = false;
      return {
        issuer: ({ trap }) => (isGiven ? { token_endpoint: trap } : {}),
        pages: {
          async token(turn, good) {
            isGiven = true;
            return turn.reply(await good());
          },
        },
      };
    },
  ),
  refreshes('oauth-token-200-error', 'says 200 and that the refresh token is wrong', signedOut(most(REFRESH, 1)), {
    pages: { token: atRefresh(always(() => toJson({ ok: false, error: 'invalid_refresh_token' }))) },
  }),
  refreshes('oauth-refresh-denied', 'does not take its refresh token back', signedOut(most(REFRESH, 1)), {
    pages: {
      token: atRefresh(always(() => toJson(refuse('invalid_grant', `${EVIL}Token has been revoked`), 400))),
    },
  }),
  refreshes(
    'oauth-refresh-cut',
    'gives new tokens and closes the connection in the middle of them',
    // The refresh token is spent by then, so only a new sign-in helps.
    signsIn({ call: fails(/./u, 'in time'), next: 'signed-out', counts: [most(REFRESH, 3)] }),
    {
      pages: {
        token: atRefresh(async ({ raw, hangUp }, good) => {
          const { body = '' } = await good();
          await raw(toHead(200, { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }));
          await raw(body.slice(0, 30));
          hangUp();
        }),
      },
    },
  ),
  refreshes(
    'oauth-refresh-503',
    'is out of service the first time that a token is refreshed',
    // The failure is temporary: the user does not have to sign in again.
    signsIn({
      call: ends(/503|service|later|token/iu, 'in time'),
      next: 'delayed',
      counts: [most(REFRESH, 3), ONE_CODE, NO_REUSE],
    }),
    () => {
      let failed = 0;
      return {
        pages: {
          token: atRefresh(async (turn, good) =>
            turn.reply(failed++ === 0 ? { status: 503, body: EVIL } : await good()),
          ),
        },
      };
    },
  ),
  wants(
    'oauth-token-refresh-loop',
    'refreshes every token, and takes none of them',
    signedOut(most(REFRESH, 2), most('tools/call attack', 3)),
    () => {
      let isOver = false;
      return {
        attack(turn, grants) {
          isOver = true;
          grants.expire();
          return turn.reply(unauthorized(turn, grants));
        },
        pages: {
          async token(turn, good, grants) {
            const reply = await good();
            if (isOver) grants.expire();
            return turn.reply(reply);
          },
        },
      };
    },
  ),
  wants(
    'oauth-scope-loop',
    'wants another right each time, whatever it has given',
    signsIn({ call: fails(/scope|right|403|sign/iu, 'in time'), counts: [most('tools/call attack', 2), UNUSED] }),
    () => ({ attack: growingScopes() }),
  ),
];

/** The first access token has expired when the tool is called. */
function refreshes(
  name: string,
  summary: string,
  expect: SignInWanted,
  wrongs: SignInWrongs | (() => SignInWrongs) = {},
): HttpMode {
  return wants(name, summary, expect, () => {
    let isExpired = false;
    return {
      ...(typeof wrongs === 'function' ? wrongs() : wrongs),
      attack(turn, grants) {
        if (isExpired) return turn.json(answer(turn.id));
        isExpired = true;
        grants.expire();
        return turn.reply(unauthorized(turn, grants));
      },
    };
  });
}

function atRefresh(page: OAuthPage): OAuthPage {
  return async (turn, good, grants) =>
    toPage(turn)?.form.get('grant_type') === 'refresh_token' ? page(turn, good, grants) : turn.reply(await good());
}

/** The call that finds the sign-in invalid fails and says what to do; the host does not try again and again. */
function signedOut(...counts: readonly Count[]): SignInWanted {
  const call: Connected['call'] = fails(SIGN_IN, 'in time');
  return signsIn({ call, next: 'signed-out', counts: [...counts, ONE_CODE] });
}
