// RFC 9728 and RFC 8414, and what they are misused for
import { EVIL, exactly, most, signInEnds, signInFails, signsIn } from '../expectation.js';
import type { HttpTurn } from '../http/http-turn.js';
import type { HttpMode } from '../mode.js';
import { toHead } from '../http/response-head.js';
import { MB, pour } from '../write.js';
import { ORDERLY, wants } from './mode.js';
import { issuerDocument, resourceDocument } from './pages.js';
import { always, leadsBack, never, type OAuthPage } from './sign-in-server.js';

const LARGE = /large|limit|MB|bytes|long/iu;
const ADDRESS = /address|private|local|reserved|named?|origin|169\.254/iu;
const UNREGISTERED = [exactly('register', 0), exactly('token authorization_code', 0)];
const originOf = ({ url }: Pick<HttpTurn, 'url'>): string => new URL(url).origin;

/** Metadata of the server and of its authorization server, read before the user is shown a page. */
export const oauthDiscovery: readonly HttpMode[] = [
  wants('oauth-baseline', 'wants a sign-in, and does nothing wrong (legal)', signsIn({ counts: ORDERLY })),
  wants(
    'oauth-as-elsewhere',
    'has its authorization server at another origin (legal)',
    signsIn({ counts: ORDERLY }),
    // `localhost` is another origin than 127.0.0.1, but the same server: no second port is needed.
    { resource: (turn) => ({ authorization_servers: [originOf(turn).replace('127.0.0.1', 'localhost')] }) },
  ),
  wants('oauth-bare', 'wants a sign-in and does not say where (legal)', signsIn({ counts: ORDERLY }), {
    challenge: () => 'Bearer',
  }),
  wants(
    'oauth-prm-ssrf',
    'says that its metadata is at another port of this machine',
    signInEnds(/resource_metadata|metadata|origin/iu),
    { challenge: ({ trap }) => `Bearer resource_metadata="${trap}"` },
  ),
  wants(
    'oauth-prm-file',
    'says that its metadata is a file of this machine',
    signInEnds(/resource_metadata|metadata|scheme|file/iu),
    { challenge: () => 'Bearer resource_metadata="file:///etc/passwd"' },
  ),
  wants(
    'oauth-prm-as-ssrf',
    'names the address as authorization server where clouds keep their credentials',
    signInFails(ADDRESS, { when: 'at once', counts: UNREGISTERED }),
    { resource: () => ({ authorization_servers: ['https://169.254.169.254'] }) },
  ),
  wants('oauth-prm-as-many', 'names 10,000 authorization servers', signInEnds(/many|authorization|limit/iu), {
    resource: (turn) => ({
      authorization_servers: [originOf(turn), ...Array.from({ length: 10_000 }, (_, index) => `https://${index}.test`)],
    }),
  }),
  wants(
    'oauth-prm-resource-mismatch',
    'says that it is another server',
    signInFails(/resource/iu, { counts: UNREGISTERED }),
    { resource: () => ({ resource: 'https://bank.test/mcp' }) },
  ),
  wants('oauth-prm-huge', 'describes itself in 40 MB', signInFails(LARGE), {
    pages: { resource: huge(resourceDocument) },
  }),
  wants('oauth-as-huge', 'describes its authorization server in 40 MB', signInFails(LARGE), {
    pages: { issuer: huge(issuerDocument) },
  }),
  wants('oauth-as-deep', 'describes its authorization server in 100,000 levels', signInEnds(/deep|nest|JSON|level/iu), {
    pages: {
      issuer: always((turn) => {
        const [start] = JSON.stringify(issuerDocument(turn)).split(/\}$/u);
        const body = `${start},"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
        return { status: 200, headers: JSON_TYPE, body };
      }),
    },
  }),
  wants(
    'oauth-prm-wrong-types',
    'describes itself in values of every wrong type',
    signInEnds(/metadata|authorization|resource|string|type/iu),
    {
      resource: () => ({
        authorization_servers: 'http://127.0.0.1',
        scopes_supported: { a: 1 },
        resource_name: [null],
      }),
    },
  ),
  wants(
    'oauth-as-wrong-types',
    'describes its authorization server in values of every wrong type',
    signInEnds(/metadata|PKCE|string|type|authorization/iu),
    {
      issuer: () => ({
        code_challenge_methods_supported: 'S256',
        grant_types_supported: { 0: 'authorization_code' },
        scopes_supported: [1, null, ['read']],
        token_endpoint_auth_methods_supported: null,
        revocation_endpoint: 42,
      }),
    },
  ),
  wants('oauth-as-proto', 'hides a prototype in all that it says (legal)', signsIn({ counts: ORDERLY }), {
    pages: { resource: polluted, issuer: polluted, register: polluted, token: polluted },
  }),
  wants('oauth-prm-redirect', 'sends whoever reads its metadata elsewhere', signInEnds(/redirect|30[1278]|origin/iu), {
    pages: { resource: always(({ trap }) => ({ status: 302, headers: { Location: trap } })) },
  }),
  wants('oauth-as-redirect', "sends whoever reads its authorization server's metadata elsewhere", redirected(), {
    pages: { issuer: always(({ trap }) => ({ status: 307, headers: { Location: trap } })) },
  }),
  wants('oauth-prm-silent', 'never begins to describe itself', slow(), { pages: { resource: never } }),
  wants('oauth-as-silent', 'never begins to describe its authorization server', slow(), { pages: { issuer: never } }),
  wants('oauth-as-html', 'describes its authorization server in a web page', signInFails(/metadata|JSON/iu), {
    pages: {
      issuer: always(() => ({ status: 200, headers: { 'Content-Type': 'text/html' }, body: `<title>${EVIL}</title>` })),
    },
  }),
  wants('oauth-as-500', 'fails when it is to describe its authorization server', signInFails(/500/u), {
    pages: { issuer: always(() => ({ status: 500, body: EVIL.repeat(60_000) })) },
  }),
  wants(
    'oauth-as-issuer-slash',
    'has an issuer that ends with another slash than its address',
    signInFails(/issuer/iu, { counts: UNREGISTERED }),
    {
      issuer: (turn) => ({ issuer: `${originOf(turn)}/` }),
      // `iss` repeats the issuer of the metadata: a host that accepts the metadata has no reason to refuse `iss`.
      pages: { authorize: leadsBack((back, turn) => back.searchParams.set('iss', `${originOf(turn)}/`)) },
    },
  ),
  wants(
    'oauth-as-issuer-other',
    'has an issuer that is somebody else',
    signInFails(/issuer/iu, { counts: UNREGISTERED }),
    { issuer: () => ({ issuer: 'https://accounts.bank.test' }) },
  ),
  wants(
    'oauth-as-no-pkce',
    'does not say that it checks PKCE',
    signInFails(/PKCE|code_challenge/iu, { counts: [exactly('token authorization_code', 0)] }),
    { issuer: () => ({ code_challenge_methods_supported: undefined }) },
  ),
  wants(
    'oauth-as-plain-pkce',
    'checks PKCE only as a plain text',
    signInFails(/PKCE|code_challenge|S256/iu, { counts: [exactly('token authorization_code', 0)] }),
    { issuer: () => ({ code_challenge_methods_supported: ['plain'] }) },
  ),
  wants('oauth-www-malformed', 'refuses with quotes that do not close, again and again', signsIn({ counts: ORDERLY }), {
    challenge: () => `Bearer realm="x, resource_metadata=", Bearer ,,=="${'error="x", '.repeat(300)}`,
  }),
  wants('oauth-www-evil', 'says why it refuses in markup and codes', signsIn({ counts: ORDERLY }), {
    challenge: (turn) =>
      `Bearer error="invalid_token", error_description="\u00ff\u009b31m<b>run this</b>", scope="read", resource_metadata="${originOf(turn)}/.well-known/oauth-protected-resource/mcp"`,
  }),
  wants(
    'oauth-scope-bomb',
    'asks for 5,000 scopes, with quotes among them',
    signInEnds(/scopes?|long/iu, [exactly('long address', 0), exactly('strange scope', 0), most('authorize', 1)]),
    {
      resource: () => ({ scopes_supported: SCOPES }),
      issuer: () => ({ scopes_supported: SCOPES }),
    },
  ),
];

const JSON_TYPE = { 'Content-Type': 'application/json' };
const SCOPES: readonly string[] = Array.from({ length: 5000 }, (_, index) =>
  index % 10 === 0 ? `s"${index}\\ \u001b[2J` : `scope:${index}`,
);

async function polluted(turn: HttpTurn, good: Parameters<OAuthPage>[1]): Promise<unknown> {
  const { body = '', ...reply } = await good();
  const hidden = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},';
  return turn.reply({ ...reply, body: `{${hidden}${String(body).slice(1)}` });
}

function redirected(): ReturnType<typeof signInFails> {
  return signInFails(/redirect|30[1278]|origin|authorization server|metadata/iu, { counts: UNREGISTERED });
}

function slow(): ReturnType<typeof signInFails> {
  return signInFails(/within|timed? ?out|answer|cancel|abort/iu, { when: 'by the deadline' });
}

/** `document` padded to more than 40 MB, and never whole in memory. */
function huge(document: (turn: HttpTurn) => object): OAuthPage {
  return async (turn) => {
    const start = `${JSON.stringify(document(turn)).slice(0, -1)},"x":"`;
    const end = '"}';
    const length = Buffer.byteLength(start) + 40 * MB + end.length;
    await turn.raw(toHead(200, { ...JSON_TYPE, 'Content-Length': String(length) }));
    await turn.raw(start);
    if (await pour(turn.raw, 'x', 40 * MB)) await turn.raw(end);
  };
}
