import { shorten } from '../../base/shorten.js';
import { programName } from '../approval/program-name.js';

/** What a container is allowed to do to the machine it runs on. */
export function containerRisks(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => ENGINES.has(programName(word)));
  if (at === -1) return [];
  const program = programName(words[at]!);
  const loose = new Set<string>();
  const places = new Set<string>();
  const others = new Set<string>();
  let isComposed = program.endsWith('-compose');
  let isRun = false; // after it, options are the container's, and after the image the server's own
  for (let index = at + 1; index < words.length; index++) {
    const word = words[index]!;
    const next = words[index + 1] ?? '';
    const [option = '', ...rest] = word.split('=');
    const value = word.includes('=') ? rest.join('=') : next;
    if (LOOSE.test(option) || (HOST.test(option) && /^(?:host|container:|ns:)/u.test(value)))
      loose.add(
        HOST.test(option) || option === '--cap-add' || option === '--security-opt' ? `${option} ${value}` : option,
      );
    if (MOUNT.test(option)) places.add(placeOf(option, value));
    else if (/^-v./u.test(word) && !word.startsWith('-v=')) places.add(placeOf('-v', word.slice(2)));
    isComposed ||= word === 'compose' && !isRun;
    isRun ||= /^(?:run|exec|create|start)$/u.test(word);
    if (ELSEWHERE.test(option) && !isRun) others.add(option);
  }
  places.delete('');
  return [
    ...(isComposed ? [`${program} runs what a compose file says, perhaps one of this repository`] : []),
    ...[...others].map((option) => `${program} works on another machine, or with other settings (${option})`),
    ...(loose.size === 0 ? [] : [`${program} lets the container do more than containers may: ${listed(loose)}`]),
    ...(places.size === 0 ? [] : [`${program} lets the container use ${listed(places)} of your machine`]),
  ];
}

const ENGINES = new Set([
  'docker',
  'podman',
  'nerdctl',
  'finch',
  'lima',
  'ctr',
  'singularity',
  'apptainer',
  'udocker',
  'docker-compose',
  'podman-compose',
]);
const LOOSE =
  /^--(?:privileged|cap-add|security-opt|device|device-cgroup-rule|volumes-from|gpus|use-api-socket|no-sandbox|writable)$/u;
const HOST = /^--(?:net|network|pid|ipc|uts|userns|cgroupns|cgroup-parent)$/u;
const MOUNT = /^(?:-v|--volume|--mount|-B|--bind|--env-file|--device)$/u;
const ELSEWHERE = /^(?:-H|--host|--context|--config|-c|-f|--file|--connection|--url|--identity)$/u;

/** The path on this machine that a mount uses; '' for a named volume. */
function placeOf(option: string, value: string): string {
  const source =
    option === '--mount'
      ? /(?:^|,)(?:source|src)=([^,]*)/u.exec(value)?.[1]
      : /^([A-Za-z]:[/\\][^:]*|[^:]*)/u.exec(value)?.[1];
  if (source === undefined) return '';
  return /^[\w][\w.-]*$/u.test(source) && option !== '--env-file' ? '' : source;
}

/** Sorted by length: a shorter path covers more of the machine. */
function listed(words: ReadonlySet<string>): string {
  const all = [...words].toSorted((a, b) => a.length - b.length);
  const told = all.slice(0, TOLD).map((word) => shorten(word, LONGEST));
  return all.length > TOLD ? `${told.join(', ')} and ${all.length - TOLD} more` : told.join(', ');
}

const TOLD = 8;
const LONGEST = 120;
