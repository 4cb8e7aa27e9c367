import { containerRisks } from './container-risks.js';
import { packageRisks } from './package-risks.js';
import { byName, programName } from '../approval/program-name.js';
import { variableRisks } from './variable-risks.js';

/**
 * The risks of a command line, one sentence each. Checks every word, and the words inside a word that is a command line
 * itself: an interpreter may be started anywhere behind other programs.
 */
export function commandRisks(argv: readonly string[]): readonly string[] {
  const lines = [argv, ...argv.filter((word) => /\s/u.test(word)).map(wordsOf)];
  const found = new Set<string>();
  for (const words of lines) {
    for (const risk of [...codeRisks(words), ...packageRisks(words), ...containerRisks(words)]) found.add(risk);
  }
  return [...found];
}

/** Follows the name of a program. */
export const CODE_RISK = 'runs its argument as code';

function wordsOf(line: string): readonly string[] {
  return line.split(/[\s'"`;&|()<>]+/u).filter((word) => word !== '');
}

const ANY = /./su;

/** Programs that run an argument as code, with the pattern of the option for it. */
const interpreters = byName<RegExp>([
  ['sh bash zsh dash ash ksh mksh csh tcsh rbash', /^-[a-z]*c/u],
  ['fish', /^(?:-[a-z]*c|--command|-C|--init-command)/u],
  ['nu', /^(?:-c|--commands)/u],
  ['xonsh guile expect', /^-c/u],
  [
    'node nodejs tsx ts-node electron',
    /^(?:-e|-p|-pe|--eval|--print|-r|--require|--import|--loader|--experimental-loader|--env-file|--preload|--inspect|--openssl-config)/u,
  ],
  ['bun', /^(?:-e|-p|--eval|--print|-r|--preload|--require|--import)/u],
  ['deno', /^(?:eval|repl)$|^--(?:preload|import|eval)/u],
  ['npx npm', /^(?:-c|--call)/u],
  ['python pythonw pypy py ipython', /^-[a-zA-Z]*c/u],
  ['perl', /^-[a-zA-Z0-9]*[eEMm]/u],
  ['ruby', /^-[a-zA-Z0-9]*[er]/u],
  ['irb groovy scala kotlin bb racket ghc', /^(?:-e|-E|-p|-pe|--eval|--print|--evaluate)/u],
  ['php', /^(?:-[rBRE]|--run|-d|--define|-c)/u],
  ['lua luajit', /^-[el]/u],
  ['r rscript osascript', /^-e/u],
  ['julia', /^(?:-[eEL]|--eval|--print|--load)/u],
  ['elixir', /^(?:-e|--eval|-r|--rpc-eval)/u],
  ['iex', /^(?:-e|--eval|-r)/u],
  ['erl', /^-(?:eval|run|s)$/u],
  ['clojure clj', /^(?:-e|--eval|-M|-X)/u],
  ['sbcl', /^--(?:eval|load)/u],
  ['octave', /^--eval/u],
  ['cmd', /^\/[ckr]/iu],
  ['powershell pwsh', /^[-/](?:c|co\w*|e|ec|en\w*|f|file)$/iu],
  ['forfiles', /^\/c/iu],
  ['java', /^(?:-javaagent|-agentpath|-agentlib|-Xbootclasspath|@)/u],
  ['find', /^-(?:exec|execdir|ok|okdir|fprintf)$/u],
  ['fd', /^(?:-x|-X|--exec)/u],
  [
    'ssh',
    /^-o=?\s*(?:Proxy|Local|KnownHosts|Remote)Command|^-o=?\s*(?:PermitLocalCommand|ProxyUseFdpass|PKCS11Provider|SecurityKeyProvider)|^-F/iu,
  ],
  ['scp', /^-[SoF]/u],
  ['sftp', /^-[SoFD]/u],
  ['rsync', /^(?:-[a-zA-Z]*e|--rsh|--rsync-path)/u],
  ['git', /^(?:-c|--config-env|--exec-path|--upload-pack|--receive-pack|-u|ext::)/u],
  ['hg', /^--config/u],
  [
    'tar',
    /^(?:--to-command|--checkpoint-action|--use-compress-program|--info-script|--new-volume-script|--rsh-command|-[a-zA-Z]*[IF])/u,
  ],
  ['bsdtar', /^--use-compress-program/u],
  ['zip', /^(?:-TT|--unzip-command)/u],
  ['sed', /(?:^|[^A-Za-z])[gpIiMm0-9]{0,8}[ew][gpIiMm0-9]{0,8}(?![A-Za-z0-9_])|\/[a-zA-Z0-9]*e[a-zA-Z0-9]*$/u],
  ['strace ltrace', /^(?:-o|--output=)?[|!]/u],
  ['vim vi', /^(?:-c|-S|--cmd|\+)/u],
  ['nvim', /^(?:-c|-S|-l|--cmd|\+)/u],
  ['emacs', /^-{1,2}(?:eval|execute|load|l|f|funcall)/u],
  ['gdb', /^-{1,2}(?:ex|eval-command|x|command|iex|ix)/u],
  ['lldb', /^-(?:o|O|s|S)/u],
  ['script su runuser', /^(?:-[a-z]*c|--command)/u],
  ['flock', /^(?:-c|--command)/u],
  ['socat', /^(?:EXEC|SYSTEM|SHELL):/iu],
  ['nc', /^-[a-z]*[ec]/u],
  ['ncat', /^(?:-[a-z]*[ec]|--sh-exec|--exec|--lua-exec)/u],
  ['sqlite', /^-cmd/u],
  ['psql', /^(?:-c|--command|-f|--file)/u],
  ['openssl', /^-(?:engine|provider-path|config)/u],
  ['nix', /^(?:-c|--command|--expr|--impure)/u],
  ['nix-shell', /^--(?:run|command|expr)/u],
  ['direnv', /^exec$/u],
  ['tclsh mshta rundll regsvr ed watch entr xargs parallel awk gawk mawk nawk', ANY],
]);

/** Programs that run a file without an argument that names it, with that file. */
const fileReaders = byName([
  ['make gmake bmake', 'a Makefile'],
  ['just', 'a justfile'],
  ['task', 'a Taskfile'],
  ['rake', 'a Rakefile'],
  ['ant', 'a build.xml'],
  ['gradle gradlew', 'a build.gradle'],
  ['mvn mvnw', 'a pom.xml'],
  ['tox', 'a tox.ini'],
  ['nox', 'a noxfile'],
  ['invoke', 'a tasks.py'],
  ['scons', 'an SConstruct'],
  ['bazel', 'BUILD files'],
  ['ninja', 'a build.ninja'],
  ['cmake', 'a CMakeLists.txt'],
  ['devbox', 'a devbox.json'],
  ['mise', 'a mise.toml'],
  ['vagrant', 'a Vagrantfile'],
  ['overmind foreman', 'a Procfile'],
]);

/** Programs that start something outside the control of this program, with the text for it. */
const places = byName([
  ['ssh mosh rsh kubectl oc nomad', 'works on another machine'],
  [
    'systemd-run at batch crontab launchctl schtasks',
    'starts it separately, where Plugboard can neither limit nor stop it',
  ],
  ['chroot unshare proot', 'runs it with other files or rights than yours'],
]);

/** The dynamic loader, which runs any file as a program: `ld-linux-x86-64.so.2 ./x`. */
const LOADER = /^ld(?:-[\w-]{1,32})?\.so$|^ld-musl/u;

/** Programs that change the rights of what they start. */
const RAISING = ['sudo', 'doas', 'pkexec', 'runas', 'gosu', 'nsenter'];
/** Programs that start another program, named after their own options. */
const WRAPPERS = new Set([
  ...RAISING,
  ...'env nice nohup setsid timeout gtimeout stdbuf ionice chrt taskset time command exec busybox toybox'.split(' '),
  ...'unbuffer xvfb-run dbus-run-session catchsegv caffeinate chronic systemd-run strace ltrace unshare'.split(' '),
]);

function codeRisks(words: readonly string[]): readonly string[] {
  const risks = new Set<string>();
  const started = new Set<string>(); // interpreters seen so far; each is reported once
  let isStart = true; // the current word starts a program
  let inEnv = false;
  for (const [index, word] of words.entries()) {
    // `-o ProxyCommand=x` means the same as `-oProxyCommand=x`.
    const pair = index > 0 && /^-\w$/u.test(words[index - 1]!) ? `${words[index - 1]}${word}` : word;
    for (const program of started) {
      const isCode = interpreters.get(program)!;
      if (!isCode.test(word) && !isCode.test(pair)) continue;
      risks.add(`${program} ${CODE_RISK}`);
      started.delete(program);
    }
    const program = programName(word);
    if (interpreters.has(program) && !risks.has(`${program} ${CODE_RISK}`)) {
      // For a program that takes any argument as code, its name counts only where a program is started.
      if (isStart || interpreters.get(program) !== ANY) started.add(program);
    }
    if (inEnv && /^[A-Za-z_]\w*=/u.test(word)) {
      for (const risk of variableRisks([word.slice(0, word.indexOf('='))])) risks.add(risk);
    }
    if (isStart) {
      const file = fileReaders.get(program);
      if (file !== undefined) risks.add(`${program} runs what ${file} says, perhaps one of this repository`);
      const place = places.get(program);
      if (place !== undefined) risks.add(`${program} ${place}`);
      if (LOADER.test(program)) risks.add(`${program} ${CODE_RISK}`);
      if (RAISING.includes(program)) risks.add(`${program} runs it with other rights than yours`);
      inEnv ||= program === 'env';
      isStart = WRAPPERS.has(program) || /^-|=|^\d/u.test(word);
    }
  }
  return [...risks];
}
