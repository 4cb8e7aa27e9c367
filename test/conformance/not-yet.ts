/** Why Plugboard does not pass a scenario yet; undefined for those that it has to pass. One that passes has to go from here. */
export function findReason(scenario: string): string | undefined {
  return notYet.find(({ scenarios }) => scenarios.includes(scenario))?.reason;
}

export function listedScenarios(): readonly string[] {
  return notYet.flatMap(({ scenarios }) => scenarios);
}

const notYet: readonly { readonly reason: string; readonly scenarios: readonly string[] }[] = [
  {
    reason: 'Plugboard cannot sign in yet',
    scenarios: [
      'auth/2025-03-26-oauth-endpoint-fallback',
      'auth/2025-03-26-oauth-metadata-backcompat',
      'auth/authorization-server-migration',
      'auth/basic-cimd',
      'auth/client-credentials-basic',
      'auth/client-credentials-jwt',
      'auth/dpop',
      'auth/dpop-nonce',
      'auth/enterprise-managed-authorization',
      'auth/iss-normalized',
      'auth/iss-not-advertised',
      'auth/iss-supported',
      'auth/iss-supported-missing',
      'auth/iss-unexpected',
      'auth/iss-wrong-issuer',
      'auth/metadata-default',
      'auth/metadata-issuer-mismatch',
      'auth/metadata-var1',
      'auth/metadata-var2',
      'auth/metadata-var3',
      'auth/offline-access-not-supported',
      'auth/offline-access-scope',
      'auth/pre-registration',
      'auth/resource-mismatch',
      'auth/scope-from-scopes-supported',
      'auth/scope-from-www-authenticate',
      'auth/scope-omitted-when-undefined',
      'auth/scope-retry-limit',
      'auth/scope-step-up',
      'auth/token-endpoint-auth-basic',
      'auth/token-endpoint-auth-none',
      'auth/token-endpoint-auth-post',
      'auth/wif-jwt-bearer',
    ],
  },
];
