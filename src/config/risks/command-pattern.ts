import { matchesWildcard } from '../../model/text/wildcard.js';

export function matchesArgv(pattern: readonly string[], argv: readonly string[]): boolean {
  return pattern.length === argv.length && pattern.every((element, index) => matchesWildcard(element, argv[index]!));
}

/** The equivalent command lines: `env A=1 /usr/bin/../bin/npx -y x` and `cmd /c npx -y x` run `npx -y x`. */
export function spellingsOf(argv: readonly string[]): readonly (readonly string[])[] {
  const spellings = [argv];
  let current: readonly string[] | undefined = argv;
  for (let wrappers = 0; current && wrappers <= WRAPPER_LIMIT; wrappers++) {
    const [command = '', ...rest]: readonly string[] = current;
    const program: string = command
      .trim()
      .split(/[/\\]/u)
      .at(-1)!
      .replace(/\.(exe|cmd|bat|ps1)$/iu, '')
      .toLowerCase();
    spellings.push([program, ...rest]);
    current = unwrapCommand(program, rest);
    if (current) spellings.push(current);
  }
  return spellings;
}

/** The command line that a wrapper program starts; undefined when the program is no wrapper. */
function unwrapCommand(program: string, args: readonly string[]): readonly string[] | undefined {
  if (program === 'env') return withoutEnv(args);
  if (program === 'cmd') return withoutCmd(args);
  if (/^(?:ba|da|z|k)?sh$/u.test(program)) {
    const script = args[args.findIndex((argument) => /^-[a-z]*c[a-z]*$/u.test(argument)) + 1];
    return args.length > 1 && script !== undefined ? script.trim().split(/\s+/u) : undefined;
  }
  if (!starters.includes(program)) return undefined;
  const first = args.findIndex((argument) => !/^(?:-|\d)/u.test(argument));
  return first === -1 ? undefined : args.slice(first);
}

const starters = [
  'nice',
  'nohup',
  'timeout',
  'setsid',
  'stdbuf',
  'time',
  'sudo',
  'doas',
  'xargs',
  'command',
  'exec',
  'ionice',
];
const WRAPPER_LIMIT = 8; // more levels are only used to hide something

/** The command that `env` runs, after its options, some of which take a value, and its assignments. */
function withoutEnv(args: readonly string[]): readonly string[] | undefined {
  let first = 0;
  for (; first < args.length; first++) {
    const argument = args[first]!;
    const split = /^(?:-\w*S|--split-string=?)(.*)$/su.exec(argument);
    if (split) {
      const words = split[1] === '' ? args.slice(first + 1) : [split[1]!, ...args.slice(first + 1)];
      return withoutEnv([...(words[0] ?? '').split(/\s+/u).filter(Boolean), ...words.slice(1)]);
    }
    if (/^(?:-\w*[uC]|--unset|--chdir)$/u.test(argument)) first++;
    else if (!argument.startsWith('-') && !argument.includes('=')) break;
  }
  return first < args.length ? args.slice(first) : undefined;
}

function withoutCmd(args: readonly string[]): readonly string[] | undefined {
  const first = args.findIndex((argument) => !/^\/[a-z]$/iu.test(argument));
  return first > 0 ? args.slice(first) : undefined;
}
