import { shellWord } from '../../base/shell-word.js';
import { argsText, type Exit, type ExitRule } from './exit-rule.js';
import { launchSubjectOf } from './launch.js';

/** Error messages of docker and podman. */
export const dockerRules: readonly ExitRule[] = [
  {
    when: /permission denied while trying to connect to the [Dd]ocker|Got permission denied.{0,40}[Dd]ocker daemon/u,
    hint: () => 'You may not use Docker: sudo usermod -aG docker "$USER"; then sign out of this machine and in again',
  },
  {
    when: /Cannot connect to the Docker daemon|error during connect|docker daemon is not running/iu,
    hint: ({ context }) =>
      context.platform === 'linux'
        ? 'Docker is not running. Start it: sudo systemctl start docker'
        : 'Docker is not running. Start Docker Desktop, on a Mac: open -a Docker',
  },
  {
    when: /the input device is not a TTY/u,
    hint: ({ launch }) => `A server has no terminal. Write ${argsText(launch.shown.slice(1).flatMap(withoutTerminal))}`,
  },
  {
    when: /no matching manifest for|exec format error|does not match the detected host platform/u,
    hint: (exit) => withFlags(exit, ['--platform', 'linux/amd64'], 'The image is built for another platform'),
  },
  {
    when: /pull access denied|repository does not exist|manifest unknown|manifest for \S{1,200} not found|no such image/iu,
    hint: ({ launch }) => {
      const image = launchSubjectOf(launch);
      return image === undefined
        ? undefined
        : `The image does not exist, or you may not pull it: docker login; docker pull ${shellWord(image)}`;
    },
  },
  {
    when: /The container name .{0,100} is already in use/u,
    hint: (exit) =>
      withFlags(exit, ['--rm'], 'A container of an earlier start is still there; docker rm -f removes it'),
  },
];

/** `docker run` without `-i` closes the server's stdin, so the server exits at once. */
export function withoutInput({ launch }: Exit): string | undefined {
  if (launch.runs?.kind !== 'image') return undefined;
  const flags = launch.argv.slice(1, launch.runs.at);
  if (flags.some((word) => word === '--interactive' || /^-[a-z]*i[a-z]*$/u.test(word))) return undefined;
  const detached = flags.find((word) => word === '-d' || word === '--detach');
  const words = launch.shown.slice(1).filter((word) => word !== detached);
  const at = words.indexOf('run') + 1;
  const why =
    detached === undefined ? 'Without -i the server gets no input' : `With ${detached} the server gets no input`;
  return `${why}. Write ${argsText([...words.slice(0, at), '-i', ...words.slice(at)])}`;
}

function withFlags({ launch }: Exit, flags: readonly string[], why: string): string {
  const words = launch.shown.slice(1);
  const at = words.indexOf('run') + 1;
  return `${why}. Write ${argsText([...words.slice(0, at), ...flags, ...words.slice(at)])}`;
}

function withoutTerminal(word: string): string[] {
  if (word === '-t' || word === '--tty') return [];
  return [/^-[a-z]*t[a-z]*$/u.test(word) ? word.replace('t', '') : word];
}
