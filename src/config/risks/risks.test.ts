import { describe, expect, test } from 'vitest';
import type { RawEntry } from '../../transports/kind.js';
import { risksOf } from './risks.js';
import { isSteep } from '../../../test/cpu-time.js';

function check(entry: RawEntry, expected: readonly string[]): void {
  expect(risksOf(entry)).toEqual(expected);
}
const BY_PATH = 'it starts a program by its path, perhaps one of this repository';
const HIDDEN = 'it holds invisible characters';

describe('a command that runs its argument as code says so', () => {
  test.each<[program: string, argv: readonly string[]]>([
    ['npx', ['npx', '-c', 'touch pwn']],
    ['npx', ['npx', '-y', '--call=touch pwn']],
    ['npm', ['npm', 'exec', '-c', 'touch pwn']],
    ['sh', ['sh', '-c', 'x']],
    ['bash', ['bash', '-lc', 'x']],
    ['bash', ['bash', '-ce', 'x']],
    ['bash', ['BASH.exe', '-c', 'x']],
    ['zsh', ['zsh', '-ic', 'x']],
    ['fish', ['fish', '--command=x']],
    ['node', ['node', '-e', 'x']],
    ['node', ['node', '--eval=x']],
    ['node', ['node', '-pe', 'x']],
    ['node', ['node', '--import', 'data:text/javascript,x']],
    ['node', ['node', '--require=./x.js', 'a.js']],
    ['deno', ['deno', 'eval', 'x']],
    ['bun', ['bun', '-e', 'x']],
    ['python', ['python', '-c', 'x']],
    ['python', ['python3', '-Ic', 'x']],
    ['python', ['python3.12', '-cimport os']],
    ['perl', ['perl', '-ne', 'x']],
    ['ruby', ['ruby', '-e', 'x']],
    ['php', ['php', '-r', 'x']],
    ['osascript', ['osascript', '-e', 'x']],
    ['cmd', ['cmd', '/c', 'x']],
    ['cmd', ['cmd.exe', '/K', 'x']],
    ['powershell', ['powershell', '-EncodedCommand', 'x']],
    ['powershell', ['PowerShell.exe', '-enc', 'x']],
    ['pwsh', ['pwsh', '-Command', 'x']],
    ['sh', ['env', 'A=1', 'sh', '-c', 'x']],
    ['node', ['npx', '-y', 'node', '-e', 'x']],
    ['bash', ['docker', 'run', '--entrypoint', 'bash', 'image', '-c', 'x']],
  ])('%s in %j', (program, [command, ...args]) => check({ command, args }, [`${program} runs its argument as code`]));
});

describe('an ordinary entry has no risk to tell', () => {
  test.each<RawEntry>([
    {},
    { command: 'npx', args: ['-y', '@company/server', '/home/me'] },
    { command: 'node', args: ['server.js', '--port', '3000'] },
    { command: 'uvx', args: ['server'] },
    { command: 'docker', args: ['run', '-i', '--rm', 'image'] },
    { command: 'python', args: ['-m', 'server'] },
    { command: 'constructor', args: ['-c'] },
    { command: 'npx', args: 'not a list', env: 'nor this' },
    { command: 1, args: [1, null] },
    { url: 'https://h.test/mcp', headers: { A: 'b' } },
    { command: 'npx', env: { TOKEN: 'x', MY_PATH: 'y', PATHS: 'z', GIT_TOKEN: 'x', PYTHONUNBUFFERED: '1' } },
    { command: 'npx', args: ['-y', '@company/server@1.2.3', './docs', '--port=3000'] },
    { command: 'npx', args: ['-y', 'mcp-remote', 'https://h.test/mcp', '--header', 'A: b'] },
    { command: 'uvx', args: ['--from', 'some-package==1.2', 'some-server', '--db', './x.db'] },
    { command: 'uv', args: ['run', '--with', 'mcp', 'some-server'] },
    { command: 'pnpm', args: ['dlx', '@company/server', '/home/me'] },
    { command: 'bunx', args: ['some-server'] },
    { command: 'deno', args: ['run', '--allow-net', '--allow-read', 'npm:@company/server'] },
    {
      command: 'docker',
      args: ['run', '-i', '--rm', '-e', 'TOKEN', '-v', 'named:/data', '-p', '3000:3000', 'ghcr.io/a/b:1'],
    },
    { command: 'java', args: ['-jar', 'server.jar'] },
    { command: 'server', args: ['--mode', 'make', '--watch', 'find', '-v', 'ssh'] },
    { command: 'python', args: ['server.py', '--verbose'] },
  ])('%j', (entry) => check(entry, []));
});

