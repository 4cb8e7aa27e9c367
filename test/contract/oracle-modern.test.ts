import { oracleClient } from './clients/oracle-client.js';
import { allowListeners, hush } from './hush.js';
import { describeContract } from './suite.js';

hush('debug');
allowListeners();
describeContract(oracleClient, 'fixture', 'modern');
