import type { FlowFinding } from '../../index.js';
import { argumentText, copyText } from '../../model/flow/flow-finding.js';
import { gateLine } from '../../model/text/text-gate.js';
import { ownRows, quotedRows } from './display/quoted-rows.js';

/** What the flow guard found in a call: which argument repeats what, and where that was read. */
export function flowRows({ copies }: FlowFinding, columns: number): string[] {
  const rows = copies.slice(0, SHOWN).flatMap((copy) => {
    const { text, isSecret } = copy;
    const what = isSecret ? 'has what looks like a secret' : 'repeats this';
    return [
      ...ownRows(`  ${argumentText(copy)} ${what}, which ${copyText(copy)}:`, columns, 4),
      ...quotedRows(gateLine(text.replaceAll(/\s+/gu, ' '), { limit: EXCERPT }).text, columns, '  '),
    ];
  });
  return copies.length > SHOWN ? [...rows, `  … and ${copies.length - SHOWN} more like these`] : rows;
}

const SHOWN = 3;
const EXCERPT = 160;