describe('a variable that loads other code is named', () => {
  test.each([
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'DYLD_INSERT_LIBRARIES',
    'NODE_OPTIONS',
    'node_options',
    'NODE_PATH',
    'PYTHONPATH',
    'PYTHONSTARTUP',
    'PERL5OPT',
    'RUBYOPT',
    'PATH',
    'Path',
    'BASH_ENV',
    'ENV',
    'GIT_SSH_COMMAND',
    'GIT_CONFIG_COUNT',
    'JAVA_TOOL_OPTIONS',
    '_JAVA_OPTIONS',
    'npm_config_registry',
    'NPM_CONFIG_REGISTRY',
    'UV_INDEX_URL',
    'PIP_INDEX_URL',
    'DOTNET_STARTUP_HOOKS',
  ])('%s', (name) => check({ env: { [name]: 'x', OK: 'y' } }, [`env.${name} can make the program load other code`]));
});

describe('what else a command line can do is told', () => {
  test.each<[line: string, risks: readonly (string | RegExp)[]]>([
    ['npx --package=./x tool', ['npx runs ./x, perhaps of this repository']],
    ['npx -y --package ./x tool', ['npx runs ./x, perhaps of this repository']],
    ['npx -p ../x tool', ['npx runs ../x, perhaps of this repository']],
    ['npx -p./x tool', ['npx runs ./x, perhaps of this repository']],
    ['npx .', ['npx runs ., perhaps of this repository']],
    ['npx file:./x', ['npx runs file:./x, perhaps of this repository']],
    ['npx x@file:./x', ['npx runs x@file:./x, perhaps of this repository']],
    ['npx -y ./x.tgz', ['npx runs ./x.tgz, perhaps of this repository']],
    ['npx github:evil/x', ['npx runs what it loads from github:evil/x']],
    ['npx evil/x', ['npx runs what it loads from github.com/evil/x']],
    ['npx -y https://h.test/x.tgz', [/^npx runs/u]],
    ['npx --registry=https://h.test x', ['npx takes packages or settings from elsewhere (--registry)']],
    ['npx --userconfig ./.npmrc x', ['npx takes packages or settings from elsewhere (--userconfig)']],
    ['npx --script-shell=./sh -y x', ['npx takes packages or settings from elsewhere (--script-shell)']],
    ['npm exec --prefix ./x -- tool', ['npm runs ./x, perhaps of this repository']],
    ['npm start', ['npm runs what package.json says, perhaps one of this repository']],
    ['pnpm dlx ./x', ['pnpm runs ./x, perhaps of this repository']],
    ['yarn dlx -p ./x tool', ['yarn runs ./x, perhaps of this repository']],
    ['yarn serve-mcp', ['yarn runs what package.json says, perhaps one of this repository']],
    ['bunx ./x', ['bunx runs ./x, perhaps of this repository']],
    ['uvx --from ./x tool', ['uvx runs ./x, perhaps of this repository']],
    ['uvx --from=git+https://h.test/x tool', ['uvx runs what it loads from git+https://h.test/x']],
    ['uvx --index-url https://h.test x', ['uvx takes packages or settings from elsewhere (--index-url)']],
    ['uvx --config-file uv.toml x', ['uvx takes packages or settings from elsewhere (--config-file)']],
    ['uv run --directory ./x tool', ['uv runs ./x, perhaps of this repository']],
    ['uv --directory=./x run tool', ['uv runs ./x, perhaps of this repository']],
    ['uv run --with-editable ./x tool', ['uv runs ./x, perhaps of this repository']],
    ['uv run ./x.py', ['uv runs ./x.py, perhaps of this repository']],
    ['pipx run --spec ./x tool', ['pipx runs ./x, perhaps of this repository']],
    ['deno run -A https://h.test/x.ts', ['deno lets the program do whatever you may (-A)', /^deno runs/u]],
    [
      'deno run --allow-all ./x.ts',
      ['deno lets the program do whatever you may (--allow-all)', 'deno runs ./x.ts, perhaps of this repository'],
    ],
    [
      'docker run --privileged -v /:/h image',
      [
        'docker lets the container do more than containers may: --privileged',
        'docker lets the container use / of your machine',
      ],
    ],
    [
      'docker run -v/var/run/docker.sock:/s image',
      ['docker lets the container use /var/run/docker.sock of your machine'],
    ],
    [
      'podman run --mount type=bind,source=/etc,target=/e image',
      ['podman lets the container use /etc of your machine'],
    ],
    [
      'nerdctl run --pid=host --network host image',
      ['nerdctl lets the container do more than containers may: --pid host, --network host'],
    ],
    [
      'docker run --cap-add SYS_ADMIN --security-opt=seccomp=unconfined image',
      [/: --cap-add SYS_ADMIN, --security-opt seccomp=unconfined$/u],
    ],
    ['docker -H tcp://h.test run image', ['docker works on another machine, or with other settings (-H)']],
    [
      'docker compose -f ./c.yml up',
      [
        'docker runs what a compose file says, perhaps one of this repository',
        'docker works on another machine, or with other settings (-f)',
      ],
    ],
    ['docker compose up', ['docker runs what a compose file says, perhaps one of this repository']],
    ['docker-compose run x', ['docker-compose runs what a compose file says, perhaps one of this repository']],
    ['uv tool run --from ./x tool', ['uv runs ./x, perhaps of this repository']],
    ['systemd-run --user sh', ['systemd-run starts it separately, where Plugboard can neither limit nor stop it']],
    ['chroot / sh', ['chroot runs it with other files or rights than yours']],
    ['ld.so ./x', ['ld.so runs its argument as code']],
    ['/lib64/ld-linux-x86-64.so.2 ./x', ['ld-linux-x86-64.so runs its argument as code']],
    ['/lib/ld-musl-x86_64.so.1 ./x', ['ld-musl-x86_64.so runs its argument as code']],
    ['kubectl exec -i pod -- server', ['kubectl works on another machine']],
    ['ssh host server', ['ssh works on another machine']],
    ['strace -o |sh server', ['strace runs its argument as code']],
    ['strace -o|sh server', ['strace runs its argument as code']],
    ['sed 1e', ['sed runs its argument as code']],
    ['sed s,a,id,ge;p', ['sed runs its argument as code']],
    ['sed -u s/a/b/g', []],
    ['make serve', ['make runs what a Makefile says, perhaps one of this repository']],
    ['env A=1 make', ['make runs what a Makefile says, perhaps one of this repository']],
    ['just mcp', ['just runs what a justfile says, perhaps one of this repository']],
    ['find . -exec x {} ;', ['find runs its argument as code']],
    ['find . -name x -okdir x', ['find runs its argument as code']],
    ['ssh -oProxyCommand=x host', ['ssh works on another machine', 'ssh runs its argument as code']],
    ['ssh -o ProxyCommand=x host', ['ssh works on another machine', 'ssh runs its argument as code']],
    ['ssh -F ./config host', ['ssh works on another machine', 'ssh runs its argument as code']],
    ['scp -S ./x a b', ['scp runs its argument as code']],
    ['rsync -e ./x a b', ['rsync runs its argument as code']],
    ['git -c core.sshCommand=x fetch', ['git runs its argument as code']],
    ['git clone --upload-pack=x y', ['git runs its argument as code']],
    ['tar --to-command=x -xf a', ['tar runs its argument as code']],
    ['tar --checkpoint=1 --checkpoint-action=exec=x', ['tar runs its argument as code']],
    ['tar -I ./x -xf a', ['tar runs its argument as code']],
    ['awk BEGIN{system("x")}', ['awk runs its argument as code']],
    ['perl -Mx a', ['perl runs its argument as code']],
    ['ruby -r./x a', ['ruby runs its argument as code']],
    ['php -d auto_prepend_file=x a', ['php runs its argument as code']],
    ['xargs x', ['xargs runs its argument as code']],
    ['timeout 5 xargs x', ['xargs runs its argument as code']],
    ['busybox sh -c x', ['sh runs its argument as code']],
    ['sudo server', ['sudo runs it with other rights than yours']],
    ['env LD_PRELOAD=./x.so server', ['env.LD_PRELOAD can make the program load other code']],
    ['socat STDIO EXEC:x', ['socat runs its argument as code']],
    ['java -javaagent:x.jar -jar server.jar', ['java runs its argument as code']],
    ['gdb -ex x', ['gdb runs its argument as code']],
    ['vim -c x', ['vim runs its argument as code']],
    ['nix-shell --run x', ['nix-shell runs its argument as code']],
  ])('%s', (line, expected) => {
    const [command, ...args] = line.split(' ');
    const risks = risksOf({ command, args }).filter((risk) => risk !== BY_PATH);
    expect(risks).toHaveLength(expected.length);
    for (const [index, one] of expected.entries())
      expect(risks[index]).toMatch(typeof one === 'string' ? new RegExp(`^${escaped(one)}$`, 'u') : one);
  });

  test('a command of sed that has blanks', () => {
    expect(risksOf({ command: 'sed', args: ['1e id'] })).toEqual(['sed runs its argument as code']);
  });

  test('also inside an argument that is a command line', () => {
    const risks = risksOf({ command: 'env', args: ['-i', '-S', 'npx --package=./x tool'] });
    expect(risks).toContain('npx runs ./x, perhaps of this repository');
    expect(risksOf({ command: 'server', args: ['--run', 'docker run --privileged x'] })).toHaveLength(1);
  });
});

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
}

