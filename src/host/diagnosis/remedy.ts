import { parseUrl } from '../../base/parse-url.js';
import type { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { unreachable } from '../../base/never.js';
import { MASK } from '../../base/secret.js';
import { nameWord, shellWord } from '../../base/shell-word.js';
import { variablesOf } from '../../config/expand-entry.js';
import { maskArguments } from '../../config/mask.js';
import type { ConfiguredServer } from '../../config/server.js';
import { targetOf } from '../../transports/kinds.js';
import { remoteOf } from '../sign-in-targets.js';
import type { FailureCode } from './failure-code.js';

/** What to do about a failure. Where the error knows that best, what it says. */
export function remedyFor(code: FailureCode, error: HostError, server: ConfiguredServer): string {
  switch (code) {
    case 'exited':
      return remedyForExit(error, server);
    case 'stdout-noise':
      return `stdout is for messages only, let it log to stderr. See what it prints: ${byHand(server)}`;
    case 'handshake-timeout':
      return remedyForSilence(server);
    case 'connect-timeout':
      return 'Check the host and the port of its URL, and whether a firewall or a VPN stands between';
    case 'needs-auth':
      return remedyForSignIn(error, server);
    case 'forbidden':
      if (isLogin(error.hint)) return error.hint;
      return `Whoever asks is known there and may not: check what the token may do, ${tokenOf(server)}`;
    case 'session-lost':
      return `plugboard reconnect ${nameWord(server.name)}`;
    case 'connection-refused':
      return `Start it, or correct host and port of "url"; then: plugboard doctor ${nameWord(server.name)}`;
    case 'overloaded':
      return `Wait a moment, then: plugboard doctor ${nameWord(server.name)}`;
    case 'not-mcp':
      return `Is it an MCP server at all? See what it does: ${byHand(server)}`;
    case 'dns':
      return `Correct the host in "url"; whether it has an address: nslookup ${hostOf(server)}`;
    case 'http-error':
      return error.hint ?? `It is there, and not well: look at the log of the server itself`;
    case 'wrong-era':
      return 'Write "era": "auto" in its entry, or leave "era" out';
    case 'sign-in-failed':
      return remedyForTokens(error, server);
    case 'handshake-refused':
    case 'connection-lost':
      return error.hint ?? `plugboard logs ${nameWord(server.name)}`;
    case 'command-not-found':
    case 'start-failed':
    case 'sandbox-unavailable':
    case 'tls-expired':
    case 'tls-wrong-host':
    case 'tls-untrusted':
    case 'tls-client-certificate':
    case 'tls-failed':
    case 'proxy':
    case 'unreachable':
    case 'no-endpoint':
    case 'no-common-version':
    case 'bad-entry':
    case 'internal':
      return error.hint ?? `plugboard get ${nameWord(server.name)}`;
    default:
      return unreachable(code);
  }
}

/** Which field of its entry is to be looked at. */
export function fieldOf(code: FailureCode): string | undefined {
  switch (code) {
    case 'command-not-found':
    case 'start-failed':
    case 'exited':
    case 'stdout-noise':
      return 'command';
    case 'sandbox-unavailable':
      return 'sandbox';
    case 'connection-refused':
    case 'dns':
    case 'unreachable':
    case 'connect-timeout':
    case 'no-endpoint':
    case 'tls-wrong-host':
    case 'http-error':
      return 'url';
    case 'tls-untrusted':
    case 'tls-client-certificate':
      return 'tls';
    case 'needs-auth':
    case 'forbidden':
      return 'headers';
    case 'wrong-era':
      return 'era';
    case 'sign-in-failed':
      return 'oauth';
    case 'tls-expired':
    case 'tls-failed':
    case 'proxy':
    case 'handshake-timeout':
    case 'session-lost':
    case 'not-mcp':
    case 'handshake-refused':
    case 'no-common-version':
    case 'connection-lost':
    case 'overloaded':
    case 'bad-entry':
    case 'internal':
      return undefined;
    default:
      return unreachable(code);
  }
}

/** Exit codes as shells give them. */
function remedyForExit({ detail }: HostError, server: ConfiguredServer): string {
  const { code, signal } = detail?.kind === 'exit' ? detail : { code: null, signal: null };
  if (code === 127) return `A program that it calls is not on PATH: ${byHand(server)}`;
  if (code === 126) return `A program that it calls may not be run: ${byHand(server)}`;
  if (signal === 'SIGKILL') return 'Something ended it, most often for want of memory: look at dmesg';
  return `Run it by hand: ${byHand(server)}`;
}

function remedyForSilence(server: ConfiguredServer): string {
  const { written } = server;
  const downloads = DOWNLOADERS.has(String(written?.['command']));
  if (downloads) return `Its first start may download it; let that end once: ${byHand(server)}`;
  return written?.['command'] === undefined
    ? 'Look at the log of the server, or give it more time: --timeout MS, or MCP_TIMEOUT=MS'
    : `Give it more time with --timeout MS or MCP_TIMEOUT=MS, or see what it waits for: ${byHand(server)}`;
}

const DOWNLOADERS: ReadonlySet<string> = new Set(['npx', 'uvx', 'bunx', 'pnpx', 'docker', 'podman', 'pipx', 'dnx']);

/** Who the entry says we are is not believed; or it says nothing, and somebody can. */
function remedyForSignIn({ hint }: HostError, server: ConfiguredServer): string {
  const remote = remoteOf(server);
  const login = hint ?? `plugboard login ${nameWord(server.name)}`;
  const headers = server.written?.['headers'];
  const isShown = isObject(headers) && Object.keys(headers).length > 0;
  if (remote?.headersHelper !== undefined) {
    return hint ?? `The server does not take what its headersHelper gives: ${remote.headersHelper}`;
  }
  if (remote?.signsIn === true && !remote.saysWho) {
    return isShown ? `${login}; or check ${tokenOf(server)}, if that is to say who you are` : login;
  }
  if (isShown) return `The server does not take what it is shown: check ${tokenOf(server)}`;
  return 'Add a token to its entry: "headers": { "Authorization": "Bearer ${TOKEN}" }, and set TOKEN';
}

/** Whoever gives the tokens is named by no URL of the entry: when it is away, there is nothing to correct there. */
function remedyForTokens({ hint, detail }: HostError, server: ConfiguredServer): string {
  const isAway = detail?.kind === 'oauth' && detail.isTransient && remoteOf(server)?.headersHelper === undefined;
  if (isAway) return `Nothing is lost; try again in a moment: plugboard doctor ${nameWord(server.name)}`;
  return hint ?? `plugboard logs ${nameWord(server.name)}`;
}

/** What keeps the credentials knows which rights are to be asked for. */
function isLogin(hint: string | undefined): hint is string {
  return hint?.includes('plugboard login ') === true;
}

/** Where its token is written, or comes from. */
function tokenOf({ written }: ConfiguredServer): string {
  const headers = written?.['headers'];
  const shown = isObject(headers) ? headers : {};
  const names = Object.keys(shown);
  const name = names.find((header) => header.toLowerCase() === 'authorization') ?? names[0];
  const [variable] = variablesOf({ headers: name === undefined ? {} : { [name]: shown[name] } });
  if (variable) return `the variable ${variable.variable} (${variable.field})`;
  return name === undefined ? 'in the headers of its entry' : `headers.${name} in its entry`;
}

/** Its command, to be pasted, unless something in it may not be shown. No part of it means anything to the shell. */
function byHand({ written, name }: ConfiguredServer): string {
  const { command, args, cwd } = written ?? {};
  if (typeof command !== 'string') return `plugboard get ${nameWord(name)}`;
  const words = [command, ...maskArguments(Array.isArray(args) ? args : [])].map(String);
  const line = words.map(shellWord).join(' ');
  // A variable of the entry is not one of the shell's.
  const isPlain = !words.some((word) => word.includes(MASK) || word.includes('${')) && line.length <= COMMAND_LIMIT;
  if (!isPlain) return `plugboard logs ${nameWord(name)}`;
  return typeof cwd === 'string' && !cwd.includes('${') ? `cd ${shellWord(cwd)} && ${line}` : line;
}

const COMMAND_LIMIT = 300;

function hostOf({ config }: ConfiguredServer): string {
  const target = config && targetOf(config);
  const url = target?.kind === 'url' ? (target.proxyUrl ?? target.url) : '';
  return parseUrl(url) !== undefined ? shellWord(new URL(url).hostname) : 'HOST';
}
