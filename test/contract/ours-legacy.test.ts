import { ourClient } from './clients/our-client.js';
import { describeContract } from './suite.js';

describeContract(ourClient, 'fixture', 'legacy');
