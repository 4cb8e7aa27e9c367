import { userInfo } from 'node:os';
import { join } from 'node:path';
import { isWithin } from './path-within.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The user's home folders: what HOME says, and what the system says, which a changed HOME does not move. */
export function homeFolders(env: Environment): readonly string[] {
  return [...new Set([env['HOME'], systemHome()])].filter(
    (home): home is string => home !== undefined && home.startsWith('/') && home !== '/',
  );
}

/**
 * Where people keep keys, passwords, and what they have typed: paths below their home folders, there or not. No server in a
 * sandbox sees them unless its entry names them in `read`.
 */
export function keyPlaces(env: Environment): readonly string[] {
  const homes = homeFolders(env);
  const named = KEY_VARIABLES.flatMap((name) => env[name]?.split(':') ?? []);
  const all = [
    ...below(homes, IN_HOME),
    ...below([...homes.map((home) => join(home, '.config')), env['XDG_CONFIG_HOME']], IN_CONFIG),
    ...below([...homes.map((home) => join(home, '.local/share')), env['XDG_DATA_HOME']], IN_DATA),
    // A variable may name anything, /dev/null or the home folder itself: only what lies in a home folder is the user's own.
    ...named.filter((path) => homes.some((home) => path !== home && isWithin(path, home))),
  ];
  return [...new Set(all)];
}

function below(folders: readonly (string | undefined)[], names: readonly string[]): string[] {
  return folders.flatMap((folder) => (folder?.startsWith('/') === true ? names.map((name) => join(folder, name)) : []));
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/u);

/** Keys and passwords, keyrings, browsers and mail, and the histories of shells and the like. */
const IN_HOME = words(`
  .ssh .aws .azure .gnupg .kube .docker .netrc .npmrc .git-credentials .pypirc .pgpass .my.cnf .vault-token
  .password-store .pki .gnome2/keyrings .kde/share/apps/kwallet
  .mozilla .librewolf .waterfox .thunderbird .opera
  snap/firefox snap/chromium snap/thunderbird snap/brave snap/opera
  .var/app/org.mozilla.firefox .var/app/org.chromium.Chromium .var/app/com.google.Chrome .var/app/com.brave.Browser
  .var/app/com.microsoft.Edge .var/app/io.gitlab.librewolf-community .var/app/org.mozilla.Thunderbird
  .bash_history .zsh_history .zhistory .histfile .history .sh_history .ksh_history .zsh_sessions .bash_sessions
  .python_history .node_repl_history .psql_history .mysql_history .sqlite_history .rediscli_history .lesshst
`);
const IN_CONFIG = words(`
  gcloud gh op git/credentials
  google-chrome google-chrome-beta google-chrome-unstable chromium BraveSoftware microsoft-edge vivaldi opera
`);
const IN_DATA = words('keyrings kwalletd fish atuin');
/** By which programs are told to keep theirs elsewhere. */
const KEY_VARIABLES = words(`
  GNUPGHOME KUBECONFIG AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE CLOUDSDK_CONFIG AZURE_CONFIG_DIR DOCKER_CONFIG NETRC HISTFILE
  npm_config_userconfig NPM_CONFIG_USERCONFIG PGPASSFILE PASSWORD_STORE_DIR
`);

function systemHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined; // a container's user has no entry in passwd
  }
}
