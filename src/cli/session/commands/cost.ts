import type { CostReport } from '../../../model/view/tool-cost.js';
import { showLine } from '../../../model/show.js';
import { adviceLine } from '../../../actions/value/advice-parts.js';
import { valueReport } from '../../../actions/value/value.js';
import { wrapHint } from '../../output/wrap.js';
import type { Command, CommandContext } from '../command.js';
import { ownCommands } from '../own-commands.js';
import { sessionCost } from '../session-cost.js';
import { ownRows } from '../display/quoted-rows.js';
import { costLines, costSentences } from '../../panel/tokens/cost-lines.js';
import { tokenText } from '../../panel/tokens/token-text.js';
import { cutMiddle, padText, textWidth } from '../../terminal/text/text-width.js';

export const costCommand: Command = {
  name: 'cost',
  usage: '',
  summary: 'Show how many tokens servers and tools take, and how many were used so far',
  async run({ session, screen, io, signal }) {
    const { conversation, usage } = session;
    const report = sessionCost(session);
    const { input, output, cacheRead } = usage;
    const cached = input === 0 ? 0 : Math.round((cacheRead / input) * 100);
    screen.print(
      [
        ...describeReport(report, { filled: conversation?.filled ?? 0, columns: screen.columns }),
        `Used so far: ${count(input)} tokens read (${cached} % from the cache), ${count(output)} written`,
      ]
        // Rows of the table are aligned and short: not wrapped.
        .flatMap((line) => (line.startsWith('  ') ? [line] : ownRows(line, screen.columns)))
        .join('\n'),
    );
    // After the figures of now, which need no file.
    const lines = await costlyLines({ session, now: io.now(), signal });
    if (lines.length > 0)
      screen.print(lines.flatMap((line) => wrapHint(ownCommands(line), screen.columns, 4)).join('\n'));
  },
};

/** Which servers cost more than they bring, by the ledger, and a line to write for each. */
async function costlyLines({ session: { host }, now, signal }: CostlyOptions): Promise<string[]> {
  try {
    const { servers } = await valueReport({ kind: 'host', host, isTransient: false }, { now, signal });
    const costly = servers.flatMap((server) => adviceLine(server) ?? []);
    if (costly.length === 0) return [];
    const shown = costly.slice(0, COSTLY).map((line) => `  ${line}`);
    const rest = costly.length > COSTLY ? `${costly.length - COSTLY} more, and other ways` : 'Other ways';
    return ['Servers that cost more than they bring, or than they need:', ...shown, `  ${rest}: plugboard value`];
  } catch {
    return []; // no ledger, or not readable: `/value` says why
  }
}

interface CostlyOptions {
  readonly session: CommandContext['session'];
  readonly now: Date;
  readonly signal: AbortSignal;
}

function describeReport(
  report: CostReport,
  { filled, columns }: { readonly filled: number; readonly columns: number },
): string[] {
  const { changes, changed } = report;
  const rows = costLines(report).filter((line) => line.loaded + line.deferred + line.instructions > 0);
  const shown = columns < NARROW ? NUMBERS.slice(0, -1) : NUMBERS;
  const room = columns - shown.reduce((sum, { width }) => sum + GAP.length + width, GAP.length);
  const wide = Math.max(6, Math.min(room, Math.max(0, ...rows.map(({ name }) => textWidth(name)))));
  const row = (name: string, cells: readonly string[]): string =>
    `${GAP}${[padText(name, wide), ...cells.map((cell, at) => cell.padStart(shown[at]!.width))].join(GAP)}`;
  return [
    ...costSentences(report, filled),
    row(
      'server',
      shown.map(({ title }) => title),
    ),
    ...rows.slice(0, SHOWN).map((line) =>
      row(
        cutMiddle(line.name, wide),
        shown.map(({ title }) => tokenText(line[title])),
      ),
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
const COSTLY = 5;
const CHANGES = 5;
const GAP = '  ';
const NARROW = 60; // columns; in fewer, names need the room of the last number
const NUMBERS: readonly { readonly title: 'loaded' | 'deferred' | 'instructions'; readonly width: number }[] = [
  { title: 'loaded', width: 8 },
  { title: 'deferred', width: 8 },
  { title: 'instructions', width: 12 },
];
