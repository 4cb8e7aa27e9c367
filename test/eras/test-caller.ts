import type { Caller, CallerLog } from '../../src/model/caller.js';

/** A caller that records requests and logs. It accepts every form, with its principal as content. */
export interface TestCaller extends Caller {
  readonly asked: string[];
  readonly logs: CallerLog[];
}

export function testCaller(principal: string, more: Partial<Caller> = {}): TestCaller {
  const asked: string[] = [];
  const logs: CallerLog[] = [];
  return {
    principal,
    client: { name: `client-of-${principal}`, version: '1' },
    capabilities: { elicitation: { form: {} }, roots: {} },
    roots: [{ uri: `file:///home/${principal}` }],
    answer(method, _, { server }) {
      asked.push(`${server} ${method}`);
      const roots = { roots: this.roots };
      return Promise.resolve(method === 'roots/list' ? roots : { action: 'accept', content: { who: principal } });
    },
    onLog: (message) => void logs.push(message),
    asked,
    logs,
    ...more,
  };
}

/** The elicitation result of `testCaller`. */
export function acceptedBy({ principal }: Caller): object {
  return { action: 'accept', content: { who: principal } };
}
