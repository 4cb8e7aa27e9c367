import { hasMixedScript } from '../../model/text/mixed-script.js';
import { gateLine } from '../../model/text/text-gate.js';
import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import { CODE_RISK, commandRisks } from './command-risks.js';
import { variableRisks } from './variable-risks.js';

/** What to know before a repository's entry may run, one sentence each. `files`: its arguments that are files. */
export function risksOf(entry: RawEntry, files: readonly string[] = []): readonly string[] {
  const { command, args, env, url, headersHelper } = entry;
  const argv = [command, ...(Array.isArray(args) ? args : [])].filter((part) => typeof part === 'string');
  const risks = [...commandRisks(argv)];
  // If an argument is reported as code, it is not reported as a file, too.
  const isCode = risks.some((risk) => risk.endsWith(CODE_RISK));
  if (startsByPath(isCode ? argv.slice(0, 1) : argv, isCode ? [] : files)) {
    risks.push('it starts a program by its path, perhaps one of this repository');
  }
  risks.push(...variableRisks(isObject(env) ? Object.keys(env) : []));
  if (headersHelper !== undefined) risks.push('headersHelper runs a shell command at every connect');
  if (entry['inheritEnv'] === true) risks.push('it gets all of your environment, secrets included');
  else if (Array.isArray(entry['inheritEnv']))
    risks.push(`it gets ${entry['inheritEnv'].join(', ')} of your environment`);
  risks.push(...signInRisks(entry));
  const texts = textsOf(entry);
  if (texts.some((text) => HIDDEN.test(text) || gateLine(text).findings.length > 0))
    risks.push('it holds invisible characters');
  if (texts.some((text) => /\s{20}/u.test(text))) risks.push('it holds a long run of spaces, which may hide more text');
  if ([...argv, url].some((part) => typeof part === 'string' && hasMixedScript(part))) {
    risks.push('it mixes letters of several alphabets that look alike');
  }
  return risks;
}

/** `./x.sh`, or a file passed to an interpreter: `node ./x.mjs`, or `python x.py` if it exists. */
function startsByPath([command = '', ...args]: readonly string[], files: readonly string[]): boolean {
  const values = args.map((word) => word.slice(word.indexOf('=') + 1));
  return isByPath(command) || [...values.filter(isByPath), ...files].some((word) => SCRIPT.test(word));
}

function isByPath(word: string): boolean {
  return /[/\\]/u.test(word);
}

const SCRIPT = /^(?!\w+:\/\/).*\.(?:[cm]?[jt]sx?|pyw?|rb|pl|lua|php|sh|bash|zsh|fish|ps1|bat|cmd|jar|wasm|exe)$/iu;

/** Sign-in settings that only the user should make: who is trusted, and which of the user's files are used. */
function signInRisks(entry: RawEntry): readonly string[] {
  const oauth = isObject(entry['oauth']) ? entry['oauth'] : {};
  const risks: string[] = [];
  const { assertion, privateKey } = oauth;
  if (typeof assertion === 'string' && !WEB_TOKEN.test(assertion))
    risks.push(`it sends the content of ${assertion} to the server where it signs in`);
  if (typeof privateKey === 'string' && !privateKey.includes('-----BEGIN'))
    risks.push(`it signs with the key in ${privateKey}, in your name`);
  if (oauth['authServerMetadataUrl'] !== undefined) risks.push('it decides where you sign in, instead of the server');
  if (oauth['allowIssuerMismatch'] === true) risks.push('it lets one authorization server speak for another');
  if (oauth['allowMissingPkce'] === true) risks.push('it signs in even without PKCE, which protects its codes');
  if (entry['xaa'] === true || oauth['xaa'] === true)
    risks.push('it asks your identity provider to vouch for you there');
  return risks;
}

const WEB_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/u;

/** Unusual blanks and invisible letters, which the text gate allows. */
const HIDDEN = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u3164]/u;

/** Every text of an entry, including names of fields. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isObject(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)]) : [];
}
