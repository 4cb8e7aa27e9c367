import { MASK } from '../../base/secret.js';

/** Masks credentials that are recognisable by their issuer's format. */
export function maskForms(text: string): string {
  // Each pattern runs only where its marker occurs: most texts have none, and that takes a tenth of the time.
  let rest = maskWebhooks(text);
  if (rest.includes('PRIVATE KEY')) rest = rest.replaceAll(PRIVATE_KEY, MASK);
  if (TOKEN_HINT.test(rest))
    rest = rest.replaceAll(TOKENS, (token) => (/[A-Z0-9]/u.test(token.slice(3)) ? MASK : token));
  if (rest.includes('eyJ')) rest = rest.replaceAll(DOTTED, (run) => (isWebToken(run) ? MASK : run));
  if (/bearer|basic/iu.test(rest))
    rest = rest.replaceAll(SCHEME, (whole, scheme: string, value: string) =>
      isProse(scheme, value) ? whole : scheme + MASK,
    );
  return rest.includes('://') ? rest.replaceAll(USER_INFO, `://${MASK}@`) : rest;
}

/** A webhook's URL is a credential: who knows it may use it. */
export function maskWebhooks(text: string): string {
  return /hook|telegram|ifttt/u.test(text) ? text.replaceAll(WEBHOOK, (_, start: string) => start + MASK) : text;
}

// Every pattern here either ends with its repetition or cannot match again inside what it has consumed: linear time.
const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-]*(?:-(?!----)[^-]*)*(?:-----END [A-Z ]{0,50}-----)?/gu;
/** Not inside a word, except after an escape: `\nsk-...` in JSON within a text, `%3Dsk-...` in a URL. */
const BOUNDARY = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))`;
const TOKENS = new RegExp(
  [
    String.raw`gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}`,
    String.raw`gl(?:pat|ptt|dt|rt|cbt|soat|agent)-[\w.-]{16,}`, // GitLab
    String.raw`xox[abceposr]-[\w-]{10,}|xapp-[\w-]{10,}`, // Slack
    String.raw`sk-(?:ant|proj|or|svcacct|admin)-[\w-]{16,}`, // Anthropic, OpenAI, OpenRouter
    String.raw`(?:sk|rk|pk)_(?:live|test)_\w{10,}|whsec_[\w+/=]{16,}`, // Stripe
    String.raw`(?:hf|npm|gsk|ntn|r8|figd|sbp|pypi|nvapi|tvly|lin_api|dop_v1|shp(?:at|ss|ca))[_-][\w-]{20,}`,
    String.raw`GOCSPX-[\w-]{10,}`,
    `${BOUNDARY}(?:${[
      String.raw`sk-[\w-]{16,}`,
      String.raw`A(?:KIA|SIA)[A-Z0-9]{16}`, // AWS
      String.raw`AIza[\w-]{30,}|ya29\.[\w-]{10,}`, // Google
      String.raw`SG\.[\w-]{16,}(?:\.[\w-]+)?`, // SendGrid
      String.raw`\d{8,10}:AA[\w-]{33}`, // Telegram
      String.raw`pat[A-Za-z0-9]{14}\.[a-f0-9]{32,}`, // Airtable
    ].join('|')})`,
  ].join('|'),
  'gu',
);
/** Every token contains one of these. */
const TOKEN_HINT = /[_-]|A(?:KI|SI)A|AIza|ya29\.|SG\.|:AA|pat/u;
/** Base64 that begins like JSON; only with dots in the right places it is a token, a pagination cursor is not. */
const DOTTED = /eyJ[\w-]*(?:\.[\w-]*)*/gu;
const SCHEME = /((?:[Bb](?:earer|asic)|BEARER|BASIC)(?:\s{1,8}|%20))([\w.~+/=-]+)/gu;
const MIXED = /\d|=|[a-z][A-Z]/u;
/** Webhook addresses, also with escaped slashes. */
const SLASH = String.raw`(?:\\{0,3}\/|%2[Ff])`;
const WEBHOOK = new RegExp(
  String.raw`((?:${[
    String.raw`hooks\.slack(?:-gov)?\.com${SLASH}(?:services|workflows|triggers)`,
    String.raw`discord(?:app)?\.com${SLASH}api${SLASH}(?:v\d{1,2}${SLASH})?webhooks`,
    String.raw`hooks\.zapier\.com${SLASH}hooks${SLASH}(?:catch|standard)`,
    String.raw`\.office\.com${SLASH}webhookb2`,
    String.raw`maker\.ifttt\.com${SLASH}(?:use|trigger${SLASH}\w{1,64}${SLASH}(?:json${SLASH})?with${SLASH}key)`,
    String.raw`hook\.(?:\w{1,8}\.)?(?:make|integromat)\.com`,
    String.raw`webhook\.site`,
    String.raw`${SLASH}(?:web)?hooks?(?=${SLASH}[\w/-]{0,64}\d)`,
  ].join('|')})${SLASH}|api\.telegram\.org${SLASH}(?:file${SLASH})?bot)(?:[^\s"'<>\\)\]]|\\{1,3}\/)+`,
  'gu',
);
const USER_INFO = /:\/\/[^\s/?#"'<>\\]+@/gu;

/** "Bearer token" and "Basic authentication" are prose. */
function isProse(scheme: string, value: string): boolean {
  return /^bearer/iu.test(scheme) ? BEARER_PROSE.test(value) : value.length < 8 || !MIXED.test(value);
}

const BEARER_PROSE =
  /^(?:tokens?|auth\w*|schemes?|realm|credentials?|headers?|errors?|of|is|with|in|or|and|for|the|a|to)[.]?$/iu;

function isWebToken(run: string): boolean {
  const parts = run.split('.');
  return parts.some((part, index) => part.includes('eyJ') && part.length > 12 && (parts[index + 1]?.length ?? 0) > 9);
}
