/** Whether a name is a credential's: `apiKey`, `API_KEY`, `X-Api-Key`; not `progressToken`, not `tokens`. */
export function isCredentialName(name: string): boolean {
  if (!CREDENTIAL_HINT.test(name)) return false;
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/gu, '$1 $2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, ' ')
    .trim();
  return CREDENTIAL_NAME.test(words) && !HARMLESS_NAME.test(words);
}

/** A quick test: a name or text without a match here contains no credential's name. */
export const CREDENTIAL_HINT =
  /pass|pwd|dsn|secret|credential|cookie|auth|bearer|jwt|key|token|string|pat|otp|webhook|assertion|verifier/iu;
/** Matches separate and joined words. */
const CREDENTIAL_NAME = new RegExp(
  [
    'pass ?w(?:or)?d|pass ?phrase|pass ?code|private ?key|connection ?string|(?:^| )pass$|pwd$|dsn$',
    '(?:secret|secret ?value|credential|cookie)s?$',
    '(?:^|[^o])auth$|authorization$|auth ?header$|bearer$|jwt$',
    '(?:api|secret|access|signing|encryption|master|auth|ssh|account|shared|storage|service|role|deploy|license|webhook|admin|client|app) ?keys?$',
    '(?:^| )pat$|(?:^| )t?otp$|webhook(?: ?ur[il])?$|assertion$|code ?verifier$',
    'token$|(?:access|refresh|api|auth|bearer|session|bot|personal) ?tokens$',
  ].join('|'),
  'u',
);
/** Pagination and progress tokens, and the tokens that models count. */
const HARMLESS_NAME =
  /(?:^| )(?:progress|next|page|next ?page|continuation|sync|cursor|cancel|cancellation|resume|start|stop|end|change|previous|prev|first|last|bos|eos|pad|unk|mask|sep|cls|max|min|per|input|output) ?token$/u;
