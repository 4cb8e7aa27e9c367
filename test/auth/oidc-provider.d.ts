// The parts of oidc-provider that tests use: the package has no types.
declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  export function createMemoryAdapter(clockTolerance: number): object;
}

declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export class Provider {
    constructor(issuer: string, configuration: object);
    readonly AccessToken: Found;
    readonly ClientCredentials: Found;
    readonly Grant: { new (about: { accountId: string; clientId: string }): Grant; find(id: string): Promise<Grant> };
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options: { mergeWithLastSubmission: boolean },
    ): Promise<void>;
  }

  export interface Context {
    readonly path: string;
    readonly method: string;
    readonly status: number;
    readonly oidc?: { readonly params?: Readonly<Record<string, string | undefined>> };
  }

  export interface Interaction {
    readonly prompt: {
      readonly name: string;
      readonly details: {
        readonly missingOIDCScope?: readonly string[];
        readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
      };
    };
    readonly params: { readonly client_id: string };
    readonly session?: { readonly accountId: string };
    readonly grantId?: string;
  }

  interface Found {
    find(value: string): Promise<Token | undefined>;
  }

  export interface Token {
    readonly scope?: string;
    readonly aud?: string | readonly string[];
    readonly accountId?: string;
    readonly clientId: string;
    readonly jkt?: string;
  }

  export interface Grant {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }
}
