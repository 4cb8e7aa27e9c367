import { attempt } from '../base/attempt.js';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { KEY_PLACES } from '../model/redaction/key-places.js';
import { isWithin } from './files/path-within.js';
import { findRealPath } from './sandbox/sandbox-paths.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The user's home folders: HOME, and the one in the system's user database, which a changed HOME does not move. */
export function homeFolders(env: Environment): readonly string[] {
  return [...new Set([env['HOME'], systemHome()])].filter(
    (home): home is string => home !== undefined && home.startsWith('/') && home !== '/',
  );
}

/**
 * Paths below the home folders where keys, passwords and histories are kept, existing or not. A sandboxed server sees
 * one of them only if its entry names it in `read`.
 */
export function keyPlaces(env: Environment): readonly string[] {
  const homes = homeFolders(env);
  const named = KEY_VARIABLES.flatMap((name) => env[name]?.split(':') ?? []);
  const inFolders = Object.entries(FOLDER_VARIABLES).flatMap(([name, files]) => below([env[name]], files));
  const all = [
    ...below(homes, IN_HOME),
    ...below([...homes.map((home) => join(home, '.config')), env['XDG_CONFIG_HOME']], IN_CONFIG),
    ...below([...homes.map((home) => join(home, '.local/share')), env['XDG_DATA_HOME']], IN_DATA),
    // A variable may name anything, even /dev/null or the home folder: only paths inside a home folder count.
    ...[...named, ...inFolders].filter((path) => homes.some((home) => path !== home && isWithin(path, home))),
  ];
  return [...new Set(all)];
}

/**
 * The real paths of the programs' own folders in these homes that hold key places beside other files: ~/.claude, but
 * not ~/.config, which all programs share. Files in such a folder are often replaced, or created later.
 */
export function foldersAround(places: readonly string[], homes: readonly string[]): readonly string[] {
  const folders = places.flatMap((place) => findRealPath(dirname(place)) ?? []);
  return [...new Set(folders)].filter((folder) =>
    homes.some((home) => isWithin(folder, home) && OWN_FOLDER.test(folder.slice(home.length))),
  );
}

const OWN_FOLDER = /^\/\.(?!(?:config|local|local\/share|cache)$)[^/]/u;

function below(folders: readonly (string | undefined)[], names: readonly string[]): string[] {
  return folders.flatMap((folder) => (folder?.startsWith('/') === true ? names.map((name) => join(folder, name)) : []));
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/u);

/** Keys and passwords, keyrings, browsers, mail, histories of shells and the like, settings that often hold a key. */
const IN_HOME = [
  ...KEY_PLACES.home,
  ...words(`
  .docker .pki .gnome2/keyrings .kde/share/apps/kwallet .env .envrc
  .mozilla .librewolf .waterfox .thunderbird .opera
  snap/firefox snap/chromium snap/thunderbird snap/brave snap/opera
  .var/app/org.mozilla.firefox .var/app/org.chromium.Chromium .var/app/com.google.Chrome .var/app/com.brave.Browser
  .var/app/com.microsoft.Edge .var/app/io.gitlab.librewolf-community .var/app/org.mozilla.Thunderbird
  .bash_history .zsh_history .zhistory .histfile .history .sh_history .ksh_history .zsh_sessions .bash_sessions
  .python_history .node_repl_history .psql_history .mysql_history .sqlite_history .rediscli_history .lesshst
  .claude/settings.json .claude/settings.local.json .claude/history.jsonl .codex/history.jsonl .codex/sessions
`),
];
const IN_CONFIG = [
  ...KEY_PLACES.config,
  ...words(`
  google-chrome google-chrome-beta google-chrome-unstable chromium BraveSoftware microsoft-edge vivaldi opera
`),
];
const IN_DATA = [...KEY_PLACES.data, ...words('fish atuin')];
/** Variables that name another place for a program's keys. */
const KEY_VARIABLES = words(`
  GNUPGHOME KUBECONFIG AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE CLOUDSDK_CONFIG AZURE_CONFIG_DIR DOCKER_CONFIG NETRC HISTFILE
  npm_config_userconfig NPM_CONFIG_USERCONFIG PGPASSFILE PASSWORD_STORE_DIR
  RCLONE_CONFIG TF_CLI_CONFIG_FILE BOTO_CONFIG GH_CONFIG_DIR GOOGLE_APPLICATION_CREDENTIALS PIP_CONFIG_FILE OPENCODE_CONFIG
`);
/** Variables that move a whole folder, and the key files in it. */
const FOLDER_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  CARGO_HOME: words('credentials credentials.toml'),
  CLAUDE_CONFIG_DIR: words('.claude.json .credentials.json backups settings.json settings.local.json history.jsonl'),
  CODEX_HOME: words('auth.json .credentials.json config.toml history.jsonl sessions'),
  COPILOT_HOME: words('mcp-config.json config.json'),
  HF_HOME: words('token'),
};

function systemHome(): string | undefined {
  return attempt(() => userInfo().homedir); // a container's user may have no passwd entry
}
