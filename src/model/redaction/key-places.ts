/**
 * Where programs keep keys, passwords and tokens of their user: files, and folders that hold little else. The sandbox
 * hides these places, and the Read tool asks before it shows one.
 */
export interface KeyPlaces {
  /** Below the home folder. */
  readonly home: readonly string[];
  /** Below ~/.config or XDG_CONFIG_HOME. */
  readonly config: readonly string[];
  /** Below ~/.local/share or XDG_DATA_HOME. */
  readonly data: readonly string[];
}

/** A folder that also holds programs, plugins or packages is not listed; its secret files are. */
export const KEY_PLACES: KeyPlaces = {
  home: lines(`
    .ssh .aws .azure .gnupg .kube .netrc _netrc .npmrc .git-credentials .pypirc .pgpass .my.cnf .mylogin.cnf .vault-token .password-store
    .s3cfg .boto .terraformrc .terraform.d/credentials.tfrc.json .pulumi/credentials.json .oci .databrickscfg .snowsql .mc/config.json
    .cargo/credentials .cargo/credentials.toml .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .sbt/.credentials
    .ivy2/.credentials .nuget/NuGet/NuGet.Config .yarnrc .yarnrc.yml .bunfig.toml .gem/credentials .bundle/config .composer/auth.json
    .hex/hex.config .pip/pip.conf .dockercfg .docker/config.json .huggingface/token .cache/huggingface/token .kaggle/kaggle.json
    .fly/config.yml .ngrok2/ngrok.yml .wakatime.cfg .msmtprc .fetchmailrc .mbsyncrc .rclone.conf
    .claude.json .claude.json.backup .claude/.credentials.json .claude/backups
    .codex/auth.json .codex/.credentials.json .codex/config.toml .copilot/mcp-config.json .copilot/config.json .cursor/mcp.json
    .gemini/settings.json .gemini/oauth_creds.json .gemini/mcp-oauth-tokens.json .gemini/mcp-oauth-tokens-v2.json .gemini/.env
    .cline/data/settings/cline_mcp_settings.json .cline/data/secrets.json
    .codeium/windsurf/mcp_config.json .codeium/windsurf-next/mcp_config.json
  `),
  config: [
    ...lines(`
      gcloud gh op git/credentials rclone hub glab-cli github-copilot doctl hcloud stripe ngrok sops configstore containers/auth.json
      pip/pip.conf pypoetry/auth.toml composer/auth.json goose/config.yaml goose/secrets.yaml zed/settings.json
      opencode/opencode.json opencode/opencode.jsonc opencode/config.json
      Claude/claude_desktop_config.json Claude/config.json Claude/Cookies
    `),
    ...['Code', 'Code - Insiders'].flatMap((editor) => [
      `${editor}/User/mcp.json`,
      `${editor}/User/globalStorage/state.vscdb`,
      `${editor}/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`,
    ]),
  ],
  data: lines('keyrings kwalletd opencode/auth.json opencode/mcp-auth.json'),
};

function lines(text: string): readonly string[] {
  return text.trim().split(/\s+/u);
}