describe('no padding hides a risk', () => {
  const padding = Array.from({ length: 20_000 }, (_, index) => `--flag-${index}`);
  test.each<[args: readonly string[], risk: string]>([
    [['env', ...padding, 'sh', '-c', 'x'], 'sh runs its argument as code'],
    [['node', ...padding, '-e', 'x'], 'node runs its argument as code'],
    [['npx', ...padding, '--package=./x', 'tool'], 'npx runs ./x, perhaps of this repository'],
    [
      ['docker', 'run', ...padding, '--privileged', 'image'],
      'docker lets the container do more than containers may: --privileged',
    ],
    [['deno', 'run', ...padding, '-A', 'npm:x'], 'deno lets the program do whatever you may (-A)'],
  ])('%#', ([command, ...args], risk) => expect(risksOf({ command, args })).toContain(risk));

  test('of a thousand variables or mounts only some are told one by one, and every kind is told', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`LD_${index}`, 'x']));
    const risks = risksOf({ command: 'x', env: { ...many, HTTPS_PROXY: 'x' } });
    expect(risks.length).toBeLessThan(20);
    expect(risks).toContain('988 more variables: each can make the program load other code');
    expect(risks).toContain('env.HTTPS_PROXY decides where its connections go, and who can read them');
    const mounts = Array.from({ length: 1_000 }, (_, index) => ['-v', `/srv/data/${index}:/d${index}`]).flat();
    const [mounted] = risksOf({ command: 'docker', args: ['run', ...mounts, '-v', '/:/h', 'image'] });
    expect(mounted).toMatch(/^docker lets the container use \/, \S+.* and 993 more of your machine$/u);
  });

  test('a megabyte of words costs no more than its length', () => {
    const words = ['sh', 'node', 'npx', '-v', 'env', 'make', 'find'];
    const look = (length: number): unknown =>
      risksOf({ command: 'docker', args: Array.from({ length }, (_, index) => words[index % 7]!) });
    expect(isSteep(look, 160_000)).toBe(false);
  });
});

