/** What the environment variables that an entry sets can do to a program, one sentence each. */
export function variableRisks(names: readonly string[]): readonly string[] {
  return KINDS.flatMap(({ pattern, harmless, tells }) => {
    const found = [...new Set(names)].filter((name) => pattern.test(name) && harmless?.test(name) !== true);
    const told = found.slice(0, TOLD).map((name) => `env.${name} ${tells}`);
    // Thousands of sentences would push everything else off the screen.
    return found.length > TOLD ? [...told, `${found.length - TOLD} more variables: each ${tells}`] : told;
  });
}

const TOLD = 12;

interface Kind {
  readonly pattern: RegExp;
  readonly harmless?: RegExp;
  readonly tells: string;
}

/** Windows and npm ignore the case of names. */
const anyOf = (...names: readonly string[]): RegExp => new RegExp(`^(?:${names.join('|')})$`, 'iu');

const KINDS: readonly Kind[] = [
  {
    tells: 'can make the program load other code',
    pattern: anyOf(
      String.raw`LD_\w+|DYLD_\w+|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|OPENSSL_(?:CONF|MODULES|ENGINES)`,
      String.raw`NODE_(?:OPTIONS|PATH|REPL_EXTERNAL_MODULE)|ELECTRON_RUN_AS_NODE|(?:npm|yarn|pnpm|bun|corepack|deno)_\w+`,
      String.raw`PYTHON\w+|(?:PIP|UV|PIPX|POETRY|PDM|HATCH|PIXI|CONDA|MAMBA)_\w+|VIRTUAL_ENV`,
      String.raw`PERL5\w+|PERLLIB|PERL_\w+|RUBY\w+|(?:GEM|BUNDLE)_\w+|PHPRC|PHP_INI_SCAN_DIR|COMPOSER_\w+|LUA_(?:PATH|CPATH|INIT)\w*`,
      String.raw`R_(?:PROFILE|ENVIRON|LIBS|HOME)\w*|JULIA_(?:LOAD_PATH|DEPOT_PATH|PROJECT)|(?:JAVA_TOOL|JDK_JAVA|_JAVA)_OPTIONS|JAVA_(?:HOME|OPTS)|CLASSPATH`,
      String.raw`(?:MAVEN|GRADLE|SBT)_\w+|GO(?:FLAGS|PROXY|ENV|ROOT|PATH|TOOLCHAIN|NOSUMDB|NOSUMCHECK|INSECURE|PRIVATE)|CARGO_\w+|RUST(?:C|FLAGS|UP)\w*`,
      String.raw`DOTNET_(?:STARTUP_HOOKS|ROOT|ADDITIONAL_DEPS|SHARED_STORE|CLI_HOME)\w*|(?:CORECLR|COR|COMPLUS)_\w+|MAKEFLAGS|MAKEFILES|GNUMAKEFLAGS`,
      String.raw`PATH|PATHEXT|COMSPEC|SHELL|BASH_ENV|BASH_FUNC_.+|BASHOPTS|ENV|ZDOTDIR|SHELLOPTS|PS4|PROMPT_COMMAND|IFS|CDPATH`,
      String.raw`GIT_\w+|SSH_ASKPASS\w*|SUDO_ASKPASS|RSYNC_RSH|CVS_RSH|TAR_OPTIONS|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|LESS(?:OPEN|CLOSE)`,
      String.raw`GTK_(?:MODULES|PATH)|GIO_\w+|QT_PLUGIN_PATH|QT_QPA_PLATFORM_PLUGIN_PATH|GST_PLUGIN_\w+|TERMINFO|INPUTRC`,
      String.raw`KUBECONFIG|DOCKER_CONFIG|AWS_(?:CONFIG_FILE|SHARED_CREDENTIALS_FILE)|CLOUDSDK_\w+|AZURE_CONFIG_DIR`,
    ),
    harmless: anyOf(
      String.raw`PYTHON(?:UNBUFFERED|UTF8|IOENCODING|HASHSEED|DONTWRITEBYTECODE|FAULTHANDLER|NOUSERSITE|SAFEPATH|OPTIMIZE)`,
      String.raw`UV_(?:NO_PROGRESS|OFFLINE|NO_CACHE|FROZEN|LOCKED|QUIET|LINK_MODE)|PIP_(?:NO_INPUT|QUIET|DISABLE_PIP_VERSION_CHECK)`,
      String.raw`GIT_(?:(?:AUTHOR|COMMITTER)_\w+|TERMINAL_PROMPT|TOKEN|PAT|USERNAME|PASSWORD)|(?:npm|yarn|pnpm)_TOKEN|npm_config_(?:yes|loglevel|fund|audit|update_notifier)`,
      String.raw`GIT_(?:REPO|REPOSITORY|BRANCH|URL|HOST|USER|EMAIL)`,
    ),
  },
  {
    tells: 'decides where its connections go, and who can read them',
    pattern: anyOf(
      String.raw`(?:HTTPS?|ALL|FTP|WSS?|SOCKS|NO|GLOBAL_AGENT_HTTPS?|GLOBAL_AGENT_HTTP)_?PROXY|GLOBAL_AGENT_\w+|HOSTALIASES|RES_OPTIONS|LOCALDOMAIN|RESOLV_HOST_CONF`,
      String.raw`(?:ANTHROPIC|OPENAI|AZURE_OPENAI)_(?:BASE_URL|API_BASE|ENDPOINT)|AWS_ENDPOINT_URL\w*|SSH_AUTH_SOCK|SSLKEYLOGFILE`,
    ),
  },
  {
    tells: 'decides whom it trusts on the network',
    pattern: anyOf(
      String.raw`NODE_TLS_REJECT_UNAUTHORIZED|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_(?:CA_BUNDLE|HOME|SSL_BACKEND)`,
      String.raw`AWS_CA_BUNDLE|HTTPLIB2_CA_CERTS|GRPC_DEFAULT_SSL_ROOTS_FILE_PATH`,
    ),
  },
  {
    tells: 'decides which machine it works on',
    pattern: anyOf(
      String.raw`DOCKER_(?:HOST|CONTEXT|CERT_PATH|TLS\w*)|CONTAINER_(?:HOST|CONNECTION)|BUILDKIT_HOST|PODMAN_\w+`,
    ),
  },
  {
    tells: 'decides where it looks for settings and programs of yours',
    pattern: anyOf(
      String.raw`HOME|USERPROFILE|APPDATA|LOCALAPPDATA|XDG_(?:CONFIG|DATA|STATE|CACHE|RUNTIME)_(?:HOME|DIRS?)`,
    ),
  },
];
