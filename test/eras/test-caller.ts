import type { Caller, CallerLog } from '../../src/model/caller.js';

/** A caller that remembers what it was asked and told. It accepts every form, and says who it is. */
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

/** What `testCaller` answers a form with. */
export function acceptedBy({ principal }: Caller): object {
  return { action: 'accept', content: { who: principal } };
}
