import { cpus, loadavg } from 'node:os';

/** The facts without which a figure means nothing. */
export function describeMachine() {
  const all = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    cpus: all.length,
    cpu: (all[0]?.model ?? 'unknown processor').trim(),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    load: loadavg()
      .map((value) => value.toFixed(2))
      .join(' '),
  };
}
