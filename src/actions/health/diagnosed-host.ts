import type { DiagnosedHost } from '../../host/diagnose.js';
import type { Host } from '../../host/host.js';
import { inside } from '../../host/inside.js';

/** What a diagnosis reads of a host. */
export function toDiagnosed(host: Host): DiagnosedHost {
  return {
    server: (name) => host[inside].server(name),
    unmatched: () => host.unmatched(),
    drift: (name) => host.drift(name),
  };
}
