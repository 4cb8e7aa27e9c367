import { expect, test } from 'vitest';
import { type Case, readCase, toOutcome } from './test-case.js';

const cases: Readonly<Record<string, Case>> = {
  'Claude Code gives the servers of the user and those of this project, not those of others': {
    host: 'claude-code',
    text: `{
      "numStartups": 412,
      "mcpServers": {
        "sentry": { "type": "http", "url": "https://mcp.sentry.dev/mcp", "headers": { "Authorization": "Bearer \${TOKEN:-none}" } },
        "files": { "type": "stdio", "command": "npx", "args": ["-y", "server-files", "/tmp"], "env": {} },
        "noisy": { "command": "noisy" }
      },
      "projects": {
        "/home/user/code/app": {
          "allowedTools": [],
          "mcpServers": {
            "db": { "command": "db-server", "args": [] },
            "old": { "type": "sse", "url": "https://old.example/sse" }
          },
          "enabledMcpjsonServers": ["memory"],
          "disabledMcpjsonServers": [],
          "disabledMcpServers": ["old", "noisy"]
        },
        "/home/user/code/app/web": { "mcpServers": { "web": { "type": "ws", "url": "wss://web.example" } } },
        "/home/user/other": { "mcpServers": { "secret": { "command": "secret" } }, "enabledMcpjsonServers": ["x"] }
      }
    }`,
    entries: {
      sentry: { type: 'http', url: 'https://mcp.sentry.dev/mcp', headers: { Authorization: 'Bearer ${TOKEN:-none}' } },
      files: { type: 'stdio', command: 'npx', args: ['-y', 'server-files', '/tmp'], env: {} },
      noisy: { command: 'noisy' },
      web: { type: 'ws', url: 'wss://web.example' },
      db: { command: 'db-server', args: [] },
      old: { type: 'sse', url: 'https://old.example/sse', disabled: true },
    },
    scopes: { sentry: 'user', files: 'user', noisy: 'user', web: 'local', db: 'local', old: 'local' },
    problems: ['enabledMcpjsonServers'],
  },
  'Claude Desktop fills in no variables, so one that would be is told, unless the entry sets it itself': {
    host: 'claude-desktop',
    text: `{ "mcpServers": { "shell": { "command": "sh", "args": ["-c", "run \${HOME}"] }, "plain": { "command": "uvx", "args": ["a"], "env": { "KEY": "sk-1" } }, "own": { "command": "npx", "args": ["mcp-remote", "--header", "K:\${KEY}", "\${OTHER}"], "env": { "KEY": "sk-1", "HOME": "\${HOME}" } } } }`,
    entries: {
      shell: { command: 'sh', args: ['-c', 'run ${HOME}'] },
      plain: { command: 'uvx', args: ['a'], env: { KEY: 'sk-1' } },
      own: {
        command: 'npx',
        args: ['mcp-remote', '--header', 'K:${KEY}', '${OTHER}'],
        env: { KEY: 'sk-1', HOME: '${HOME}' },
      },
    },
    notes: { shell: ['variable HOME'], own: ['variable OTHER', 'variable HOME'] },
  },
  'Cursor has auth for oauth, its own variables, and env files': {
    host: 'cursor',
    text: `{
      // user servers
      "mcpServers": {
        "linear": { "url": "https://mcp.linear.app/mcp", "headers": { "X-Key": "\${env:LINEAR_KEY}" } },
        "oauth": { "url": "https://o.example/mcp", "auth": { "CLIENT_ID": "\${env:ID}", "CLIENT_SECRET": "s", "scopes": ["read", "write"] } },
        "local": {
          "type": "stdio",
          "command": "python",
          "args": ["\${workspaceFolder}/tools/server.py", "\${userHome}/data", "\${workspaceFolderBasename}"],
          "envFile": "\${workspaceFolder}/.env",
        },
      },
    }`,
    level: 'project',
    entries: {
      linear: { url: 'https://mcp.linear.app/mcp', headers: { 'X-Key': '${LINEAR_KEY}' } },
      oauth: {
        url: 'https://o.example/mcp',
        oauth: { clientId: '${ID}', clientSecret: 's', scopes: ['read', 'write'] },
      },
      local: {
        type: 'stdio',
        command: 'python',
        args: ['${PLUGBOARD_PROJECT_DIR}/tools/server.py', '${HOME}/data', '${workspaceFolderBasename}'],
      },
    },
    lost: { local: ['"envFile"', 'workspaceFolderBasename'] },
    scopes: { linear: 'project', oauth: 'project', local: 'project' },
  },
  'VS Code asks for inputs, which become environment variables': {
    host: 'vscode',
    text: `{
      // 💡 inputs are prompted on first start
      "inputs": [
        { "type": "promptString", "id": "perplexity-key", "description": "API key", "password": true, "default": "no" },
        { "type": "pickString", "id": "region", "options": ["eu", "us"], "default": "eu" },
        { "type": "command", "id": "2fa", "command": "extension.ask" },
        { "type": "promptString", "id": "path" },
      ],
      "servers": {
        "perplexity": {
          "type": "stdio", "command": "docker", "args": ["run", "-i", "--rm", "\${input:region}"],
          "env": { "PERPLEXITY_API_KEY": "\${input:perplexity-key}", "PORT": 8080, "DEBUG": null },
          "dev": { "watch": "build/**/*.js", "debug": { "type": "node" } }
        },
        "github": { "type": "http", "url": "https://api.githubcopilot.com/mcp/", "gallery": "https://g.example", "version": "1.0.0" },
        "odd": { "command": "x", "args": ["\${input:2fa}", "\${input:path}", "\${config:a.b}", "\${env:A(x86)}", "a\${/}b"], "cwd": "\${workspaceFolder}" }
      }
    }`,
    entries: {
      perplexity: {
        type: 'stdio',
        command: 'docker',
        args: ['run', '-i', '--rm', '${REGION:-eu}'],
        env: { PERPLEXITY_API_KEY: '${PERPLEXITY_KEY}', PORT: '8080' },
      },
      github: { type: 'http', url: 'https://api.githubcopilot.com/mcp/' },
      odd: {
        command: 'x',
        args: ['${INPUT_2FA}', '${INPUT_PATH}', '${config:a.b}', '${env:A(x86)}', 'a/b'],
        cwd: '${PLUGBOARD_PROJECT_DIR}',
      },
    },
    lost: {
      perplexity: ['unset a variable here: "DEBUG"', '"dev"'],
      odd: ['${config:a.b}', '${env:A(x86)}'],
    },
    notes: {
      perplexity: ['variable REGION', 'variable PERPLEXITY_KEY, which is a password'],
      odd: ['INPUT_2FA, which a VS Code command gave', 'variable INPUT_PATH'],
    },
  },
  'VS Code has a sandbox with other walls, and a second word for its transport': {
    host: 'vscode',
    text: `{ "servers": {
      "walled": {
        "command": "w", "sandboxEnabled": true,
        "sandbox": {
          "filesystem": { "allowWrite": ["\${workspaceFolder}", "\${workspaceFolder}/out", "/srv/data", "\${userHome}/x"], "denyRead": ["~/.ssh"], "denyWrite": ["/srv/data/keep"] },
          "network": { "allowedDomains": ["api.example"], "deniedDomains": ["bad.example"] }
        }
      },
      "shut": { "command": "s", "sandboxEnabled": true, "sandbox": { "filesystem": {} } },
      "plain": { "command": "p", "sandboxEnabled": true },
      "unused": { "command": "u", "sandboxEnabled": false, "sandbox": { "network": { "allowedDomains": ["x"] } } },
      "unstated": { "command": "n", "sandbox": { "network": {} } },
      "events": { "type": "http", "transport": "sse", "url": "https://e.example/sse", "oauth": { "clientId": "c" } }
    } }`,
    entries: {
      walled: { command: 'w', sandbox: { network: true, write: ['.', './out', '/srv/data'] } },
      shut: { command: 's', sandbox: true },
      plain: { command: 'p', sandbox: true },
      unused: { command: 'u' },
      unstated: { command: 'n' },
      events: { type: 'sse', url: 'https://e.example/sse', oauth: { clientId: 'c' } },
    },
    lost: {
      walled: ['"${userHome}/x"', 'denyRead', 'denyWrite', 'allowedDomains', 'deniedDomains'],
    },
  },
  'Gemini CLI has httpUrl, $NAME, trust and lists of who may start': {
    host: 'gemini',
    text: `{
      "theme": "Default",
      "mcp": { "excluded": ["off"] },
      "mcpServers": {
        "python": {
          "command": "python", "args": ["-m", "server", "--key=$KEY", "$5"], "cwd": "./tools", "timeout": 15000,
          "env": { "TOKEN": "$MY_TOKEN", "OTHER": "\${OTHER}" }, "trust": true,
          "includeTools": ["safe"], "excludeTools": ["rm"], "description": "Tools"
        },
        "older": { "httpUrl": "http://localhost:3000/mcp", "headers": { "Authorization": "Bearer $T" } },
        "both": { "httpUrl": "http://localhost:1/mcp", "url": "http://localhost:1/sse", "type": "sse" },
        "typed": { "url": "https://t.example/sse", "type": "sse" },
        "untyped": { "url": "https://u.example/mcp" },
        "signed": {
          "url": "https://s.example/mcp", "type": "http",
          "oauth": { "enabled": true, "clientId": "c", "scopes": ["a"], "tokenUrl": "https://s.example/token" }
        },
        "google": { "httpUrl": "https://g.example/mcp", "authProviderType": "google_credentials" },
        "found": { "httpUrl": "https://f.example/mcp", "authProviderType": "dynamic_discovery" },
        "quick": { "command": "q", "timeout": 500 },
        "off": { "command": "off" }
      }
    }`,
    entries: {
      python: {
        command: 'python',
        args: ['-m', 'server', '--key=${KEY}', '$5'],
        cwd: './tools',
        timeout: 15000,
        env: { TOKEN: '${MY_TOKEN}', OTHER: '${OTHER}' },
        trust: true,
        includeTools: ['safe'],
        excludeTools: ['rm'],
      },
      older: { type: 'http', url: 'http://localhost:3000/mcp', headers: { Authorization: 'Bearer ${T}' } },
      both: { type: 'http', url: 'http://localhost:1/mcp' },
      typed: { url: 'https://t.example/sse', type: 'sse' },
      untyped: { url: 'https://u.example/mcp' },
      signed: {
        url: 'https://s.example/mcp',
        type: 'http',
        oauth: { enabled: true, clientId: 'c', scopes: ['a'], tokenUrl: 'https://s.example/token' },
      },
      google: { type: 'http', url: 'https://g.example/mcp' },
      found: { type: 'http', url: 'https://f.example/mcp' },
      quick: { command: 'q', timeout: 1000 },
      off: { command: 'off', disabled: true },
    },
    lost: { both: ['"url" is left out'], google: ['"authProviderType" is left out'] },
    notes: { untyped: ['"type": "sse"'], quick: ['1000 ms'] },
    kept: { signed: ['oauth.enabled', 'oauth.tokenUrl'] },
  },
  'opencode has one list for the command, environment, and {env:NAME}': {
    host: 'opencode',
    text: `{
      "$schema": "https://opencode.ai/config.json",
      "mcp": {
        "everything": {
          "type": "local", "command": ["npx", "-y", "server-everything"], "enabled": true,
          "environment": { "KEY": "{env:MY_KEY}" }, "timeout": 10000
        },
        "context7": { "type": "remote", "url": "https://mcp.context7.com/mcp", "headers": { "K": "{file:~/.key}" }, "enabled": false },
        "jira": { "type": "remote", "url": "https://jira.example/mcp", "oauth": { "clientId": "{env:ID}", "scope": "read write" } },
        "open": { "type": "remote", "url": "https://open.example/mcp", "oauth": false },
      },
    }`,
    entries: {
      everything: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', 'server-everything'],
        env: { KEY: '${MY_KEY}' },
        timeout: 10000,
      },
      context7: { type: 'http', url: 'https://mcp.context7.com/mcp', headers: { K: '{file:~/.key}' }, disabled: true },
      jira: { type: 'http', url: 'https://jira.example/mcp', oauth: { clientId: '${ID}', scopes: 'read write' } },
      open: { type: 'http', url: 'https://open.example/mcp' },
    },
    lost: { context7: ['{file:~/.key}'] },
  },
  'opencode switches tools beside its servers, and has other words since its version 2': {
    host: 'opencode',
    text: `{
      "tools": { "jira_*": false, "wiki_*": false, "wiki_search": true, "git_push": false, "git_log": true, "my_db_get*": false, "bash": false, "git_x": "no" },
      "mcp": { "servers": {
        "jira": { "type": "remote", "url": "https://jira.example/mcp" },
        "wiki": { "type": "remote", "url": "https://wiki.example/mcp", "disabled": false },
        "git": { "type": "local", "command": ["git-mcp"], "timeout": { "startup": 20000, "request": 45000 } },
        "my.db": {
          "type": "remote", "url": "https://db.example/mcp", "timeout": { "request": 500 },
          "oauth": { "client_id": "c", "client_secret": "s", "scope": "a b", "callback_port": 4000, "redirect_uri": "http://localhost:4001/other" }
        }
      } }
    }`,
    entries: {
      jira: { type: 'http', url: 'https://jira.example/mcp', disabled: true },
      wiki: { type: 'http', url: 'https://wiki.example/mcp', disabled: false, includeTools: ['search'] },
      git: { type: 'stdio', command: 'git-mcp', startTimeout: 20_000, timeout: 45_000, excludeTools: ['push'] },
      'my.db': {
        type: 'http',
        url: 'https://db.example/mcp',
        timeout: 1000,
        oauth: { clientId: 'c', clientSecret: 's', scopes: 'a b', callbackPort: 4000 },
      },
    },
    lost: { 'my.db': ['"oauth.redirect_uri.callbackPort" is left out'] },
    notes: { jira: ['disabled here'], 'my.db': ['1000 ms', 'http://localhost:PORT/callback'] },
    problems: ['"my_db_get*" is left out'],
  },
  'opencode may put its servers one level deeper': {
    host: 'opencode',
    text: `{ "mcp": { "timeout": 5000, "servers": { "a": { "type": "local", "command": ["a"] } }, "b": { "type": "local", "command": ["b", "-x"] } } }`,
    entries: { a: { type: 'stdio', command: 'a' }, b: { type: 'stdio', command: 'b', args: ['-x'] } },
    problems: ['mcp.timeout'],
  },
  'an opencode server may be called "servers"': {
    host: 'opencode',
    text: `{ "mcp": { "servers": { "type": "remote", "url": "https://s.example/mcp" } } }`,
    entries: { servers: { type: 'http', url: 'https://s.example/mcp' } },
  },
  'Zed counts in seconds, has two ways to write a command, and extensions that only Zed starts': {
    host: 'zed',
    text: `{
      // Zed settings
      "theme": "One Dark",
      "context_servers": {
        "new": { "source": "custom", "enabled": true, "command": "node", "args": ["a.js"], "env": { "A": "1" } },
        "old": { "source": "custom", "remote": false, "command": { "path": "/bin/old", "args": ["-v"], "env": null }, "settings": {} },
        "remote": { "url": "https://zed.example/mcp", "headers": { "Authorization": "Bearer x" }, "enabled": false },
        "slow": { "command": "slow", "timeout": 1800 },
        "minute": { "url": "https://m.example/mcp", "timeout": 60, "oauth": { "client_id": "zed", "client_secret": null } },
        "older": { "command": { "path": "o", "timeout": 60 }, "remote": true, "settings": { "a": 1 } },
        "postgres": { "source": "extension", "settings": { "database_url": "postgres://secret" } },
        "github": { "settings": { "token": "ghp_secret" } },
      },
    }`,
    entries: {
      new: { command: 'node', args: ['a.js'], env: { A: '1' } },
      old: { command: '/bin/old', args: ['-v'] },
      remote: { url: 'https://zed.example/mcp', headers: { Authorization: 'Bearer x' }, disabled: true },
      slow: { command: 'slow', timeout: 1_800_000 },
      minute: { url: 'https://m.example/mcp', timeout: 60_000, oauth: { clientId: 'zed' } },
      older: { command: 'o', timeout: 60_000 },
    },
    lost: { older: ['"remote"', '"settings"'] },
    problems: ['"postgres" is skipped', '"github" is skipped'],
  },
  'Windsurf has serverUrl and ${env:NAME}': {
    host: 'windsurf',
    text: `{ "mcpServers": {
      "figma": { "serverUrl": "https://figma.example/mcp", "headers": { "K": "\${env:FIGMA}", "F": "\${file:/k}" }, "disabledTools": ["x"] },
      "twice": { "serverUrl": "https://a.example", "url": "https://b.example" },
      "local": { "command": "npx", "args": [], "disabled": true, "registry": "official" }
    } }`,
    entries: {
      figma: {
        url: 'https://figma.example/mcp',
        headers: { K: '${FIGMA}', F: '${file:/k}' },
        excludeTools: ['x'],
      },
      twice: { url: 'https://a.example' },
      local: { command: 'npx', args: [], disabled: true, registry: 'official' },
    },
    lost: { figma: ['${file:/k}'], twice: ['"url" is left out'] },
    kept: { local: ['registry'] },
  },
  'Cline counts in seconds, spells types its own way, and means SSE without one': {
    host: 'cline',
    text: `{ "mcpServers": {
      "http": { "type": "streamableHttp", "url": "https://c.example/mcp", "disabled": false, "alwaysAllow": ["get"], "timeout": 60 },
      "sse": { "url": "https://c.example/sse", "autoApprove": [] },
      "legacy": { "transportType": "stdio", "command": "node", "args": ["x.js"], "env": { "K": "\${env:K}" }, "disabled": true }
    } }`,
    entries: {
      http: { type: 'http', url: 'https://c.example/mcp', disabled: false, timeout: 60_000 },
      sse: { type: 'sse', url: 'https://c.example/sse' },
      legacy: { type: 'stdio', command: 'node', args: ['x.js'], env: { K: '${K}' }, disabled: true },
    },
    lost: { http: ['"alwaysAllow"'] },
  },
  'Copilot CLI says which tools, and local for stdio': {
    host: 'copilot',
    text: `{ "mcpServers": {
      "all": { "type": "local", "command": "npx", "args": ["-y", "p"], "tools": ["*"], "env": { "K": "\${K}" } },
      "some": { "type": "http", "url": "https://p.example/mcp", "headers": {}, "tools": ["read", "list"] }
    } }`,
    entries: {
      all: { type: 'stdio', command: 'npx', args: ['-y', 'p'], env: { K: '${K}' } },
      some: { type: 'http', url: 'https://p.example/mcp', headers: {}, includeTools: ['read', 'list'] },
    },
  },
};

test.each(Object.entries(cases))('%s', async (_title, given) => {
  expect(await readCase(given)).toEqual(toOutcome(given));
});
