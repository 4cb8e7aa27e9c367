// RFC 8628, https://www.rfc-editor.org/rfc/rfc8628
import { onAbort } from '../../base/on-abort.js';
import type { OAuthContext } from '../oauth-context.js';
import { identifyClient } from '../client/client-identity.js';
import { beginDevice, type BegunDevice, pollDevice } from './device-code.js';
import { loginHint } from './login-hint.js';
import { isTransientFailure, signInFailure } from '../oauth-error.js';
import type { GrantRequest } from '../tokens/request-token.js';
import type { DeviceSignIn, SignInEnd } from '../sign-in.js';
import { toSignInError } from '../sign-in-error.js';
import { type FlowOptions, keepSignIn, planSignIn, type SignInPlan } from './sign-in-plan.js';
import { dpopKeyFor } from './userless-grant.js';

/** Begins a sign-in with a code that the user types on another machine. Rejects with a HostError. */
export async function openDeviceFlow(flow: FlowOptions, ending: AbortController): Promise<DeviceFlow> {
  const { target, around } = flow;
  const world = around.worldFor(target, ending.signal);
  const plan = await planSignIn(flow, world);
  const { issuer } = plan.discovery;
  const client = await identifyClient(target, issuer, { known: plan.known, scopes: plan.scopes }, world);
  const dpop = dpopKeyFor(target, issuer);
  const { resource, scopes } = plan;
  const request: GrantRequest = { target, issuer, client, resource, scopes, dpop };
  const begun = await beginDevice(request, world);
  ending.signal.throwIfAborted();
  return new DeviceFlow(flow, { world, plan, request, begun, ending });
}

interface Parts {
  readonly world: OAuthContext;
  readonly plan: SignInPlan;
  readonly request: GrantRequest;
  readonly begun: BegunDevice;
  readonly ending: AbortController;
}

/** A sign-in while the user types the code on another machine: polls the authorization server. */
export class DeviceFlow implements DeviceSignIn {
  readonly kind = 'device';
  readonly url: string;
  readonly host: string;
  readonly userCode: string;
  readonly completeUrl: string | undefined;
  readonly expiresAt: number;
  readonly done: Promise<SignInEnd>;
  readonly #flow: FlowOptions;
  readonly #parts: Parts;
  readonly #listening: Disposable;
  /** Keeps the process alive while the user signs in, which the clock's timers do not. */
  readonly #hold: Disposable;
  readonly #endsAt: number;
  #interval: number;
  #timer: Disposable | undefined;
  #resolve: ((end: SignInEnd) => void) | undefined;

  constructor(flow: FlowOptions, parts: Parts) {
    const { clock, wall } = flow.around;
    const { url, host, userCode, completeUrl, expiresAt, intervalMs } = parts.begun;
    this.#flow = flow;
    this.#parts = parts;
    this.url = url;
    this.host = host;
    this.userCode = userCode;
    this.completeUrl = completeUrl;
    const life = Math.min(Math.max(expiresAt - wall(), 0), LONGEST_MS);
    this.expiresAt = wall() + life;
    this.#endsAt = clock.monotonic() + life;
    this.#interval = intervalMs;
    this.#hold = clock.hold();
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#listening = onAbort(parts.ending.signal, this.cancel);
    this.#wait();
  }

  readonly cancel = (): void => this.#finish({ kind: 'cancelled' });

  #wait(): void {
    const { clock } = this.#flow.around;
    const left = this.#endsAt - clock.monotonic();
    if (left <= 0) return this.#finish({ kind: 'failed', error: this.#timeoutError() });
    this.#timer = clock.after(Math.min(this.#interval, left), () => void this.#ask());
  }

  async #ask(): Promise<void> {
    const { request, begun, world, plan } = this.#parts;
    try {
      const answer = await pollDevice(request, begun.deviceCode, world);
      if (answer.kind === 'done') {
        const { client, dpop } = request;
        const warning = await keepSignIn(this.#flow, plan, { client, answer: answer.tokens, dpop });
        return this.#finish({ kind: 'signed-in', ...(warning !== undefined && { warning }) });
      }
      if (answer.kind === 'slow-down') this.#interval += SLOWER_MS;
    } catch (error) {
      if (!isTransientFailure(error))
        return this.#finish({ kind: 'failed', error: toSignInError(error, this.#flow.target.name) });
      this.#interval = Math.min(this.#interval * 2, LONGEST_INTERVAL_MS); // section 3.5: after a time-out, half as often
    }
    if (this.#resolve) this.#wait();
  }

  #finish(end: SignInEnd): void {
    const resolve = this.#resolve;
    if (!resolve) return;
    this.#resolve = undefined;
    this.#timer?.[Symbol.dispose]();
    this.#hold[Symbol.dispose]();
    const { ending } = this.#parts;
    this.#listening[Symbol.dispose]();
    if (end.kind !== 'signed-in') ending.abort();
    this.#flow.onEnd(end);
    resolve(end);
  }

  #timeoutError() {
    const { name } = this.#flow.target;
    return signInFailure(`You did not enter the code for "${name}" in time`, {
      hint: `Try again: ${loginHint(name)}`,
    });
  }
}

const LONGEST_MS = 30 * 60_000;
const LONGEST_INTERVAL_MS = 60_000;
const SLOWER_MS = 5000;
