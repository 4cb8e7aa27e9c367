// RFC 6749 section 4.1, https://www.rfc-editor.org/rfc/rfc6749#section-4.1; RFC 8252, https://www.rfc-editor.org/rfc/rfc8252
import { parseUrl } from '../../base/parse-url.js';
import { HostError } from '../../base/errors.js';
import { onAbort } from '../../base/on-abort.js';
import { shorten } from '../../base/shorten.js';
import { within } from '../../base/within.js';
import { randomHex } from '../../edge/random-hex.js';
import type { OAuthContext } from '../oauth-context.js';
import {
  type BegunCode,
  beginCode,
  type AuthorizationResponse,
  checkCallback,
  redeemCode,
} from './authorization-code.js';
import { parsePastedAddress, readCallback } from './authorization-response.js';
import type { CallbackPage } from './callback-page.js';
import { type CallbackServer, openCallbackServer, PAGE_TIMEOUT_MS } from './callback-server.js';
import { identifyClient } from '../client/client-identity.js';
import type { ClientIdentity } from '../store/credential-record.js';
import { checkPkce } from '../discovery/discovery.js';
import type { DpopKey } from '../tokens/dpop-key.js';
import { loginHint } from './login-hint.js';
import { signInFailure } from '../oauth-error.js';
import type { BrowserSignIn, SignInEnd } from '../sign-in.js';
import { toSignInError } from '../sign-in-error.js';
import { type FlowOptions, keepSignIn, planSignIn, type SignInPlan } from './sign-in-plan.js';
import { dpopKeyFor } from './userless-grant.js';

