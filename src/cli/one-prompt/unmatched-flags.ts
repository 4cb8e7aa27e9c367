import type { Host } from '../../host/host.js';
import { showLine } from '../show.js';

/** `--allow` and `--deny` that mean nothing that is known by now, a note each: whoever typed one believes that it counts. */
export function unmatchedFlags(host: Host): readonly string[] {
  return host.unmatchedFlags().map(({ rule, meant }) => {
    const more = meant === undefined ? '' : `; did you mean ${meant}?`;
    return showLine(`warning ${rule.file} ${rule.text} matches nothing that is known${more}`);
  });
}
