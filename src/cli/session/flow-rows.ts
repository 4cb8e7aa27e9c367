import type { FlowFinding } from '../../index.js';
import { argumentText, copyText, moreText } from '../../model/flow/flow-finding.js';
import { gateLine } from '../../model/text/text-gate.js';
import { ownRows, quotedRows } from './display/quoted-rows.js';

interface FlowRowsRoom {
  readonly columns: number;
  /** Of the screen; Infinity where nothing is redrawn. */
  readonly rows: number;
}

/** What the flow guard found in a call: which argument repeats what, and where that was read. */
export function flowRows({ copies }: FlowFinding, { columns, rows: height }: FlowRowsRoom): string[] {
  const most = height < LOW ? 1 : SHOWN;
  const rows = copies.slice(0, most).flatMap((copy) => {
    const { text, isSecret } = copy;
    const what = isSecret ? 'has what looks like a secret' : 'repeats this';
    return [
      ...ownRows(`  ${argumentText(copy)} ${what}, which ${copyText(copy)}:`, columns, 4),
      ...quotedRows(
        gateLine(text.replaceAll(/\s+/gu, ' '), { limit: height < LOW ? columns - 6 : EXCERPT }).text,
        columns,
        '  ',
      ),
    ];
  });
  return copies.length > most ? [...rows, `  … and ${moreText(copies.length - most)} like these`] : rows;
}

const SHOWN = 3;
const LOW = 36; // rows of a screen on which who asks must not scroll away
const EXCERPT = 160;
