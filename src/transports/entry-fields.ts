import {
  either,
  filledText,
  type FieldTable,
  justFalse,
  mapOf,
  objectOf,
  oneWord,
  secretText,
  someText,
  someTexts,
  wholeNumber,
  yesOrNo,
} from '../model/fields/shape.js';
import { OAUTH_GRANTS } from '../model/oauth-settings.js';
import { CALL_TIMEOUT_MIN } from './field-hints.js';

const TIMEOUT_MAX = 2_147_483_647; // ms; the longest delay of a Node timer
const timeoutMs = wholeNumber(CALL_TIMEOUT_MIN, TIMEOUT_MAX);

/** The fields of every entry besides `type`. */
export const COMMON_FIELDS = {
  timeout: {
    shape: timeoutMs,
    description: 'Time limit of a call, in milliseconds.',
    default: '`MCP_TOOL_TIMEOUT`, or 100000000',
    example: 60_000,
  },
  startTimeout: {
    shape: timeoutMs,
    description: 'Time limit to start or reach the server and finish the handshake, in milliseconds.',
    default: '`MCP_TIMEOUT`, or 30000',
    example: 90_000,
  },
  trust: {
    shape: yesOrNo,
    description:
      'Allows every tool of this server without a question. Works only in an entry that you wrote yourself; Plugboard still asks about a tool that states that it is destructive.',
    default: 'false',
    example: true,
  },
  alwaysLoad: {
    shape: yesOrNo,
    description: "Shows this server's tools to the model at once, even where the model has to search for other tools.",
    default: 'false',
    example: true,
  },
  disabled: {
    shape: yesOrNo,
    description: 'Keeps the entry but does not start the server. `plugboard enable NAME` switches it on again.',
    default: 'false',
    example: true,
  },
  includeTools: {
    shape: someTexts,
    description: 'Only these tools are used. Write the names as the server has them.',
    default: 'all tools',
    example: ['get_issue', 'list_issues'],
  },
  excludeTools: {
    shape: someTexts,
    description: 'These tools are not used, even if `includeTools` names them.',
    default: 'none',
    example: ['delete_issue'],
  },
  start: {
    shape: oneWord('eager', 'lazy'),
    description: '`lazy`: the first use starts the server. Until then Plugboard shows the tools that it has cached.',
    default: '`eager`',
    example: 'lazy',
  },
  era: {
    shape: oneWord('auto', 'legacy', 'modern'),
    description:
      'How MCP is spoken: `legacy` begins with initialize (until 2025-11-25), `modern` is 2026-07-28. `auto` detects it and remembers it for a week.',
    default: '`auto`',
    example: 'legacy',
  },
  roots: {
    shape: either('false, or an array of folders', justFalse, someTexts),
    description: 'The folders that the server is told as roots. `false`: none. Your home folder is never told.',
    default: "the project's folder, unless the command line names folders",
    example: ['./data'],
  },
} as const satisfies FieldTable;

/** The fields of `sandbox` in an entry and of `requireSandbox` in settings. */
export const SANDBOX_FIELDS = {
  network: {
    shape: yesOrNo,
    description: 'Allows the network, and with it everything that listens on this machine.',
    default: 'false',
    example: true,
  },
  read: {
    shape: someTexts,
    description: 'Paths that the sandbox would hide, such as `~/.npmrc`, and that the server may read.',
    default: 'none',
    example: ['~/.npmrc'],
  },
  write: {
    shape: someTexts,
    description: 'Paths that the server may write. Not `/`, your home folder or a folder above it.',
    default: 'none; `/tmp` is private',
    example: ['./data'],
  },
  sockets: {
    shape: yesOrNo,
    description: 'Lets the server create and reach Unix sockets.',
    default: 'false',
    example: true,
  },
  memoryMb: {
    shape: wholeNumber(16, 1_048_576),
    description: 'Memory limit in megabytes, where the system has cgroups.',
    default: 'no limit',
    example: 512,
  },
  processes: {
    shape: wholeNumber(1, 1_000_000),
    description: 'Limit of processes and threads, where the system has cgroups.',
    default: 'no limit',
    example: 50,
  },
} as const satisfies FieldTable;

const ENV_NAME = '^[^=]+$'; // the system splits at the first `=`
const HEADER_NAME = "^[!#$%&'*+\\-.^_`|~0-9A-Za-z]+$"; // RFC 9110 section 5.1

export const STDIO_FIELDS = {
  command: {
    shape: filledText,
    isRequired: true,
    description:
      'The program to start. A name is looked up on PATH; a relative path is resolved against the folder that the server starts in.',
    example: 'npx',
  },
  args: {
    shape: someTexts,
    description: 'The arguments of the program, each word by itself. No shell reads them.',
    default: 'none',
    example: ['-y', '@modelcontextprotocol/server-filesystem', '.'],
  },
  env: {
    shape: mapOf(secretText, ENV_NAME),
    description:
      'Environment variables of the program. The values are masked wherever Plugboard shows them, except in the question whether you approve the entry.',
    default: 'none',
    example: { API_KEY: '${API_KEY}' },
  },
  cwd: {
    shape: someText,
    description: 'The folder that the program starts in.',
    default: 'the working directory',
    example: './server',
  },
  inheritEnv: {
    shape: either('true or an array of variable names', yesOrNo, someTexts),
    description: 'Passes on all of your environment variables (`true`), or those that you name.',
    default:
      'HOME, PATH, USER, LOGNAME, SHELL, LANG, LC_\\*, TERM, TMPDIR, TZ, XDG_\\*, the proxy and CA variables, npm_config_\\*',
    example: ['SSH_AUTH_SOCK'],
  },
  sandbox: {
    shape: either('true or an object', yesOrNo, objectOf(SANDBOX_FIELDS)),
    description:
      'Runs the server in a sandbox (Linux, with bubblewrap), or not at all. `true` gives the server nothing beyond a read-only view.',
    default: '`false`, or what `requireSandbox` says',
    example: { network: true, write: ['./data'] },
  },
} as const satisfies FieldTable;

