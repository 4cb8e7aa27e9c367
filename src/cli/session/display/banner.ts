import type { LoadedConfig } from '../../../actions/action-place.js';
import type { ModelPort } from '../../../session/index.js';
import { unreachable } from '../../../base/never.js';
import { VERSION } from '../../../base/version.js';
import type { HostError } from '../../../base/errors.js';
import { showLine } from '../../../model/show.js';
import type { Screen } from '../../terminal/screen.js';
import { textWidth } from '../../terminal/text/text-width.js';
import { wrapLine } from '../../output/wrap.js';

/** The model, as far as it is known by now. */
export type BannerModel =
  | { readonly kind: 'model'; readonly model: ModelPort }
  | { readonly kind: 'none'; readonly error: HostError }
  | { readonly kind: 'asking' };

/** The lines above the first prompt. */
export function bannerLines(
  { servers, problems, permissions }: LoadedConfig,
  choice: BannerModel,
  { style, columns }: Screen,
): string[] {
  const hint = choice.kind === 'none' ? choice.error.hint : undefined;
  const wrong = problems.filter(({ severity }) => severity === 'error').length;
  return [
    ...wrapLine(`${style.bold(`Plugboard ${VERSION}`)}  ${modelText(choice)}`, columns, 2),
    ...(hint === undefined ? [] : wrapLine(`  ${showLine(hint)}`, columns, 2)),
    ...underServers(serversText(servers), { style, columns }),
    ...modeLines(permissions).map(style.yellow),
    ...(wrong === 0
      ? []
      : [style.yellow(`${wrong === 1 ? '1 problem' : `${wrong} problems`} in the configuration: plugboard doctor`)]),
  ];
}

/** Puts the help beside the servers where there is room, else below. */
function underServers(text: string, { style, columns }: Pick<Screen, 'style' | 'columns'>): string[] {
  const help = '/help lists the commands';
  if (textWidth(text) + help.length + 2 < columns) return [`${text}  ${style.dim(help)}`];
  return [...wrapLine(text, columns, 2), style.dim(help)];
}

/** Warns of any permission mode but the default. */
function modeLines({ modes }: LoadedConfig['permissions']): readonly string[] {
  const { mode = 'default' } = modes.find(({ server }) => server === undefined) ?? {};
  return mode === 'default'
    ? []
    : [
        `Permissions: mode ${mode}${mode === 'bypass' ? ', calls ask you only where a rule or the flow guard does' : ''}`,
      ];
}

function modelText(choice: BannerModel): string {
  switch (choice.kind) {
    case 'model':
      return showLine(`${choice.model.name} (${choice.model.provider})`);
    case 'none':
      return 'no model';
    case 'asking':
      return 'looking for the model …';
    default:
      return unreachable(choice);
  }
}

function serversText(servers: LoadedConfig['servers']): string {
  const counts = new Map<string, number>();
  for (const { standing, config } of servers) {
    const word = standing.kind === 'ready' && config?.start === 'lazy' ? 'lazy' : standing.kind;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const words = [...WORDS].flatMap(([kind, word]) => {
    const count = counts.get(kind) ?? 0;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return words.length === 0
    ? 'No servers are configured: plugboard add, plugboard import, plugboard demo'
    : `Servers: ${words.join(', ')}`;
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['ready', 'starting'],
  ['lazy', 'idle until used'],
  ['unapproved', 'not approved'],
  ['untrusted', 'waiting for trust in this folder'],
  ['disabled', 'disabled'],
  ['denied', 'denied by policy'],
  ['invalid', 'invalid'],
]);
