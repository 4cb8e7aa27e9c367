import { basename } from 'node:path';
import { maskArguments } from '../../model/redaction/mask-arguments.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { serverTargetOf } from '../../transports/kinds.js';

/** What an entry starts, as far as its command line shows. */
export interface Launch {
  /** The program's base name: `node`, `npx`. */
  readonly program: string;
  /** The words with variables expanded: for lookups, never to be shown. */
  readonly argv: readonly string[];
  /** The words as written, secrets masked: these may be shown. */
  readonly shown: readonly string[];
  /** The argument that names what the program runs; undefined when there is none. */
  readonly runs: { readonly kind: 'script' | 'module' | 'package' | 'image'; readonly at: number } | undefined;
}

/** Undefined for a server without a command. */
export function launchOf({ config, written }: ConfiguredServer): Launch | undefined {
  const target = config && serverTargetOf(config);
  if (target?.kind !== 'command') return undefined;
  const args = written?.['args'];
  const shown = [written?.['command'], ...maskArguments(Array.isArray(args) ? args : [], written?.['command'])].map(
    String,
  );
  const program = basename(target.argv[0] ?? '').replace(/\.(?:exe|cmd|bat)$/iu, '');
  return { program, argv: target.argv, shown, runs: runsOf(program, target.argv) };
}

/** The argument that names what is run, as it may be shown. */
export function launchSubjectOf({ runs, shown }: Launch): string | undefined {
  return runs && shown[runs.at];
}

function runsOf(program: string, argv: readonly string[]): Launch['runs'] {
  const name = /^(?:python|node)[\d.]*$/u.exec(program)?.[0].replace(/[\d.]+$/u, '') ?? program;
  const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (!reader) return undefined;
  const start = skipVerb(argv, reader.verbs);
  if (start === undefined) return undefined;
  for (let at = start; at < argv.length; at++) {
    const word = argv[at]!;
    if (reader.module !== undefined && word === reader.module) return toRuns('module', at + 1, argv);
    if (reader.inline.includes(word)) return undefined;
    if (word === '--') return toRuns(reader.kind, at + 1, argv);
    if (!word.startsWith('-')) return { kind: reader.kind, at };
    if (reader.from.includes(word)) return toRuns(reader.kind, at + 1, argv);
    if (reader.valued.includes(word)) at++;
  }
  return undefined;
}

function toRuns(kind: 'script' | 'module' | 'package' | 'image', at: number, argv: readonly string[]): Launch['runs'] {
  return at < argv.length ? { kind, at } : undefined;
}

/** Index of the word after the subcommand (`docker run`, `uv run`), which decides what the other words mean. */
function skipVerb(argv: readonly string[], verbs: readonly string[] | undefined): number | undefined {
  if (!verbs) return 1;
  const at = argv.findIndex((word, index) => index > 0 && verbs.includes(word));
  return at === -1 ? undefined : at + 1;
}

interface Reader {
  readonly kind: 'script' | 'package' | 'image';
  readonly verbs?: readonly string[];
  /** Flags that take a value. */
  readonly valued: readonly string[];
  /** Flags whose value names what is run. */
  readonly from: readonly string[];
  /** Flags whose value is program text: then there is no file to look for. */
  readonly inline: readonly string[];
  readonly module?: string;
}

const script = (valued: string, inline = ''): Reader => ({
  kind: 'script',
  valued: valued.split(' '),
  from: [],
  inline: inline.split(' '),
});
const packages = (valued: string, from: string): Reader => ({
  kind: 'package',
  valued: valued.split(' '),
  from: from.split(' '),
  inline: ['-c', '--call'],
});

const DOCKER =
  '-e --env -v --volume --name -p --publish --network --net --env-file --mount -w --workdir -u --user --entrypoint --add-host --platform -h --hostname -l --label -m --memory --cpus --pull --restart --device --gpus --cap-add --cap-drop --security-opt --tmpfs --log-driver';
const docker: Reader = { kind: 'image', verbs: ['run'], valued: DOCKER.split(' '), from: [], inline: [] };

const readers: Readonly<Record<string, Reader>> = {
  node: script('-r --require --import --loader -C --conditions --env-file', '-e --eval -p --print'),
  python: { ...script('-X -W', '-c'), module: '-m' },
  tsx: script('--tsconfig', '-e --eval'),
  deno: { ...script('-c --config --import-map'), verbs: ['run'] },
  bun: { ...script(''), verbs: ['run'] },
  ruby: script('-r -I', '-e'),
  php: script('-d -c', '-r'),
  npx: packages('-w --workspace --cache', '-p --package'),
  bunx: packages('', '-p --package'),
  pnpx: packages('', '--package'),
  uvx: packages('--with --python -p --index --index-url --default-index', '--from'),
  docker,
  podman: docker,
};
