// RFC 6749, with PKCE (RFC 7636), resource indicators (RFC 8707), rotating refresh tokens and reuse detection (RFC 9700, section 4.14.2).
import { SECRET } from '../expectation.js';
import { refuse, type OAuthErrorBody } from './refusal.js';

export interface GivenTokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

/** The parameters of an authorization request. */
export interface CodeGrantRequest {
  readonly client: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly resource: string;
  readonly scope: string;
}

/** What a client sends to exchange its code. */
export interface CodeProof {
  readonly client: string;
  readonly redirectUri: string;
  /** The code verifier's SHA-256, as in the code challenge. */
  readonly hashed: string;
  readonly resource: string;
}

/** All tokens of one sign-in; they are revoked together. */
interface Family {
  readonly client: string;
  readonly resource: string;
  scope: string;
  isRevoked: boolean;
}

interface Once extends CodeGrantRequest {
  family: Family | undefined;
}

const LIMIT = 10_000; // of each kind: a host in a loop must not fill this process's memory
const HOUR_S = 3600;

/** The state of an authorization server. Codes and tokens are numbered, not random: they protect nothing. */
export class Grants {
  readonly #clients = new Map<string, readonly string[]>();
  readonly #codes = new Map<string, Once>();
  readonly #access = new Map<string, Family>();
  readonly #refresh = new Map<string, { readonly family: Family; isUsed: boolean }>();
  #given = 0;

  register(redirectUris: readonly string[]): string {
    const client = `client-${++this.#given}`;
    remember(this.#clients, client, redirectUris);
    return client;
  }

  knows(client: string, redirectUri: string): boolean {
    return this.#clients.get(client)?.includes(redirectUri) === true;
  }

  /** Issues a code: the user has agreed. */
  grant(request: CodeGrantRequest): string {
    return this.#give(this.#codes, 'code', { ...request, family: undefined });
  }

  redeem(code: string, proof: CodeProof): GivenTokens | OAuthErrorBody {
    const held = this.#codes.get(code);
    if (!held) return refuse('invalid_grant', 'no such code');
    if (held.family) {
      held.family.isRevoked = true;
      return refuse('invalid_grant', 'the code was used before');
    }
    if (held.client !== proof.client || held.redirectUri !== proof.redirectUri) {
      return refuse('invalid_grant', 'the code was given to somebody else');
    }
    if (held.challenge !== proof.hashed) return refuse('invalid_grant', 'the verifier is wrong');
    if (held.resource !== proof.resource) return refuse('invalid_target', 'the code is for another resource');
    held.family = { client: held.client, resource: held.resource, scope: held.scope, isRevoked: false };
    return this.#tokens(held.family);
  }

  /** Spends the refresh token. A second use of it revokes the whole family. */
  refresh(token: string, { client, resource }: Pick<CodeProof, 'client' | 'resource'>): GivenTokens | OAuthErrorBody {
    const held = this.#refresh.get(token);
    if (!held || held.family.isRevoked) return refuse('invalid_grant', 'the refresh token does not hold');
    if (held.isUsed) {
      held.family.isRevoked = true;
      return refuse('invalid_grant', REUSED);
    }
    if (held.family.client !== client) return refuse('invalid_grant', 'the refresh token is not yours');
    if (held.family.resource !== resource) return refuse('invalid_target', 'the token is for another resource');
    held.isUsed = true;
    return this.#tokens(held.family);
  }

  revoke(token: string): void {
    const family = this.#refresh.get(token)?.family ?? this.#access.get(token);
    if (family) family.isRevoked = true;
  }

  /** Whether this access token is valid. */
  admits(token: string): boolean {
    return this.#access.get(token)?.isRevoked === false;
  }

  /** Ends all access tokens; refresh tokens stay valid. */
  expire(): void {
    this.#access.clear();
  }

  #tokens(family: Family): GivenTokens {
    return {
      access_token: this.#give(this.#access, 'access', family),
      token_type: 'Bearer',
      expires_in: HOUR_S,
      refresh_token: this.#give(this.#refresh, 'refresh', { family, isUsed: false }),
      scope: family.scope,
    };
  }

  #give<Held>(kept: Map<string, Held>, kind: string, held: Held): string {
    const name = `${SECRET}-${kind}-${++this.#given}`;
    remember(kept, name, held);
    return name;
  }
}

export const REUSED = 'the refresh token was used before';

function remember<Held>(kept: Map<string, Held>, name: string, held: Held): void {
  const [oldest] = kept.keys();
  if (kept.size >= LIMIT && oldest !== undefined) kept.delete(oldest);
  kept.set(name, held);
}
