import { commonFields, type Fields, has, missing, readCommon, readString } from './fields.js';
import type { CommonConfig, FieldIssue, TransportKind } from './kind.js';

export interface SdkConfig extends CommonConfig {
  readonly type: 'sdk';
  readonly name: string;
}

/** A server inside the program that embeds Plugboard, reached by control messages; no process is spawned. */
export const sdk: TransportKind<SdkConfig> = {
  type: 'sdk',
  aliases: [],
  label: 'sdk',
  locality: 'local',
  origin: 'embedder',
  fields: [...commonFields, 'name'],
  parse(raw, report) {
    let sound = true;
    const tell = (issue: FieldIssue): void => {
      sound &&= issue.severity !== 'error';
      report(issue);
    };
    const fields: Fields = { raw, report: tell, base: [] };
    const name = readString(fields, 'name');
    if (!has(fields, 'name')) missing(raw, 'name', tell);
    else if (name?.trim() === '') tell({ severity: 'error', path: ['name'], message: 'is empty' });
    const config: SdkConfig = { type: 'sdk', ...readCommon(fields), name: name ?? '' };
    return sound ? config : undefined;
  },
  check() {},
  target: ({ name }) => ({ kind: 'embedded', name }),
};
