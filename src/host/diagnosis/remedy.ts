import { parseUrl } from '../../base/parse-url.js';
import type { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { unreachable } from '../../base/never.js';
import { MASK } from '../../base/secret.js';
import { nameWord, shellWord } from '../../base/shell-word.js';
import { variablesOf } from '../../config/entries/expand-entry.js';
import type { HostConfig } from '../../config/load.js';
import { needsMoreScopes } from '../../connection/unavailable.js';
import { parseChallenge } from '../../model/challenge.js';
import { maskArguments } from '../../model/redaction/mask-arguments.js';
import { maskUrl } from '../../model/redaction/mask-url.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { systemCode } from '../../base/system-code.js';
import { stderrOf } from '../../model/text/error-stderr.js';
import { serverTargetOf } from '../../transports/kinds.js';
import { FRAMED_HINT } from '../../wire/framing.js';
import { remoteOf } from '../sign-in/sign-in-targets.js';
import { entryHint, exitOf, listeningHint, saidHint } from './exit-remedy.js';
import type { FailureCode } from './failure-code.js';

/** What is known of a failure besides the error and the entry. */
export interface Circumstances {
  readonly loaded: HostConfig;
  /** What the server printed on stdout that is no message. */
  readonly nonMessage: string | undefined;
}

/** What to do about a failure; the error's own hint where that is the best. */
export function remedyFor(
  code: FailureCode,
  error: HostError,
  { server, ...circumstances }: Circumstances & { readonly server: ConfiguredServer },
): string {
  switch (code) {
    case 'exited':
      return remedyForExit(error, server, circumstances);
    case 'stdout-noise':
      return remedyForNonMessage(error, server, circumstances);
    case 'wrong-framing':
      return FRAMED_HINT;
    case 'handshake-timeout':
      return remedyForSilence(error, server, circumstances);
    case 'connect-timeout':
      return 'Check the host and the port in "url", and whether a firewall or a VPN blocks the connection';
    case 'needs-auth':
      return unsetHint(server, circumstances, 'headers') ?? remedyForSignIn(error, server);
    case 'forbidden':
      return remedyForScopes(error, server);
    case 'session-lost':
      return `plugboard reconnect ${nameWord(server.name)}`;
    case 'connection-refused':
      return `Start the server, or correct host and port in "url"; then: plugboard doctor ${nameWord(server.name)}`;
    case 'overloaded':
      return `Wait a moment, then: plugboard doctor ${nameWord(server.name)}`;
    case 'not-mcp':
      return pathHint(server) ?? `Check that this is an MCP server; see what it does: ${byHand(server)}`;
    case 'dns':
      return `Correct the host in "url"; check that it resolves: nslookup ${hostOf(server)}`;
    case 'no-endpoint':
      return pathHint(server) ?? error.hint ?? `plugboard get ${nameWord(server.name)}`;
    case 'http-error':
      return remedyForStatus(error, server);
    case 'tls-failed':
      return otherScheme(error, server) ?? error.hint ?? `plugboard get ${nameWord(server.name)}`;
    case 'wrong-era':
      return 'Write "era": "auto" in its entry, or leave "era" out';
    case 'sign-in-failed':
      return remedyForTokens(error, server);
    case 'handshake-refused':
    case 'connection-lost':
      return error.hint ?? `plugboard logs ${nameWord(server.name)}`;
    case 'tls-expired':
    case 'tls-wrong-host':
    case 'tls-untrusted':
    case 'tls-client-certificate':
    case 'proxy':
      return andCheck(error.hint ?? `plugboard get ${nameWord(server.name)}`, server);
    case 'command-not-found':
    case 'start-failed':
    case 'sandbox-unavailable':
    case 'unreachable':
    case 'no-common-version':
    case 'bad-entry':
    case 'internal':
      return error.hint ?? `plugboard get ${nameWord(server.name)}`;
    default:
      return unreachable(code);
  }
}

/** Looks at the entry first, then at the output of the process, then at exit codes as shells define them. */
function remedyForExit(error: HostError, server: ConfiguredServer, circumstances: Circumstances): string {
  const { detail } = error;
  const { code, signal } = detail?.kind === 'exit' ? detail : { code: null, signal: null };
  const said = stderrOf(error);
  const exit = exitOf(server, `${said}\n${circumstances.nonMessage ?? ''}`, circumstances.loaded);
  const hint = unsetHint(server, circumstances) ?? (exit && (entryHint(exit) ?? saidHint(exit)));
  if (hint !== undefined) return hint;
  if (code === 127)
    return `The server calls a program that is not on PATH: install it. To see which: ${byHand(server)}`;
  if (code === 126)
    return `The server calls a program that is not executable: chmod +x. To see which: ${byHand(server)}`;
  if (signal === 'SIGKILL')
    return `The server was killed (SIGKILL), most often for lack of memory: sudo dmesg | grep -i 'killed process'`;
  if (signal !== null && CRASHES.has(signal)) return `The server crashed: reinstall it, then ${runByHand(server)}`;
  if (said.trim() === '' && code === 0) {
    return `The server exited at once with code 0 and printed no error. Is an argument missing, such as --stdio? Try: ${byHand(server)}`;
  }
  const next = runByHand(server);
  return `${next.charAt(0).toUpperCase()}${next.slice(1)}`;
}

const CRASHES: ReadonlySet<string> = new Set(['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP']);

/** A usage text, or a port that the server listens on, is a better hint than the advice to log to stderr. */
function remedyForNonMessage(error: HostError, server: ConfiguredServer, circumstances: Circumstances): string {
  const { nonMessage = '', loaded } = circumstances;
  const exit = exitOf(server, `${stderrOf(error)}\n${nonMessage}`, loaded);
  const hint = exit && (entryHint(exit) ?? listeningHint(nonMessage, exit) ?? saidHint(exit));
  return hint ?? `The server must log to stderr: stdout is for messages only. See its output: ${byHand(server)}`;
}

function remedyForSilence(error: HostError, server: ConfiguredServer, circumstances: Circumstances): string {
  const { written } = server;
  const exit = exitOf(server, stderrOf(error), circumstances.loaded);
  const hint = unsetHint(server, circumstances) ?? (exit && entryHint(exit));
  if (hint !== undefined) return hint;
  const downloads = DOWNLOADERS.has(String(written?.['command']));
  if (downloads) return `The first start may download the server; let it finish once: ${byHand(server)}`;
  const more = 'give it more time: "startTimeout": 120000 in its entry';
  return written?.['command'] === undefined
    ? `Look at the log of the server, or ${more}`
    : `See what the server waits for: ${byHand(server)}; or ${more}`;
}

/** A variable that the entry needs and that is not set explains most failures. */
function unsetHint({ name, origin }: ConfiguredServer, { loaded }: Circumstances, field = ''): string | undefined {
  const unset = loaded.problems.find(
    (problem) =>
      problem.code === 'missing-variable' &&
      problem.server === name &&
      problem.file === origin &&
      problem.field?.startsWith(field) === true,
  );
  const [, variable] = /: ([A-Za-z_]\w*)$/u.exec(unset?.message ?? '') ?? [];
  return unset && variable !== undefined
    ? `Set the variable that ${unset.field} needs: export ${variable}=...`
    : undefined;
}

const DOWNLOADERS: ReadonlySet<string> = new Set(['npx', 'uvx', 'bunx', 'pnpx', 'docker', 'podman', 'pipx', 'dnx']);

/** The server rejects the entry's credentials; or the entry has none, and the user can sign in. */
function remedyForSignIn({ hint }: HostError, server: ConfiguredServer): string {
  const remote = remoteOf(server);
  const login = hint ?? `plugboard login ${nameWord(server.name)}`;
  const headers = server.written?.['headers'];
  const isShown = isObject(headers) && Object.keys(headers).length > 0;
  if (remote?.headersHelper !== undefined) {
    return hint ?? `The server rejects the headers that its headersHelper prints: ${remote.headersHelper}`;
  }
  if (remote?.supportsSignIn === true && !remote.hasAuthorizationHeader) {
    return isShown ? `${login}; or check ${tokenOf(server)}, if that holds your credentials` : login;
  }
  // The account's token is not in the entry.
  if (server.scope === 'connectors' && hint !== undefined) return hint;
  if (isShown) return andCheck(`The server rejects the credentials that it gets: check ${tokenOf(server)}`, server);
  return andCheck('Add a token to its entry: "headers": { "Authorization": "Bearer ${TOKEN}" }, and set TOKEN', server);
}

/** The server knows who asks, and refuses this. */
function remedyForScopes(error: HostError, server: ConfiguredServer): string {
  if (isLogin(error.hint)) return error.hint;
  const scopes = lackingScopes(error);
  return andCheck(
    scopes === undefined
      ? `The server knows the token and refuses it this: check what the token may do, ${tokenOf(server)}`
      : `Give the token the scope ${scopes}: ${tokenOf(server)}`,
    server,
  );
}

/** The scopes that the server asks for; undefined when it refuses for another reason, or names none. */
export function lackingScopes(error: HostError): string | undefined {
  const { detail } = error;
  if (!needsMoreScopes(error) || detail?.kind !== 'http') return undefined;
  const { scopes } = parseChallenge(detail.challenge);
  return scopes.length === 0 ? undefined : scopes.slice(0, SCOPES_SHOWN).join(' ');
}

const SCOPES_SHOWN = 10;

/** For a hint that names no command: how to see whether it helped. */
function andCheck(hint: string, { name }: ConfiguredServer): string {
  return hint.includes('plugboard ') ? hint : `${hint}; then: plugboard doctor ${nameWord(name)}`;
}

/** Something answers at the URL, and it is no MCP server: most often the path is missing. */
function pathHint(server: ConfiguredServer): string | undefined {
  const url = urlOf(server);
  if (url === undefined) return undefined;
  const isSse = server.config?.type === 'sse';
  const path = isSse ? '/sse' : '/mcp';
  const look = `see what answers there: curl -i ${shellWord(url.href)}`;
  if (url.pathname === path)
    return `No MCP server answers at that path: look up the URL in the server's documentation; ${look}`;
  const meant = new URL(url);
  meant.pathname = path;
  const type = !isSse && url.pathname.endsWith('/sse') ? '; or "type": "sse"' : '';
  return `Correct the path, often ${path}: "url": ${JSON.stringify(meant.href)}${type}; ${look}`;
}

function remedyForStatus(error: HostError, server: ConfiguredServer): string {
  const { detail, hint } = error;
  const status = detail?.kind === 'http' ? detail.status : 0;
  const url = urlOf(server);
  if (url?.protocol === 'http:' && systemCode(error) === 'UND_ERR_SOCKET') {
    const secure = url.href.replace(/^http:/u, 'https:');
    return `Look at the log of the server; if its port expects TLS, write "url": ${JSON.stringify(secure)}`;
  }
  if (status === 502 || status === 504)
    return 'A proxy or gateway answers, but does not reach the server behind it: start the server itself';
  if (status >= 500 && hint === undefined) return "The server responds with an error: look at the server's own log";
  const isElsewhere = hint === undefined || hint.includes('path of its URL');
  if (!isElsewhere) return hint;
  return pathHint(server) ?? hint ?? "The server responds with an error: look at the server's own log";
}

/** The URL asks for TLS at a port that does not speak it. */
function otherScheme(error: HostError, server: ConfiguredServer): string | undefined {
  const url = urlOf(server);
  if (url === undefined || !/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/u.test(systemCode(error) ?? ''))
    return undefined;
  const plain = url.href.replace(/^(https|wss):/u, (_, scheme: string) => (scheme === 'https' ? 'http:' : 'ws:'));
  return `The server does not speak TLS. Write "url": ${JSON.stringify(plain)}, or correct the port`;
}

/** The server's URL; undefined when it contains a secret or a variable. */
function urlOf({ written }: ConfiguredServer): URL | undefined {
  const text = written?.['url'];
  return typeof text === 'string' && maskUrl(text) === text && !text.includes('${') ? parseUrl(text) : undefined;
}

/** The entry's URL does not name the authorization server, so there is nothing to correct when that is unreachable. */
function remedyForTokens({ hint, detail }: HostError, server: ConfiguredServer): string {
  const isAway = detail?.kind === 'oauth' && detail.isTransient && remoteOf(server)?.headersHelper === undefined;
  if (isAway) return `Nothing is lost; try again in a moment: plugboard doctor ${nameWord(server.name)}`;
  return hint ?? `plugboard logs ${nameWord(server.name)}`;
}

/** The code that keeps the credentials knows which scopes to ask for, so its hint is used. */
function isLogin(hint: string | undefined): hint is string {
  return hint?.includes('plugboard login ') === true;
}

/** Where the server's token is written, or the variable that holds it. */
function tokenOf({ written }: ConfiguredServer): string {
  const headers = written?.['headers'];
  const shown = isObject(headers) ? headers : {};
  const names = Object.keys(shown);
  const name = names.find((header) => header.toLowerCase() === 'authorization') ?? names[0];
  const [variable] = variablesOf({ headers: name === undefined ? {} : { [name]: shown[name] } });
  if (variable) return `the variable ${variable.variable} (${variable.field})`;
  return name === undefined ? 'in the headers of its entry' : `headers.${name} in its entry`;
}

/** The server's command to paste, every word quoted for the shell; another command where it would show a secret. */
/** A command that can be typed starts the server; without one, its log is what there is to see. */
function runByHand(server: ConfiguredServer): string {
  const line = byHand(server);
  return /^plugboard (?:logs|get) /u.test(line) ? `see its log: ${line}` : `run the server by hand: ${line}`;
}

function byHand({ written, name }: ConfiguredServer): string {
  const { command, args, cwd } = written ?? {};
  if (typeof command !== 'string') return `plugboard get ${nameWord(name)}`;
  const words = [command, ...maskArguments(Array.isArray(args) ? args : [], command)].map(String);
  const line = words.map(shellWord).join(' ');
  // `${...}` in an entry is expanded by Plugboard, not by the shell.
  const isPlain = !words.some((word) => word.includes(MASK) || word.includes('${')) && line.length <= COMMAND_LIMIT;
  if (!isPlain) return `plugboard logs ${nameWord(name)}`;
  return typeof cwd === 'string' && !cwd.includes('${') ? `cd ${shellWord(cwd)} && ${line}` : line;
}

const COMMAND_LIMIT = 300;

function hostOf({ config }: ConfiguredServer): string {
  const target = config && serverTargetOf(config);
  const url = target?.kind === 'url' ? (target.proxyUrl ?? target.url) : '';
  return parseUrl(url) !== undefined ? shellWord(new URL(url).hostname) : 'HOST';
}
