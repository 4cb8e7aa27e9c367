import { ourClient } from './clients/our-client.js';
import { hush } from './hush.js';
import { describeContract } from './suite.js';

hush('warn'); // what answers in plain JSON leave out, for each server anew
describeContract(ourClient, 'sdk', 'modern');
