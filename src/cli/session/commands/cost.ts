import type { CostReport } from '../../../model/view/tool-cost.js';
import { showLine } from '../../../model/show.js';
import type { Command } from '../command.js';
import { sessionCost } from '../session-cost.js';
import { ownRows } from '../display/quoted-rows.js';
import { cutToColumns, padText } from '../../terminal/text/text-width.js';

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
  const { contextTokens, loaded, deferred, system, servers, changes, changed } = report;
  const share = Math.round(((loaded + system) / contextTokens) * 1000) / 10;
  const rows = servers
    .filter((server) => server.loaded + server.deferred + server.instructions > 0)
    .toSorted((one, other) => other.loaded + other.deferred - one.loaded - one.deferred);
  const wide = Math.min(Math.max(6, ...rows.map(({ name }) => name.length)), NAME_COLUMN);
  return [
    `Context: ${count(contextTokens)} tokens; tools and system text take ${count(loaded + system)} (${share} %)${filled > 0 ? `, the last request filled ${count(filled)}` : ''}`,
    `Tools: ${count(loaded)} loaded, ${count(deferred)} deferred until searched for`,
    ...(rows.length === 0
      ? []
      : [
          `  ${'server'.padEnd(wide)}  ${'loaded'.padStart(9)}  ${'deferred'.padStart(9)}  ${'instructions'.padStart(12)}`,
        ]),
    ...rows
      .slice(0, SHOWN)
      .map((server) =>
        [
          `  ${padText(cutToColumns(showLine(server.name), wide), wide)}`,
          count(server.loaded).padStart(9),
          count(server.deferred).padStart(9),
          count(server.instructions).padStart(12),
        ].join('  '),
      ),
    ...(rows.length > SHOWN ? [`  … and ${rows.length - SHOWN} more`] : []),
    ...(changed.count === 0
      ? []
      : [
          `Changes since the conversation began: ${changed.count}, appended at its end, which saved reading ${count(changed.tokens)} tokens again`,
          ...changes
            .slice(-CHANGES)
            .map(({ turn, what, tokens }) => showLine(`  turn ${turn}: ${what} (${count(tokens)})`)),
        ]),
  ];
}

function count(number: number): string {
  return number.toLocaleString('en');
}

const SHOWN = 40;
const CHANGES = 5;
const NAME_COLUMN = 30;
