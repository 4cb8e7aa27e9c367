import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import { type Draft, type FieldRule, type FieldRules, forget, put, quote } from './mapping.js';
import { ownAt } from '../entries/servers.js';
import { namesIn } from './server-map.js';

/** `sandboxEnabled` enables the sandbox, `sandbox` configures it. What ours cannot express is named in `lost`. */
export function sandboxRules(raw: RawEntry): FieldRules {
  if (raw['sandboxEnabled'] !== true) {
    // Without `sandboxEnabled` VS Code ignores `sandbox`.
    return { sandbox: forget, sandboxEnabled: raw['sandboxEnabled'] === false ? forget : isOn };
  }
  return Object.hasOwn(raw, 'sandbox') ? { sandbox, sandboxEnabled: forget } : { sandboxEnabled: isOn };
}

const isOn: FieldRule = (value, draft, field) => put(draft, 'sandbox', value, field);

const sandbox: FieldRule = (value, draft) => {
  if (!isObject(value)) return put(draft, 'sandbox', value);
  const write = namesIn(ownAt(value, ['filesystem', 'allowWrite'])).flatMap((path) => toWritable(path, draft));
  const domains = namesIn(ownAt(value, ['network', 'allowedDomains']));
  lose(
    draft,
    namesIn(ownAt(value, ['filesystem', 'denyRead'])),
    'filesystem.denyRead',
    'a sandbox hides a fixed list here',
  );
  lose(draft, namesIn(ownAt(value, ['filesystem', 'denyWrite'])), 'filesystem.denyWrite', 'name what it may write to');
  const whole = 'a sandbox has the whole network here, or none';
  lose(draft, domains, 'network.allowedDomains', whole);
  lose(draft, namesIn(ownAt(value, ['network', 'deniedDomains'])), 'network.deniedDomains', whole);
  const settings = { ...(domains.length > 0 && { network: true }), ...(write.length > 0 && { write }) };
  return put(draft, 'sandbox', Object.keys(settings).length === 0 ? true : settings);
};

function lose({ lost }: Draft, values: readonly string[], field: string, why: string): void {
  if (values.length > 0) lost.add(`"sandbox.${field}" is left out: ${why} (${quote(values.join(', '))})`);
}

/** Our sandbox paths have no variables; a relative path means the folder in which the server runs. */
function toWritable(path: string, { lost }: Draft): readonly string[] {
  const inside = path.replace(/^\$\{workspaceFolder\}(?=\/|$)/u, '.');
  if (!inside.includes('${') && !inside.startsWith('~')) return [inside];
  lost.add(`"sandbox.filesystem.allowWrite" is left out for ${quote(path)}: write its full path into "sandbox.write"`);
  return [];
}
