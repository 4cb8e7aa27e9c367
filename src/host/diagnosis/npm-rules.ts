import { shellWord } from '../../base/shell-word.js';
import { argsText, type Exit, type ExitRule } from './exit-rule.js';
import { launchSubjectOf } from './launch.js';

const isNpm = /^npm (?:error|ERR!)/mu;

/** Error messages of npm and npx, recognized by npm's error codes. */
export const npmRules: readonly ExitRule[] = [
  {
    when: /npx canceled due to missing packages/u,
    hint: ({ launch }) => `Let npx download the package without asking: ${argsText(['-y', ...launch.shown.slice(1)])}`,
  },
  byCode('E404', (exit) => {
    const name = packageOf(exit);
    return `npm knows no package ${name === undefined ? 'of that name' : `"${name}"`}. Correct "args"${look('npm search', name)}; if the package is private: npm login`;
  }),
  byCode(
    'ETARGET',
    (exit) =>
      `npm has no such version. Correct "args"; see the versions: npm view ${shellWord(packageOf(exit) ?? 'PACKAGE')} versions`,
  ),
  byCode('E401|E403|ENEEDAUTH', () => 'The npm registry refuses you. Sign in: npm login; then check: npm whoami'),
  byCode(
    'ECONNREFUSED|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|ECONNRESET|ERR_SOCKET_TIMEOUT',
    () => 'npm cannot reach its registry. Check the connection and the address: npm ping; npm config get registry',
  ),
  byCode(
    'SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT_LOCALLY|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_HAS_EXPIRED',
    () => 'npm does not trust the certificate of its registry. Name the CA: npm config set cafile /path/to/ca.pem',
  ),
  byCode(
    'EACCES|EPERM',
    () => 'npm may not write to its cache of packages: sudo chown -R "$(id -u)" "$(npm config get cache)"',
  ),
  byCode('ENOSPC', () => 'The disk is full: df -h'),
  byCode('EINTEGRITY|ENOTEMPTY', () => 'The npm cache is damaged. Clear it to download again: npm cache clean --force'),
  {
    when: /could not determine executable to run/u,
    hint: (exit) => {
      const name = packageOf(exit);
      if (name === undefined) return undefined;
      return `The package has no program of that name. See which it has: npm view ${shellWord(name)} bin; then write ${argsText(['-y', '-p', name, 'PROGRAM'])}`;
    },
  },
];

function byCode(codes: string, hint: (exit: Exit) => string): ExitRule {
  const when = new RegExp(`^npm (?:error|ERR!) (?:code (?:${codes})$|.{0,40}\\b(?:${codes})\\b)`, 'mu');
  return { when, hint: (exit) => (isNpm.test(exit.said) ? hint(exit) : undefined) };
}

/** The package that the entry names, without its version. */
function packageOf({ launch }: Exit): string | undefined {
  const word = launch.runs?.kind === 'package' ? launchSubjectOf(launch) : undefined;
  return word?.replace(/(?<=.)@[^@/]*$/u, '');
}

function look(command: string, name: string | undefined): string {
  return name === undefined ? '' : `; look for it: ${command} ${shellWord(name)}`;
}