describe('variables', () => {
  test.each<[names: string, tells: string]>([
    [
      'UV_CONFIG_FILE UV_INDEX UV_PYTHON PIP_CONFIG_FILE PIPX_HOME PYTHONHOME PYTHONSTARTUP GEM_PATH BUNDLE_GEMFILE GOPROXY CARGO_HOME MAKEFLAGS GIT_SSH_COMMAND GIT_DIR SSH_ASKPASS PAGER KUBECONFIG DOCKER_CONFIG OPENSSL_CONF CORECLR_PROFILER_PATH NODE_OPTIONS LD_AUDIT DYLD_LIBRARY_PATH LUA_INIT CLASSPATH JAVA_HOME SHELL YARN_RC_FILENAME BUN_OPTIONS',
      'can make the program load other code',
    ],
    [
      'HTTPS_PROXY https_proxy HTTP_PROXY ALL_PROXY NO_PROXY ANTHROPIC_BASE_URL SSLKEYLOGFILE',
      'decides where its connections go, and who can read them',
    ],
    [
      'NODE_TLS_REJECT_UNAUTHORIZED NODE_EXTRA_CA_CERTS SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE',
      'decides whom it trusts on the network',
    ],
    ['DOCKER_HOST DOCKER_CONTEXT CONTAINER_HOST', 'decides which machine it works on'],
    ['HOME XDG_CONFIG_HOME USERPROFILE', 'decides where it looks for settings and programs of yours'],
  ])('%s', (names, tells) => {
    for (const name of names.split(' ')) check({ env: { [name]: 'x', OK: 'y' } }, [`env.${name} ${tells}`]);
  });
});

