import { expect, test } from 'vitest';
import { openGatewayScene, testClient } from '../../../test/gateway/gateway-scene.js';
import { listing } from '../../../test/gateway/list-servers.js';
import { ClientCallers } from '../calls/client-callers.js';
import { toClean } from '../clean.js';
import { Offering } from '../offering.js';
import { SharedWatches } from './shared-watches.js';

test('beyond the limit nobody joins a watch until somebody leaves one', async () => {
  await using opened = await openGatewayScene(listing('zoo', { resources: [{ uri: 'zoo://a', name: 'a' }] }));
  const offering = new Offering(opened.host);
  const callers = new ClientCallers({ clean: () => toClean(undefined), offering, onTaskStatus: () => {} });
  const shared = new SharedWatches({ offering, callers }, 2);
  const client = testClient();
  const join = () => shared.join(client, { server: 'zoo', uri: 'zoo://a' }, () => {});
  const [first, second, third] = [join(), join(), join()];
  expect(await Promise.all([first?.isTold, second?.isTold, third?.isTold])).toEqual([true, true, undefined]);
  first![Symbol.dispose]();
  first![Symbol.dispose]();
  expect([await join()?.isTold, join()]).toEqual([true, undefined]);
});