/** Begins a sign-in with a browser. Rejects with a HostError, and then leaves nothing open. */
export async function openBrowserFlow(flow: FlowOptions, ending: AbortController): Promise<BrowserFlow> {
  const { target, around } = flow;
  const world = around.worldFor(target, ending.signal);
  const plan = await planSignIn(flow, world);
  const { issuer } = plan.discovery;
  checkPkce(issuer, target.settings, target.name);
  // The callback server listens before its address is known to others; an early request answers no sign-in.
  let take: ((query: URLSearchParams) => Promise<CallbackPage>) | undefined;
  const server = await openCallbackServer({
    name: target.name,
    ...chosenPort(flow, plan.known),
    take: async (query) => (take ? await take(query) : 'wrong-address'),
  });
  try {
    const { redirectUri } = server;
    const client = await identifyClient(target, issuer, { redirectUri, known: plan.known, scopes: plan.scopes }, world);
    const dpop = dpopKeyFor(target, issuer);
    const state = randomHex(STATE_BYTES);
    const begun = await beginCode({ target, issuer, client, ...plan, redirectUri, state, dpop });
    ending.signal.throwIfAborted();
    const opened = new BrowserFlow(flow, { world, plan, server, client, dpop, state, begun, ending });
    take = (query) => opened.take(query);
    return opened;
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

interface Parts {
  readonly world: OAuthContext;
  readonly plan: SignInPlan;
  readonly server: CallbackServer;
  readonly client: ClientIdentity;
  readonly dpop: DpopKey | undefined;
  readonly state: string;
  readonly begun: BegunCode;
  /** Aborts all requests to the authorization server. */
  readonly ending: AbortController;
}

/** A sign-in while the user is at the authorization page. State, verifier and issuer are used once, together. */
export class BrowserFlow implements BrowserSignIn {
  readonly kind = 'browser';
  readonly url: string;
  readonly host: string;
  readonly scopes: readonly string[];
  readonly expiresAt: number;
  readonly done: Promise<SignInEnd>;
  readonly #flow: FlowOptions;
  readonly #parts: Parts;
  readonly #listening: Disposable;
  readonly #timer: Disposable;
  #isTaken = false;
  #resolve: ((end: SignInEnd) => void) | undefined;

  constructor(flow: FlowOptions, parts: Parts) {
    const { clock, wall } = flow.around;
    this.#flow = flow;
    this.#parts = parts;
    this.url = parts.begun.url;
    this.host = parts.begun.host;
    this.scopes = parts.plan.scopes;
    this.expiresAt = wall() + FLOW_MS;
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#timer = clock.after(FLOW_MS, () => this.#finish({ kind: 'failed', error: this.#timeoutError() }));
    this.#listening = onAbort(parts.ending.signal, this.cancel);
  }

  readonly cancel = (): void => this.#finish({ kind: 'cancelled' });

  readonly submit = async (address: string): Promise<HostError | undefined> => {
    const { name } = this.#flow.target;
    const pasted = parsePastedAddress(address, this.#parts.server.redirectUri);
    if (pasted.kind === 'not-it') {
      return signInFailure(`That is not the address that the sign-in to "${name}" ended at: ${pasted.why}`, {
        hint: 'Copy the whole address from the browser, from http:// to the end',
      });
    }
    if (!this.#resolve || this.#isTaken) return signInFailure(`The sign-in to "${name}" already has its answer`);
    const answer = readCallback(pasted.query, this.#parts.state);
    if (!answer) {
      return signInFailure(`That address belongs to another sign-in than the one to "${name}" that is under way`, {
        hint: 'Open the link that is shown now, and copy the address that it ends at',
      });
    }
    void this.#redeem(answer); // never rejects
    return undefined;
  };

  /** Handles the browser's request to the redirect URI. */
  async take(query: URLSearchParams): Promise<CallbackPage> {
    const answer = readCallback(query, this.#parts.state);
    if (!answer || !this.#resolve) return 'wrong-address'; // without the right state nothing ends the sign-in
    if (this.#isTaken) return 'received';
    const { clock } = this.#flow.around;
    return await within(this.#redeem(answer), {
      deadline: (expire) => clock.after(PAGE_TIMEOUT_MS, expire),
      instead: () => 'received' as const,
    });
  }

  async #redeem(answer: AuthorizationResponse): Promise<CallbackPage> {
    this.#isTaken = true;
    this.#timer[Symbol.dispose]();
    const { target } = this.#flow;
    const { plan, client, dpop, begun, server, world } = this.#parts;
    const { issuer } = plan.discovery;
    try {
      const checked = await checkCallback(answer, { target, issuer, client });
      if (checked.kind === 'refused') {
        this.#finish({ kind: 'failed', error: checked.error });
        return 'refused';
      }
      const { code, parameters } = checked;
      const { verifier } = begun;
      const { redirectUri } = server;
      const tokens = await redeemCode(
        { target, issuer, client, ...plan, code, parameters, verifier, redirectUri, dpop },
        world,
      );
      const warning = await keepSignIn(this.#flow, plan, { client, answer: tokens, dpop });
      this.#finish({ kind: 'signed-in', ...(warning !== undefined && { warning }) });
      return 'signed-in';
    } catch (error) {
      this.#finish({ kind: 'failed', error: toSignInError(error, target.name) });
      return 'failed';
    }
  }

  /** Only the first call has an effect. `done` resolves after the browser has received its page. */
  #finish(end: SignInEnd): void {
    const resolve = this.#resolve;
    if (!resolve) return;
    this.#resolve = undefined;
    this.#timer[Symbol.dispose]();
    const { ending, server } = this.#parts;
    this.#listening[Symbol.dispose]();
    if (end.kind !== 'signed-in') ending.abort();
    void server[Symbol.asyncDispose]().then(() => {
      this.#flow.onEnd(end);
      return resolve(end);
    });
  }

  #timeoutError(): HostError {
    const { name } = this.#flow.target;
    return signInFailure(`You did not sign in to "${name}" within ${FLOW_MS / 60_000} minutes`, {
      hint: `Try again: ${loginHint(name)}`,
    });
  }
}

const FLOW_MS = 5 * 60_000; // long enough to find a password and a phone
const STATE_BYTES = 32;

/** The redirect port: from the entry, from MCP_OAUTH_CALLBACK_PORT, or from the earlier registration. */
function chosenPort(
  { target, env }: FlowOptions,
  known: ClientIdentity | undefined,
): { readonly fixedPort?: number; readonly preferredPort?: number } {
  const { callbackPort } = target.settings;
  if (callbackPort !== undefined) return { fixedPort: callbackPort };
  const named = env['MCP_OAUTH_CALLBACK_PORT'];
  if (named !== undefined && named !== '') {
    const port = /^\d{1,5}$/.test(named) ? Number(named) : 0;
    if (port >= 1 && port <= 65_535) return { fixedPort: port };
    throw new HostError('usage', `MCP_OAUTH_CALLBACK_PORT is "${shorten(named, 20)}", which is not a port`, {
      hint: 'Set it to a number from 1 to 65535, or unset it',
    });
  }
  const port = Number(parseUrl(known?.redirectUri ?? '')?.port ?? 0);
  return port > 0 ? { preferredPort: port } : {};
}
