import type { CostReport } from '../../../model/view/tool-cost.js';
import { showLine } from '../../../model/show.js';
import type { Command } from '../command.js';
import { sessionCost } from '../session-cost.js';
import { ownRows } from '../display/quoted-rows.js';
import { costLines, costSentences } from '../../panel/tokens/cost-lines.js';
import { tokenText } from '../../panel/tokens/token-text.js';
import { cutToColumns, padText, textWidth } from '../../terminal/text/text-width.js';

export const costCommand: Command = {
  name: 'cost',
  usage: '',
  summary: 'Show how many tokens servers and tools take, and how many were used so far',
  run({ session, screen }) {
    const { conversation, usage } = session;
    const report = sessionCost(session);
    const { input, output, cacheRead } = usage;
    const cached = input === 0 ? 0 : Math.round((cacheRead / input) * 100);
    screen.print(
      [
        ...describeReport(report, conversation?.filled ?? 0),
        `Used so far: ${count(input)} tokens read (${cached} % from the cache), ${count(output)} written`,
      ]
        // Rows of the table are aligned and short: not wrapped.
        .flatMap((line) => (line.startsWith('  ') ? [line] : ownRows(line, screen.columns)))
        .join('\n'),
    );
    return Promise.resolve();
  },
};

function describeReport(report: CostReport, filled: number): string[] {
  const { changes, changed } = report;
  const rows = costLines(report).filter((line) => line.loaded + line.deferred + line.instructions > 0);
  const wide = Math.min(Math.max(6, ...rows.map(({ name }) => textWidth(name))), NAME_COLUMN);
  return [
    ...costSentences(report, filled),
    `  ${'server'.padEnd(wide)}  ${'loaded'.padStart(8)}  ${'deferred'.padStart(8)}  ${'instructions'.padStart(12)}`,
    ...rows
      .slice(0, SHOWN)
      .map((line) =>
        [
          `  ${padText(cutToColumns(line.name, wide), wide)}`,
          tokenText(line.loaded).padStart(8),
          tokenText(line.deferred).padStart(8),
          tokenText(line.instructions).padStart(12),
        ].join('  '),
      ),
    ...(rows.length > SHOWN ? [`  … and ${rows.length - SHOWN} more`] : []),
    ...(changed.count === 0
      ? []
      : [
          `Changes since the conversation began: ${changed.count}, appended at its end, which saved reading ${tokenText(changed.tokens)} tokens again`,
          ...changes
            .slice(-CHANGES)
            .map(({ turn, what, tokens }) => showLine(`  turn ${turn}: ${what} (${tokenText(tokens)})`)),
        ]),
  ];
}

function count(number: number): string {
  return number.toLocaleString('en');
}

const SHOWN = 40;
const CHANGES = 5;
const NAME_COLUMN = 30;