/** RFC 6749 and its extensions; all optional: without them the server's own metadata decides. */
export const OAUTH_FIELDS = {
  clientId: {
    shape: someText,
    description: 'Your registered OAuth client.',
    default: 'Plugboard registers itself',
    example: 'my-client',
  },
  clientSecret: {
    shape: secretText,
    description: 'The secret of that client.',
    default: 'none',
    example: '${CLIENT_SECRET}',
  },
  clientMetadataUrl: {
    shape: someText,
    description: 'The URL of a client metadata document, for authorization servers that read such documents.',
    example: 'https://example.com/client.json',
  },
  callbackPort: {
    shape: wholeNumber(1, 65_535),
    description: 'The port of the callback address on this machine.',
    default: 'a free one',
    example: 8976,
  },
  scopes: {
    shape: either('an array of strings', someText, someTexts),
    description: 'Requested instead of the scopes that the server names. An array, or one string with blanks.',
    default: 'what the server names',
    example: ['read', 'write'],
  },
  authServerMetadataUrl: {
    shape: someText,
    description: "Where the authorization server's metadata is, if not at its well-known URL.",
    default: 'what the server names',
    example: 'https://auth.example.com/metadata',
  },
  xaa: {
    shape: yesOrNo,
    description:
      "Signs you in through your company's identity provider, named once in `settings.xaaIdp`, without asking you.",
    default: 'false',
    example: true,
  },
  grant: {
    shape: oneWord(...OAUTH_GRANTS),
    description: 'How tokens are obtained. `authorization_code` opens a browser.',
    default: '`authorization_code`',
    example: 'device_code',
  },
  privateKey: {
    shape: secretText,
    description: 'The client signs with this key instead of sending a secret: a PEM text, or the path of a PEM file.',
    default: 'none',
    example: '${HOME}/client.pem',
  },
  signingAlgorithm: {
    shape: someText,
    description: 'The algorithm of that signature.',
    default: 'the one that fits the key',
    example: 'ES256',
  },
  assertion: {
    shape: secretText,
    description: "For the grant `jwt_bearer`: the workload's token, or the path of a file that holds it.",
    example: '/var/run/secrets/token',
  },
  dpop: {
    shape: yesOrNo,
    description: 'Binds tokens to a key of this machine (DPoP), where the authorization server supports that.',
    default: 'false',
    example: true,
  },
  allowMissingPkce: {
    shape: yesOrNo,
    description: 'Accepts an authorization server that does not announce PKCE.',
    default: 'false',
    example: true,
  },
  allowIssuerMismatch: {
    shape: yesOrNo,
    description: 'Accepts an authorization server whose issuer does not match exactly.',
    default: 'false',
    example: true,
  },
} as const satisfies FieldTable;

const TLS_FIELDS = {
  ca: {
    shape: someText,
    description: "The file with your company's CA certificate (PEM).",
    example: '${HOME}/company-ca.pem',
  },
  cert: { shape: someText, description: 'The file with your client certificate (PEM).', example: '${HOME}/me.pem' },
  key: { shape: someText, description: 'The file with the key of that certificate (PEM).', example: '${HOME}/me.key' },
} as const satisfies FieldTable;

/** The two fields that every remote entry has and whose readers also check them. */
export const ADDRESS_FIELDS = {
  url: {
    shape: filledText,
    isRequired: true,
    description: 'The address of the server. An entry with a `url` and no `type` is of type http.',
    example: 'https://mcp.example.com/mcp',
  },
  headers: {
    shape: mapOf(secretText, HEADER_NAME),
    description:
      'Headers of every request. The values are masked wherever Plugboard shows them, except in the question whether you approve the entry.',
    default: 'none',
    example: { Authorization: 'Bearer ${TOKEN}' },
  },
} as const satisfies FieldTable;

export const REMOTE_FIELDS = {
  headersHelper: {
    shape: someText,
    description:
      'A command that prints a JSON object of headers. Plugboard runs it at each connect, for 10 s at most, and once more when the server refuses the headers.',
    default: 'none',
    example: 'get-token --json',
  },
  oauth: {
    shape: objectOf(OAUTH_FIELDS),
    description: 'How you sign in to the server.',
    default: "the server's own metadata decides",
    example: { clientId: 'my-client', scopes: ['read'] },
  },
  xaa: { shape: yesOrNo, description: 'The same as `oauth.xaa`.', default: 'false', example: true },
  tls: {
    shape: objectOf(TLS_FIELDS),
    description: "Certificates of your company's CA, or your own.",
    default: "the system's",
    example: { ca: '${HOME}/company-ca.pem' },
  },
} as const satisfies FieldTable;

export const IDE_FIELDS = {
  authToken: { shape: secretText, description: 'The token that the editor expects.', default: 'none' },
} as const satisfies FieldTable;

export const CONNECTOR_FIELDS = {
  proxyUrl: { shape: someText, description: 'The address that requests are sent to.', default: '`url`' },
} as const satisfies FieldTable;

export const EMBEDDED_FIELDS = {
  name: {
    shape: filledText,
    isRequired: true,
    description: 'The name under which your program registered the server.',
    example: 'clock',
  },
} as const satisfies FieldTable;