describe('the rest', () => {
  test.each<[entry: RawEntry, risks: readonly string[]]>([
    [{ command: './server' }, [BY_PATH]],
    [{ command: '/usr/bin/node', args: ['-e', 'x'] }, ['node runs its argument as code', BY_PATH]],
    [{ command: '.\\server.exe' }, [BY_PATH]],
    [{ url: 'https://h.test', headersHelper: 'print' }, ['headersHelper runs a shell command at every connect']],
    [
      { url: 'https://h.test', oauth: { assertion: '~/.ssh/id_rsa', privateKey: './key.pem' } },
      [
        'it sends the content of ~/.ssh/id_rsa to the server where it signs in',
        'it signs with the key in ./key.pem, in your name',
      ],
    ],
    [
      {
        url: 'https://h.test',
        oauth: { assertion: 'a.b.c', privateKey: '-----BEGIN PRIVATE KEY-----', clientId: 'x' },
      },
      [],
    ],
    [
      {
        url: 'https://h.test',
        xaa: true,
        oauth: { authServerMetadataUrl: 'https://as.test/x', allowIssuerMismatch: true, allowMissingPkce: true },
      },
      [
        'it decides where you sign in, instead of the server',
        'it lets one authorization server speak for another',
        'it signs in even without PKCE, which protects its codes',
        'it asks your identity provider to vouch for you there',
      ],
    ],
    [{ command: 'npx', args: ['a\u202eb'] }, [HIDDEN]],
    [{ command: 'n\u200bpx' }, [HIDDEN]],
    [{ url: 'https://h\u200b.test' }, [HIDDEN]],
  ])('%j', check);
});
