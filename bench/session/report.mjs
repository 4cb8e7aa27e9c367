import { median, summarize } from '../lib/statistics.mjs';
import { ms, times } from '../lib/table.mjs';

const PROMPT_AIM_MS = 250;
const MEMORY_AIM_MB = 120;
const NOTHING = '-';

export function toTables(cases, memory) {
  const floor = cases.find(({ isFloor }) => isFloor);
  const rows = cases.map((one) => {
    const wall = summarize(one.samples.map(({ prompt }) => prompt.wall));
    const cpu = figure(one, ({ prompt }) => prompt.cpu);
    const base = { wall: figure(floor, ({ prompt }) => prompt.wall), cpu: figure(floor, ({ prompt }) => prompt.cpu) };
    return [
      one.name,
      ms(wall.median),
      `${ms(wall.low)}-${ms(wall.high)}`,
      one === floor ? NOTHING : `+${(wall.median - base.wall).toFixed(0)}`,
      times(wall.median / base.wall),
      ms(cpu),
      one === floor ? NOTHING : `+${(cpu - base.cpu).toFixed(0)}`,
      times(cpu / base.cpu),
      ms(figure(one, ({ prompt, next }) => next.wall - prompt.wall)),
    ];
  });
  const head = [
    'first prompt',
    'wall ms',
    'middle half',
    'to floor',
    'ratio',
    'CPU ms',
    'to floor',
    'ratio',
    'next key ms',
  ];
  const parts = ['prompt', 'connected', 'turns', 'panel'];
  return [
    { head, rows },
    {
      title: 'Resident at most, MB',
      head: ['session', 'at the prompt', 'connected', 'after 3 turns', 'with the panel'],
      rows: memory.map((one) => [one.name, ...parts.map((part) => peak(one, part)?.toFixed(1) ?? NOTHING)]),
    },
  ];
}

export function toAims(cases, memory) {
  const floor = figure(cases[0], ({ prompt }) => prompt.wall);
  const starts = cases
    .filter(({ isFloor, isCold }) => !isFloor && !isCold)
    .map((one) => ({
      what: `first prompt, ${one.name}, wall over bare node`,
      limit: PROMPT_AIM_MS,
      value: figure(one, ({ prompt }) => prompt.wall) - floor,
      unit: ' ms',
    }));
  const weights = memory
    .filter(({ count }) => count > 0)
    .map((one) => ({
      what: `session, ${one.name}, resident after 3 turns`,
      limit: MEMORY_AIM_MB,
      value: peak(one, 'turns'),
      unit: ' MB',
    }));
  return [...starts, ...weights];
}

function peak({ samples }, part) {
  const found = samples.flatMap((sample) => (sample[part] === undefined ? [] : [sample[part].peak / 1024]));
  return found.length === 0 ? undefined : median(found);
}

function figure({ samples }, take) {
  return median(samples.map(take));
}
