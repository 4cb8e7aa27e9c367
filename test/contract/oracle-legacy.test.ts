import { vi } from 'vitest';
import { oracleClient } from './clients/oracle-client.js';
import { describeContract } from './suite.js';

vi.spyOn(console, 'debug').mockImplementation(() => {}); // it talks to itself
describeContract(oracleClient, 'fixture', 'legacy');
